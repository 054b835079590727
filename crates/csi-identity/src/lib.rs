//! The Identity service of a CSI storage plugin, done right.
//!
//! A CSI plugin tells its callers who it is (GetPluginInfo), what it offers (GetPluginCapabilities) and whether it can
//! work (Probe). Each caller reads these three answers in its own way, and a wrong one shows late: as a node that does
//! not register or a volume that is never created. Here each answer is a type that cannot hold a wrong one, errors say
//! what would be right, and advice tells what is legal but will not suit everybody.

mod domain;

pub use domain::{
    CapabilityAdvice, ExpandVolume, KeyValue, KeyValueError, Manifest, ManifestError, NameAdvice,
    NameConsumer, NodeTopology, ObservedCapability, Offer, OfferError, OfferedService,
    OfferedServiceError, PluginCapabilities, PluginCapability, PluginName, PluginNameError,
    ServiceCapability, VendorVersion, VendorVersionError, VersionAdvice, VolumeExpansion,
    VolumeExpansionError,
};
