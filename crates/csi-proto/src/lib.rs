//! Messages, clients and servers of two gRPC interfaces of storage plugins.
//!
//! - [`csi::v1`]: the Container Storage Interface as of specification 1.12, between an orchestrator and a plugin.
//! - [`pluginregistration::v1`]: how a plugin on a node makes itself known to the kubelet.
//!
//! All of it is generated. There is no transport here: a client takes any service that speaks HTTP/2, a server is one.
//!
//! Credentials stay out of logs: the `Debug` output of a message shows how many secrets it has, neither their keys nor
//! their values.
//!
//! ```
//! use csi_proto::csi::v1::{NodeStageVolumeRequest, ProbeResponse};
//!
//! // An unset `ready` means ready, which is why it is no plain bool.
//! let starting = ProbeResponse { ready: Some(false) };
//! assert_ne!(starting, ProbeResponse::default());
//!
//! let request = NodeStageVolumeRequest {
//!     volume_id: "volume-1".to_owned(),
//!     secrets: [("password".to_owned(), "hunter2".to_owned())].into(),
//!     ..Default::default()
//! };
//! assert!(format!("{request:?}").contains("secrets: {redacted, 1 key}"));
//! ```

mod descriptors;
mod redacted;

/// The Container Storage Interface.
pub mod csi {
    /// Version 1 of the interface, as of specification 1.12.
    #[expect(
        clippy::allow_attributes,
        clippy::allow_attributes_without_reason,
        reason = "generated: the exceptions are those of the generators"
    )]
    pub mod v1 {
        include!("generated/csi.v1.rs");
        include!("generated/csi.v1.debug.rs");
    }
}

/// How a plugin on a node makes itself known to the kubelet.
pub mod pluginregistration {
    /// Version 1 of the interface; its protobuf package is `pluginregistration`, without a version.
    #[expect(
        clippy::allow_attributes,
        clippy::allow_attributes_without_reason,
        reason = "generated: the exceptions are those of the generators"
    )]
    pub mod v1 {
        include!("generated/pluginregistration.rs");
    }
}

pub use descriptors::FILE_DESCRIPTOR_SET;
