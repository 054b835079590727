//! The capabilities of a plugin, each once and always in the same order.

use std::collections::BTreeSet;
use std::fmt;

use super::PluginCapability;

/// All capabilities of a plugin: no duplicates, services by number, then expansions by number.
///
/// All instances of one version of a plugin must report the same set (CSI specification, GetPluginCapabilities). It may
/// be empty. [`Offer::capabilities`](crate::Offer::capabilities) makes it from what is really offered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PluginCapabilities(BTreeSet<PluginCapability>);

impl PluginCapabilities {
    /// Whether the capability is in the set.
    #[must_use]
    pub fn contains(&self, capability: impl Into<PluginCapability>) -> bool {
        self.0.contains(&capability.into())
    }

    /// The capabilities, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = PluginCapability> {
        self.0.iter().copied()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<C: Into<PluginCapability>> FromIterator<C> for PluginCapabilities {
    fn from_iter<I: IntoIterator<Item = C>>(capabilities: I) -> Self {
        Self(capabilities.into_iter().map(Into::into).collect())
    }
}

impl<C: Into<PluginCapability>> Extend<C> for PluginCapabilities {
    fn extend<I: IntoIterator<Item = C>>(&mut self, capabilities: I) {
        self.0.extend(capabilities.into_iter().map(Into::into));
    }
}

/// The capabilities separated by commas, or `none`.
impl fmt::Display for PluginCapabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("none");
        }
        for (at, capability) in self.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}{capability}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::PluginCapabilities;
    use crate::{ServiceCapability, VolumeExpansion};

    #[test]
    fn duplicates_vanish_and_the_order_is_by_kind_and_number() {
        let mut set =
            PluginCapabilities::from_iter([VolumeExpansion::Offline, VolumeExpansion::Online]);
        set.extend(ServiceCapability::ALL.into_iter().rev());
        set.extend(ServiceCapability::ALL);
        assert_eq!(set.len(), 6);
        assert_eq!(
            set.to_string(),
            "CONTROLLER_SERVICE, VOLUME_ACCESSIBILITY_CONSTRAINTS, GROUP_CONTROLLER_SERVICE, \
             SNAPSHOT_METADATA_SERVICE, volume expansion ONLINE, volume expansion OFFLINE",
        );
    }

    #[test]
    fn an_empty_set_says_so() {
        let set = PluginCapabilities::default();
        assert!(set.is_empty() && !set.contains(ServiceCapability::ControllerService));
        assert_eq!(set.to_string(), "none");
    }
}
