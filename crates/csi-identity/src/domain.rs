//! What a CSI plugin says of itself, as types that cannot hold anything wrong.
//!
//! For everything that can be decided without a socket, a clock or a runtime. Nothing here does I/O; time arrives as a
//! value. Each type that holds text from outside is checked once, when it is made.

mod capability;
mod dns;
mod key_value;
mod manifest;
mod nearest;
mod offer;
mod offered_service;
mod plugin_name;
mod vendor_version;

pub use capability::{
    ObservedCapability, PluginCapabilities, PluginCapability, ServiceCapability, VolumeExpansion,
    VolumeExpansionError,
};
pub use key_value::{KeyValue, KeyValueError};
pub use manifest::{Manifest, ManifestError};
pub use offer::{CapabilityAdvice, ExpandVolume, NodeTopology, Offer, OfferError};
pub use offered_service::{OfferedService, OfferedServiceError};
pub use plugin_name::{NameAdvice, NameConsumer, PluginName, PluginNameError};
pub use vendor_version::{VendorVersion, VendorVersionError, VersionAdvice};
