//! What a CSI plugin says of itself, as types that cannot hold anything wrong.
//!
//! For everything that can be decided without a socket, a clock or a runtime. Nothing here does I/O; time arrives as a
//! value. Each type that holds text from outside is checked once, when it is made.

mod capability;
mod check;
mod dns;
mod identity;
mod key_value;
mod manifest;
mod nearest;
mod node_info;
mod offer;
mod offered_service;
mod plugin_name;
mod readiness;
mod topology;
mod vendor_version;

pub use capability::{
    ObservedCapability, PluginCapabilities, PluginCapability, ServiceCapability, VolumeExpansion,
    VolumeExpansionError,
};
pub use check::{
    AbsolutePath, AbsolutePathError, Check, CheckName, CheckNameError, CheckPolicy,
    CheckPolicyError, CheckTarget, ExecCommand, ExecCommandError, ExpectedText, ExpectedTextError,
    FsType, FsTypeError, GrpcProbe, HttpStatus, HttpStatusError, HttpUrl, HttpUrlError, OnFailure,
    OnFailureError, TcpAddress, TcpAddressError,
};
pub use identity::{Identity, IdentitySource, PluginInfo};
pub use key_value::{KeyValue, KeyValueError};
pub use manifest::{Manifest, ManifestError};
pub use nearest::nearest;
pub use node_info::{MaxVolumes, MaxVolumesError, NodeId, NodeIdAdvice, NodeIdError, NodeInfo};
pub use offer::{CapabilityAdvice, ExpandVolume, NodeTopology, Offer, OfferError};
pub use offered_service::{OfferedService, OfferedServiceError};
pub use plugin_name::{NameAdvice, NameConsumer, PluginName, PluginNameError};
pub use readiness::{
    ProbeAnswer, Readiness, ReadinessPolicy, Reason, WhileStarting, WhileStartingError,
};
pub use topology::{
    Topology, TopologyAdvice, TopologyError, TopologyKey, TopologyKeyError, TopologyValue,
    TopologyValueError,
};
pub use vendor_version::{VendorVersion, VendorVersionError, VersionAdvice};
