//! The RPCs that are called.

use std::fmt;

/// An RPC, by its service and name.
///
/// ```
/// use csi_conformance::Method;
///
/// assert_eq!(Method::PROBE.path(), "/csi.v1.Identity/Probe");
/// assert_eq!(Method::PROBE.to_string(), "Probe");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Method {
    service: &'static str,
    name: &'static str,
}

impl Method {
    /// Identity: who the plugin is.
    pub const GET_PLUGIN_INFO: Self = Self::new("csi.v1.Identity", "GetPluginInfo");
    /// Identity: what it can do.
    pub const GET_PLUGIN_CAPABILITIES: Self = Self::new("csi.v1.Identity", "GetPluginCapabilities");
    /// Identity: whether it is ready.
    pub const PROBE: Self = Self::new("csi.v1.Identity", "Probe");
    /// Controller: what the Controller service can do.
    pub const CONTROLLER_GET_CAPABILITIES: Self =
        Self::new("csi.v1.Controller", "ControllerGetCapabilities");
    /// GroupController: what the GroupController service can do.
    pub const GROUP_CONTROLLER_GET_CAPABILITIES: Self =
        Self::new("csi.v1.GroupController", "GroupControllerGetCapabilities");
    /// SnapshotMetadata: reads a list of blocks; the service has no call that asks for capabilities.
    pub const GET_METADATA_ALLOCATED: Self =
        Self::new("csi.v1.SnapshotMetadata", "GetMetadataAllocated");
    /// Node: what the Node service can do.
    pub const NODE_GET_CAPABILITIES: Self = Self::new("csi.v1.Node", "NodeGetCapabilities");
    /// Node: which node the plugin runs on.
    pub const NODE_GET_INFO: Self = Self::new("csi.v1.Node", "NodeGetInfo");
    /// Server reflection, where it is offered.
    pub const REFLECTION: Self = Self::new(
        "grpc.reflection.v1.ServerReflection",
        "ServerReflectionInfo",
    );

    /// The three of the Identity service.
    pub const IDENTITY: [Self; 3] = [
        Self::GET_PLUGIN_INFO,
        Self::GET_PLUGIN_CAPABILITIES,
        Self::PROBE,
    ];

    /// A method of any service.
    #[must_use]
    pub const fn new(service: &'static str, name: &'static str) -> Self {
        Self { service, name }
    }

    /// The full name of its service.
    #[must_use]
    pub const fn service(self) -> &'static str {
        self.service
    }

    /// Its name alone.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// What a request has as its path.
    #[must_use]
    pub fn path(self) -> String {
        format!("/{}/{}", self.service, self.name)
    }

    /// Whether it is one of the Identity service.
    #[must_use]
    pub fn is_identity(self) -> bool {
        self.service == Self::PROBE.service
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
