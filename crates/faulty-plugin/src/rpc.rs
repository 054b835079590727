//! The calls of a CSI plugin, by path.

use std::marker::PhantomData;

use csi_proto::csi::v1 as pb;

/// A call whose answer is a message of the type `M`.
#[derive(Debug)]
pub(crate) struct Rpc<M> {
    path: &'static str,
    answer: PhantomData<fn() -> M>,
}

// Derived ones would ask the same of `M`.
impl<M> Clone for Rpc<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Rpc<M> {}

impl<M> Rpc<M> {
    const fn new(path: &'static str) -> Self {
        Self {
            path,
            answer: PhantomData,
        }
    }

    pub(crate) const fn path(self) -> &'static str {
        self.path
    }
}

pub(crate) const INFO: Rpc<pb::GetPluginInfoResponse> = Rpc::new("/csi.v1.Identity/GetPluginInfo");
pub(crate) const CAPABILITIES: Rpc<pb::GetPluginCapabilitiesResponse> =
    Rpc::new("/csi.v1.Identity/GetPluginCapabilities");
pub(crate) const PROBE: Rpc<pb::ProbeResponse> = Rpc::new("/csi.v1.Identity/Probe");

pub(crate) const NODE_INFO: Rpc<pb::NodeGetInfoResponse> = Rpc::new("/csi.v1.Node/NodeGetInfo");
pub(crate) const NODE_CAPABILITIES: Rpc<pb::NodeGetCapabilitiesResponse> =
    Rpc::new("/csi.v1.Node/NodeGetCapabilities");
pub(crate) const CONTROLLER_CAPABILITIES: Rpc<pb::ControllerGetCapabilitiesResponse> =
    Rpc::new("/csi.v1.Controller/ControllerGetCapabilities");
pub(crate) const GROUP_CONTROLLER_CAPABILITIES: Rpc<pb::GroupControllerGetCapabilitiesResponse> =
    Rpc::new("/csi.v1.GroupController/GroupControllerGetCapabilities");
pub(crate) const LIST_SNAPSHOTS: Rpc<pb::ListSnapshotsResponse> =
    Rpc::new("/csi.v1.Controller/ListSnapshots");

/// The calls of the Node service, its get-info and get-capabilities calls aside, that the good plugin has.
pub(crate) const NODE: &[&str] = &[
    "/csi.v1.Node/NodeStageVolume",
    "/csi.v1.Node/NodeUnstageVolume",
    "/csi.v1.Node/NodePublishVolume",
    "/csi.v1.Node/NodeUnpublishVolume",
    "/csi.v1.Node/NodeExpandVolume",
];

/// The same of the Controller service, the calls with an answer of their own aside.
pub(crate) const CONTROLLER: &[&str] = &[
    "/csi.v1.Controller/CreateVolume",
    "/csi.v1.Controller/DeleteVolume",
    "/csi.v1.Controller/ValidateVolumeCapabilities",
    "/csi.v1.Controller/CreateSnapshot",
    "/csi.v1.Controller/DeleteSnapshot",
    "/csi.v1.Controller/ControllerExpandVolume",
];

/// The same of the GroupController service.
pub(crate) const GROUP_CONTROLLER: &[&str] = &[
    "/csi.v1.GroupController/CreateVolumeGroupSnapshot",
    "/csi.v1.GroupController/DeleteVolumeGroupSnapshot",
    "/csi.v1.GroupController/GetVolumeGroupSnapshot",
];

/// Those of the SnapshotMetadata service, which has no get-capabilities call.
pub(crate) const SNAPSHOT_METADATA: &[&str] = &[
    "/csi.v1.SnapshotMetadata/GetMetadataAllocated",
    "/csi.v1.SnapshotMetadata/GetMetadataDelta",
];
