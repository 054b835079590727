//! The Identity service of a CSI storage plugin, done right.
//!
//! A CSI plugin tells its callers who it is (GetPluginInfo), what it offers (GetPluginCapabilities) and whether it can
//! work (Probe). Each caller reads these three answers in its own way, and a wrong one shows late: as a node that does
//! not register or a volume that is never created. Here each answer is a type that cannot hold a wrong one, errors say
//! what would be right, and advice tells what is legal but will not suit everybody.
//!
//! ```
//! use std::time::Duration;
//!
//! use csi_identity::{Identity, Manifest, Offer, PluginInfo, ProbeAnswer, Readiness, ReadinessPolicy};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let identity = Identity {
//!     info: PluginInfo {
//!         name: "Disk.acme.io".parse()?,
//!         vendor_version: "2.1.0".parse()?,
//!         manifest: Manifest::from_pairs([("url", "https://disk.acme.io")])?,
//!     },
//!     // Derived from what is served: nothing to declare, nothing to forget.
//!     capabilities: Offer::serving(["csi.v1.Controller", "csi.v1.Node"]).capabilities()?,
//! };
//! assert_eq!(identity.capabilities.to_string(), "CONTROLLER_SERVICE");
//!
//! // Legal, but one caller will mind.
//! let advice = identity.info.name.advice();
//! assert_eq!(
//!     advice[0].to_string(),
//!     "the name has upper-case letters: Kubernetes refuses it for a CSIDriver object, and Lease names made from it \
//!      are invalid; use disk.acme.io",
//! );
//!
//! // Callers wait for a plugin that is starting; one that is broken is an error to them.
//! let policy = ReadinessPolicy::default();
//! let age = Duration::from_secs(3);
//! assert_eq!(policy.answer(&Readiness::starting("reading the pool"), age), ProbeAnswer::Ready(false));
//! assert_eq!(
//!     policy.answer(&Readiness::not_ready("pool p0 is offline"), age),
//!     ProbeAnswer::Failed { message: "NOT_READY: pool p0 is offline".to_owned() },
//! );
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! - `grpc` (default): the adapters to gRPC and the server. Without it the crate is the types above alone, with no
//!   runtime, no gRPC and no I/O.

#[cfg(all(doctest, feature = "grpc"))]
#[doc = include_str!("../README.md")]
mod readme {}

mod domain;
#[cfg(feature = "grpc")]
mod grpc;
#[cfg(feature = "grpc")]
mod runtime;

#[cfg(feature = "grpc")]
pub use csi_endpoint as endpoint;
#[cfg(feature = "grpc")]
pub use csi_proto as proto;

pub use domain::{
    AbsolutePath, AbsolutePathError, CapabilityAdvice, Check, CheckName, CheckNameError,
    CheckPolicy, CheckPolicyError, CheckTarget, ExecCommand, ExecCommandError, ExpandVolume,
    ExpectedText, ExpectedTextError, FsType, FsTypeError, GrpcProbe, HttpStatus, HttpStatusError,
    HttpUrl, HttpUrlError, Identity, IdentitySource, KeyValue, KeyValueError, Manifest,
    ManifestError, MaxVolumes, MaxVolumesError, NameAdvice, NameConsumer, NodeId, NodeIdAdvice,
    NodeIdError, NodeInfo, NodeTopology, ObservedCapability, Offer, OfferError, OfferedService,
    OfferedServiceError, OnFailure, OnFailureError, PluginCapabilities, PluginCapability,
    PluginInfo, PluginName, PluginNameError, ProbeAnswer, Readiness, ReadinessPolicy, Reason,
    ServiceCapability, TcpAddress, TcpAddressError, Topology, TopologyAdvice, TopologyError,
    TopologyKey, TopologyKeyError, TopologyValue, TopologyValueError, VendorVersion,
    VendorVersionError, VersionAdvice, VolumeExpansion, VolumeExpansionError, WhileStarting,
    WhileStartingError, nearest,
};
#[cfg(feature = "grpc")]
pub use grpc::{IdentityService, NodeInfoService};
#[cfg(feature = "grpc")]
pub use runtime::{
    BoundPlugin, BuildError, CallError, Checks, ChecksError, Declared, Plugin, PluginAdvice,
    PluginBuilder, PluginClient, ReadinessHandle, Sourced, code_name,
};
