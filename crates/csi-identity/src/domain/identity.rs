//! All that a plugin says of itself, and where it comes from.

use std::sync::Arc;

use super::capability::PluginCapabilities;
use super::manifest::Manifest;
use super::plugin_name::PluginName;
use super::vendor_version::VendorVersion;

/// What a plugin answers to GetPluginInfo.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PluginInfo {
    /// The unique name of the plugin.
    pub name: PluginName,
    /// The version its vendor gives it.
    pub vendor_version: VendorVersion,
    /// What its vendor wants to say beside that.
    pub manifest: Manifest,
}

/// All that a plugin says of itself: its info and its capabilities.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// What it answers to GetPluginInfo.
    pub info: PluginInfo,
    /// What it answers to GetPluginCapabilities.
    pub capabilities: PluginCapabilities,
}

/// Where a plugin's identity comes from; asked on every call, so it must answer from memory.
///
/// An [`Arc<Identity>`] is a source that always has the same. A source of one's own is for a plugin whose identity comes
/// from elsewhere, such as a driver that it stands in front of.
///
/// ```
/// use std::sync::{Arc, OnceLock};
///
/// use csi_identity::{Identity, IdentitySource};
///
/// /// An identity that is learned some time after the start.
/// #[derive(Default)]
/// struct Learned(OnceLock<Arc<Identity>>);
///
/// impl IdentitySource for Learned {
///     fn identity(&self) -> Option<Arc<Identity>> {
///         self.0.get().cloned()
///     }
/// }
///
/// assert!(Learned::default().identity().is_none());
/// ```
pub trait IdentitySource: Send + Sync + 'static {
    /// The identity at this moment; `None` is told to callers as UNIMPLEMENTED.
    fn identity(&self) -> Option<Arc<Identity>>;
}

impl IdentitySource for Arc<Identity> {
    fn identity(&self) -> Option<Arc<Identity>> {
        Some(Self::clone(self))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Identity, IdentitySource, Manifest, PluginCapabilities, PluginInfo};

    #[test]
    fn a_shared_identity_is_its_own_source_and_is_not_copied() {
        let identity = Arc::new(Identity {
            info: PluginInfo {
                name: "disk.acme.io".parse().unwrap(),
                vendor_version: "2.1.0".parse().unwrap(),
                manifest: Manifest::default(),
            },
            capabilities: PluginCapabilities::default(),
        });
        let source: &dyn IdentitySource = &identity;
        assert!(
            source
                .identity()
                .is_some_and(|same| Arc::ptr_eq(&same, &identity))
        );
    }
}
