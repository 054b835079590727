//! What the plugin says it can, against what it can.

use csi_proto::csi::v1::plugin_capability::volume_expansion::Type as Expansion;
use tonic::Code;

use crate::fault::{Fault, Needs};
use crate::plugin::{
    Plugin, Service, controller_capability, expansion_capability, node_capability,
    service_capability,
};
use crate::reply::Reply;
use crate::rpc::{
    CAPABILITIES, CONTROLLER_CAPABILITIES, GROUP_CONTROLLER_CAPABILITIES, NODE_CAPABILITIES,
    NODE_INFO,
};

const DECLARED: &str = "CSI, PluginCapability.Service: who declares a service has it";
const PROMISED: &str = "CSI: who has a capability implements the calls it stands for";
const EXPANSION: &str = "CSI, PluginCapability.VolumeExpansion";
const TOPOLOGY: &str = "CSI, VOLUME_ACCESSIBILITY_CONSTRAINTS and accessible_topology go together";

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "controller-declared-not-implemented",
        "declares CONTROLLER_SERVICE and has no Controller service",
        DECLARED,
        |plugin| {
            plugin.declare(Service::Controller);
        },
    )
    .needing(Needs::ControllerEndpoint),
    Fault::new(
        "controller-implemented-not-declared",
        "has a Controller service and does not declare CONTROLLER_SERVICE",
        "external-provisioner refuses to provision, external-resizer exits",
        |plugin| {
            plugin.implement(Service::Controller);
        },
    ),
    Fault::new(
        "controller-capabilities-internal",
        "answers ControllerGetCapabilities with INTERNAL",
        "external-provisioner and external-attacher exit",
        |plugin| {
            controller(plugin);
            plugin.set(
                CONTROLLER_CAPABILITIES.path(),
                Reply::status(Code::Internal, "no configuration"),
            );
        },
    ),
    Fault::new(
        "controller-capability-unknown",
        "lists the controller capability 99, which no specification has",
        "CSI, ControllerServiceCapability: it carries no meaning",
        |plugin| {
            controller(plugin);
            plugin.edit(CONTROLLER_CAPABILITIES, |answer| {
                answer.capabilities.push(controller_capability(99));
            });
        },
    ),
    Fault::new(
        "group-controller-declared-not-implemented",
        "declares GROUP_CONTROLLER_SERVICE and has no GroupController service",
        DECLARED,
        |plugin| {
            controller(plugin);
            plugin.declare(Service::GroupController);
        },
    )
    .needing(Needs::ControllerEndpoint),
    Fault::new(
        "group-controller-implemented-not-declared",
        "has a GroupController service and does not declare GROUP_CONTROLLER_SERVICE",
        "csi-sanity does not test it",
        |plugin| {
            controller(plugin);
            plugin.implement(Service::GroupController);
        },
    ),
    Fault::new(
        "group-controller-capabilities-internal",
        "answers GroupControllerGetCapabilities with INTERNAL",
        "external-snapshotter cannot make group snapshots",
        |plugin| {
            controller(plugin);
            plugin.declare(Service::GroupController);
            plugin.implement(Service::GroupController);
            plugin.set(
                GROUP_CONTROLLER_CAPABILITIES.path(),
                Reply::status(Code::Internal, "no configuration"),
            );
        },
    ),
    Fault::new(
        "snapshot-metadata-declared-not-implemented",
        "declares SNAPSHOT_METADATA_SERVICE and has no SnapshotMetadata service",
        DECLARED,
        |plugin| {
            controller(plugin);
            plugin.declare(Service::SnapshotMetadata);
        },
    )
    .needing(Needs::ControllerEndpoint),
    Fault::new(
        "snapshot-metadata-implemented-not-declared",
        "has a SnapshotMetadata service and does not declare SNAPSHOT_METADATA_SERVICE",
        "external-snapshot-metadata does not start",
        |plugin| {
            controller(plugin);
            plugin.implement(Service::SnapshotMetadata);
        },
    ),
    Fault::new(
        "topology-without-segments",
        "declares VOLUME_ACCESSIBILITY_CONSTRAINTS, and NodeGetInfo has no topology",
        TOPOLOGY,
        |plugin| {
            plugin.edit(NODE_INFO, |info| info.accessible_topology = None);
        },
    ),
    Fault::new(
        "topology-segments-empty",
        "declares VOLUME_ACCESSIBILITY_CONSTRAINTS, and the node's topology has no segments",
        TOPOLOGY,
        |plugin| {
            plugin.edit(NODE_INFO, |info| {
                info.accessible_topology = Some(Default::default());
            });
        },
    ),
    Fault::new(
        "topology-not-declared",
        "has a topology in NodeGetInfo and does not declare VOLUME_ACCESSIBILITY_CONSTRAINTS",
        TOPOLOGY,
        |plugin| {
            plugin.edit(CAPABILITIES, |answer| {
                let topology = service_capability(2);
                answer
                    .capabilities
                    .retain(|capability| *capability != topology);
            });
        },
    ),
    Fault::new(
        "online-without-expand",
        "declares ONLINE expansion, and neither node nor controller has EXPAND_VOLUME",
        EXPANSION,
        |plugin| {
            plugin.edit(NODE_CAPABILITIES, |answer| answer.capabilities.truncate(1));
        },
    )
    .needing(Needs::ControllerEndpoint),
    Fault::new(
        "offline-with-node-only",
        "declares OFFLINE expansion, and only the node has EXPAND_VOLUME",
        EXPANSION,
        |plugin| {
            plugin.edit(CAPABILITIES, |answer| {
                answer.capabilities.truncate(1);
                answer
                    .capabilities
                    .push(expansion_capability(Expansion::Offline as i32));
            });
        },
    )
    .needing(Needs::ControllerEndpoint),
    Fault::new(
        "both-expansions",
        "declares ONLINE and OFFLINE expansion, which contradict each other",
        EXPANSION,
        |plugin| {
            controller(plugin);
            plugin.edit(CAPABILITIES, |answer| {
                answer
                    .capabilities
                    .push(expansion_capability(Expansion::Offline as i32));
            });
        },
    ),
    Fault::new(
        "expand-not-declared",
        "has EXPAND_VOLUME on the node and declares no expansion",
        "no clause: what reads the plugin's capabilities believes that volumes cannot grow",
        |plugin| {
            plugin.edit(CAPABILITIES, |answer| answer.capabilities.truncate(1));
        },
    ),
    Fault::new(
        "node-capability-unknown",
        "lists the node capability 99, which no specification has",
        "CSI, NodeServiceCapability: it carries no meaning",
        |plugin| {
            plugin.edit(NODE_CAPABILITIES, |answer| {
                answer.capabilities.push(node_capability(99));
            });
        },
    ),
    Fault::new(
        "node-capabilities-unimplemented",
        "answers NodeGetCapabilities with UNIMPLEMENTED",
        "CSI, NodeGetCapabilities: a Node service must implement it",
        |plugin| {
            plugin.remove(NODE_CAPABILITIES.path());
        },
    ),
    Fault::new(
        "snapshots-promised-not-implemented",
        "promises CREATE_DELETE_SNAPSHOT and answers CreateSnapshot with UNIMPLEMENTED",
        PROMISED,
        |plugin| {
            controller(plugin);
            plugin.remove("/csi.v1.Controller/CreateSnapshot");
        },
    )
    .needing(Needs::EmptyRequests),
    Fault::new(
        "volumes-promised-not-implemented",
        "promises CREATE_DELETE_VOLUME and answers DeleteVolume with UNIMPLEMENTED",
        PROMISED,
        |plugin| {
            controller(plugin);
            plugin.remove("/csi.v1.Controller/DeleteVolume");
        },
    )
    .needing(Needs::EmptyRequests),
    Fault::new(
        "expansion-promised-not-implemented",
        "promises EXPAND_VOLUME and answers ControllerExpandVolume with UNIMPLEMENTED",
        PROMISED,
        |plugin| {
            controller(plugin);
            plugin.remove("/csi.v1.Controller/ControllerExpandVolume");
        },
    )
    .needing(Needs::EmptyRequests),
    Fault::new(
        "node-expansion-promised-not-implemented",
        "promises EXPAND_VOLUME and answers NodeExpandVolume with UNIMPLEMENTED",
        PROMISED,
        |plugin| {
            plugin.remove("/csi.v1.Node/NodeExpandVolume");
        },
    )
    .needing(Needs::EmptyRequests),
    Fault::new(
        "staging-promised-not-implemented",
        "promises STAGE_UNSTAGE_VOLUME and answers NodeStageVolume with UNIMPLEMENTED",
        PROMISED,
        |plugin| {
            plugin.remove("/csi.v1.Node/NodeStageVolume");
        },
    )
    .needing(Needs::EmptyRequests),
    Fault::new(
        "group-snapshots-promised-not-implemented",
        "promises group snapshots and answers CreateVolumeGroupSnapshot with UNIMPLEMENTED",
        PROMISED,
        |plugin| {
            controller(plugin);
            plugin.declare(Service::GroupController);
            plugin.implement(Service::GroupController);
            plugin.remove("/csi.v1.GroupController/CreateVolumeGroupSnapshot");
        },
    )
    .needing(Needs::EmptyRequests),
    Fault::new(
        "node-capability-empty",
        "lists a node capability that holds nothing",
        "CSI, NodeServiceCapability: it carries no meaning",
        |plugin| {
            plugin.edit(NODE_CAPABILITIES, |answer| {
                answer.capabilities.push(Default::default());
            });
        },
    ),
];

fn controller(plugin: &mut Plugin) {
    plugin.declare(Service::Controller);
    plugin.implement(Service::Controller);
}
