//! Capabilities as another plugin sent them, known here or not.

use std::fmt;

use super::{PluginCapability, ServiceCapability, VolumeExpansion};

/// A capability that another plugin sent, by its number, which nobody here may know.
///
/// Only for looking at others: what is sent from here is a [`PluginCapability`].
///
/// ```
/// use csi_identity::ObservedCapability;
///
/// assert_eq!(ObservedCapability::Service(1).to_string(), "CONTROLLER_SERVICE");
/// assert_eq!(ObservedCapability::Service(7).to_string(), "UNKNOWN(7)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObservedCapability {
    /// A number of `PluginCapability.Service.Type`.
    Service(i32),
    /// A number of `PluginCapability.VolumeExpansion.Type`.
    VolumeExpansion(i32),
    /// A capability that holds neither, which carries no meaning.
    Empty,
}

impl ObservedCapability {
    /// The capability, if this version of the library knows it.
    #[must_use]
    pub fn known(self) -> Option<PluginCapability> {
        match self {
            Self::Service(number) => {
                ServiceCapability::from_number(number).map(PluginCapability::Service)
            }
            Self::VolumeExpansion(number) => {
                VolumeExpansion::from_number(number).map(PluginCapability::VolumeExpansion)
            }
            Self::Empty => None,
        }
    }
}

impl From<PluginCapability> for ObservedCapability {
    fn from(capability: PluginCapability) -> Self {
        match capability {
            PluginCapability::Service(service) => Self::Service(service.number()),
            PluginCapability::VolumeExpansion(expansion) => {
                Self::VolumeExpansion(expansion.number())
            }
        }
    }
}

impl fmt::Display for ObservedCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.known(), self) {
            (Some(known), _) => known.fmt(f),
            (None, Self::Empty) => f.write_str("empty capability"),
            (None, Self::Service(0)) => f.write_str("UNKNOWN"),
            (None, Self::Service(number)) => write!(f, "UNKNOWN({number})"),
            (None, Self::VolumeExpansion(0)) => f.write_str("volume expansion UNKNOWN"),
            (None, Self::VolumeExpansion(number)) => {
                write!(f, "volume expansion UNKNOWN({number})")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ObservedCapability, PluginCapability, ServiceCapability, VolumeExpansion};

    #[test]
    fn numbers_nobody_knows_are_shown_as_numbers() {
        for (observed, text) in [
            (
                ObservedCapability::Service(2),
                "VOLUME_ACCESSIBILITY_CONSTRAINTS",
            ),
            (ObservedCapability::Service(0), "UNKNOWN"),
            (ObservedCapability::Service(7), "UNKNOWN(7)"),
            (ObservedCapability::Service(-1), "UNKNOWN(-1)"),
            (
                ObservedCapability::VolumeExpansion(2),
                "volume expansion OFFLINE",
            ),
            (
                ObservedCapability::VolumeExpansion(0),
                "volume expansion UNKNOWN",
            ),
            (
                ObservedCapability::VolumeExpansion(9),
                "volume expansion UNKNOWN(9)",
            ),
            (ObservedCapability::Empty, "empty capability"),
        ] {
            assert_eq!(observed.to_string(), text);
        }
    }

    #[test]
    fn what_is_known_here_is_recognised_when_others_send_it() {
        let services = ServiceCapability::ALL.map(PluginCapability::Service);
        let expansions = VolumeExpansion::ALL.map(PluginCapability::VolumeExpansion);
        for capability in services.into_iter().chain(expansions) {
            let observed = ObservedCapability::from(capability);
            assert_eq!(observed.known(), Some(capability));
            assert_eq!(observed.to_string(), capability.to_string());
        }
        for unknown in [
            ObservedCapability::Service(0),
            ObservedCapability::VolumeExpansion(3),
            ObservedCapability::Empty,
        ] {
            assert_eq!(unknown.known(), None);
        }
    }
}
