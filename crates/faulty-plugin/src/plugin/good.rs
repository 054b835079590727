//! The good plugin.

use std::collections::BTreeMap;

use csi_proto::csi::v1 as pb;
use csi_proto::csi::v1::controller_service_capability as controller;
use csi_proto::csi::v1::group_controller_service_capability as group_controller;
use csi_proto::csi::v1::node_service_capability as node;
use csi_proto::csi::v1::plugin_capability::{
    Service as ServiceCapability, Type, VolumeExpansion, service, volume_expansion,
};
use tonic::Code;

use super::Plugin;
use crate::habits::Habits;
use crate::process::Process;
use crate::reply::Reply;
use crate::rpc;

/// A service that the good plugin has only when it is asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// `csi.v1.Controller`.
    Controller,
    /// `csi.v1.GroupController`.
    GroupController,
    /// `csi.v1.SnapshotMetadata`.
    SnapshotMetadata,
}

impl Default for Plugin {
    /// The good plugin, with the Identity and Node services.
    ///
    /// It has no storage: whatever volume a call is about, its request is refused.
    fn default() -> Self {
        let mut plugin = Self {
            calls: BTreeMap::new(),
            habits: Habits::default(),
            process: Process::default(),
        };
        plugin.set(rpc::INFO.path(), Reply::ok(&info()));
        plugin.set(rpc::CAPABILITIES.path(), Reply::ok(&capabilities()));
        plugin.set(
            rpc::PROBE.path(),
            Reply::ok(&pb::ProbeResponse { ready: Some(true) }),
        );
        plugin.set(rpc::NODE_INFO.path(), Reply::ok(&node_info()));
        let capabilities = [
            node::rpc::Type::StageUnstageVolume,
            node::rpc::Type::ExpandVolume,
        ]
        .map(|r#type| node_capability(r#type as i32));
        plugin.set(
            rpc::NODE_CAPABILITIES.path(),
            Reply::ok(&pb::NodeGetCapabilitiesResponse {
                capabilities: capabilities.into(),
            }),
        );
        plugin.refuse(rpc::NODE);
        plugin
    }
}

impl Plugin {
    /// The same with one more service, and with the capability that says so.
    #[must_use]
    pub fn serving(mut self, service: Service) -> Self {
        self.declare(service);
        self.implement(service);
        self
    }

    /// Says that it has a service.
    pub(crate) fn declare(&mut self, service: Service) {
        let number = match service {
            Service::Controller => service::Type::ControllerService,
            Service::GroupController => service::Type::GroupControllerService,
            Service::SnapshotMetadata => service::Type::SnapshotMetadataService,
        };
        self.edit(rpc::CAPABILITIES, |answer| {
            answer.capabilities.push(service_capability(number as i32));
        });
    }

    /// Has a service, whatever it says.
    pub(crate) fn implement(&mut self, service: Service) {
        match service {
            Service::Controller => {
                let capabilities = [
                    controller::rpc::Type::CreateDeleteVolume,
                    controller::rpc::Type::CreateDeleteSnapshot,
                    controller::rpc::Type::ListSnapshots,
                    controller::rpc::Type::ExpandVolume,
                ]
                .map(|r#type| controller_capability(r#type as i32));
                let capabilities = pb::ControllerGetCapabilitiesResponse {
                    capabilities: capabilities.into(),
                };
                self.set(
                    rpc::CONTROLLER_CAPABILITIES.path(),
                    Reply::ok(&capabilities),
                );
                self.set(
                    rpc::LIST_SNAPSHOTS.path(),
                    Reply::ok(&pb::ListSnapshotsResponse::default()),
                );
                self.refuse(rpc::CONTROLLER);
            }
            Service::GroupController => {
                use group_controller::{Rpc, Type, rpc::Type as Number};
                let r#type = Number::CreateDeleteGetVolumeGroupSnapshot as i32;
                let capability = pb::GroupControllerServiceCapability {
                    r#type: Some(Type::Rpc(Rpc { r#type })),
                };
                let capabilities = pb::GroupControllerGetCapabilitiesResponse {
                    capabilities: vec![capability],
                };
                self.set(
                    rpc::GROUP_CONTROLLER_CAPABILITIES.path(),
                    Reply::ok(&capabilities),
                );
                self.refuse(rpc::GROUP_CONTROLLER);
            }
            Service::SnapshotMetadata => self.refuse(rpc::SNAPSHOT_METADATA),
        }
    }

    /// Has calls that no argument is right for.
    fn refuse(&mut self, paths: &[&'static str]) {
        for path in paths {
            let message = "the request names nothing that this plugin has";
            self.set(path, Reply::status(Code::InvalidArgument, message));
        }
    }
}

fn info() -> pb::GetPluginInfoResponse {
    pb::GetPluginInfoResponse {
        name: "disk.faultless.dev".to_owned(),
        vendor_version: "1.2.3".to_owned(),
        manifest: [("build".to_owned(), "7".to_owned())].into(),
    }
}

fn capabilities() -> pb::GetPluginCapabilitiesResponse {
    pb::GetPluginCapabilitiesResponse {
        capabilities: vec![
            service_capability(service::Type::VolumeAccessibilityConstraints as i32),
            expansion_capability(volume_expansion::Type::Online as i32),
        ],
    }
}

fn node_info() -> pb::NodeGetInfoResponse {
    pb::NodeGetInfoResponse {
        node_id: "node-1".to_owned(),
        max_volumes_per_node: 16,
        accessible_topology: Some(pb::Topology {
            segments: [("faultless.dev/rack".to_owned(), "rack-1".to_owned())].into(),
        }),
    }
}

pub(crate) fn service_capability(r#type: i32) -> pb::PluginCapability {
    pb::PluginCapability {
        r#type: Some(Type::Service(ServiceCapability { r#type })),
    }
}

pub(crate) fn expansion_capability(r#type: i32) -> pb::PluginCapability {
    pb::PluginCapability {
        r#type: Some(Type::VolumeExpansion(VolumeExpansion { r#type })),
    }
}

pub(crate) fn node_capability(r#type: i32) -> pb::NodeServiceCapability {
    pb::NodeServiceCapability {
        r#type: Some(node::Type::Rpc(node::Rpc { r#type })),
    }
}

pub(crate) fn controller_capability(r#type: i32) -> pb::ControllerServiceCapability {
    pb::ControllerServiceCapability {
        r#type: Some(controller::Type::Rpc(controller::Rpc { r#type })),
    }
}
