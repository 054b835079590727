//! What is declared, and what is really served.
//!
//! All instances report the same capabilities, whatever they serve. So a service that a socket does not have counts as missing
//! only if somebody said where all of the plugin is.

use csi_identity::ObservedCapability;
use csi_identity::ObservedCapability::Service;

use super::{ATTACHER, NOMAD, PROVISIONER, RESIZER, SNAPSHOT_METADATA, each, each_with};
use crate::{Evidence, Method, Observation, Rule, Socket, Status, Theme};

const THEME: Theme = Theme::Reality;

const CONTROLLER: ObservedCapability = Service(1);
const TOPOLOGY: ObservedCapability = Service(2);
const GROUP: ObservedCapability = Service(3);
const METADATA: ObservedCapability = Service(4);

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: "CSI csi.proto, PluginCapability.Service.CONTROLLER_SERVICE",
        why: "external-provisioner, external-attacher and external-resizer ask ControllerGetCapabilities because of it, and exit on the error.",
        go: "csi.RegisterControllerServer(server, s), or leave CONTROLLER_SERVICE out in every instance",
        rust: "serve csi.v1.Controller (.serving(ControllerServer::new(..)) declares it), or leave the capability out in every instance",
        in_guides: true,
        check: |seen| missing(seen, CONTROLLER, Method::CONTROLLER_GET_CAPABILITIES),
        ..Rule::must(
            "CSI-ID-040",
            THEME,
            "CONTROLLER_SERVICE is declared only if the Controller service is there",
        )
    },
    Rule {
        clause: "CSI spec.md, Controller Service RPC; external-provisioner, external-attacher, external-resizer, Nomad",
        why: "Nobody uses the Controller service: provisioning is refused, volumes are marked as attached without a call, external-resizer exits.",
        go: "add PluginCapability_Service_CONTROLLER_SERVICE to the answer of GetPluginCapabilities",
        rust: "csi_identity declares what is served; by hand, add Service { r#type: ControllerService }",
        in_guides: true,
        check: |seen| {
            undeclared(seen, CONTROLLER, |socket| {
                has_rpcs(socket, Method::CONTROLLER_GET_CAPABILITIES)
            })
        },
        ..Rule::breaks(
            "CSI-ID-041",
            THEME,
            &[PROVISIONER, ATTACHER, RESIZER, NOMAD],
            "a Controller service is declared",
        )
    },
    Rule {
        clause: "CSI csi.proto, PluginCapability.Service.GROUP_CONTROLLER_SERVICE",
        why: "Snapshots of groups fail when they are used; external-snapshotter only logs it.",
        go: "csi.RegisterGroupControllerServer(server, s), or leave GROUP_CONTROLLER_SERVICE out",
        rust: "serve csi.v1.GroupController, or leave the capability out",
        in_guides: true,
        check: |seen| missing(seen, GROUP, Method::GROUP_CONTROLLER_GET_CAPABILITIES),
        ..Rule::must(
            "CSI-ID-042",
            THEME,
            "GROUP_CONTROLLER_SERVICE is declared only if the GroupController service is there",
        )
    },
    Rule {
        clause: "CSI spec.md, Group Controller Service RPC",
        why: "It works in Kubernetes, which does not look; csi-sanity leaves its tests out, and another orchestrator may not use it.",
        go: "add PluginCapability_Service_GROUP_CONTROLLER_SERVICE",
        rust: "csi_identity declares what is served; by hand, add Service { r#type: GroupControllerService }",
        check: |seen| {
            undeclared(seen, GROUP, |socket| {
                has_rpcs(socket, Method::GROUP_CONTROLLER_GET_CAPABILITIES)
            })
        },
        ..Rule::advice("CSI-ID-043", THEME, "a GroupController service is declared")
    },
    Rule {
        clause: "CSI csi.proto, PluginCapability.Service.SNAPSHOT_METADATA_SERVICE",
        why: "external-snapshot-metadata starts because of it, and each stream it opens ends with UNIMPLEMENTED.",
        go: "csi.RegisterSnapshotMetadataServer(server, s), or leave SNAPSHOT_METADATA_SERVICE out",
        rust: "serve csi.v1.SnapshotMetadata, or leave the capability out",
        in_guides: true,
        check: |seen| missing(seen, METADATA, Method::GET_METADATA_ALLOCATED),
        ..Rule::must(
            "CSI-ID-044",
            THEME,
            "SNAPSHOT_METADATA_SERVICE is declared only if the SnapshotMetadata service is there",
        )
    },
    Rule {
        clause: "external-snapshot-metadata (pkg/internal/runtime/runtime.go)",
        why: "external-snapshot-metadata refuses to start without the capability.",
        go: "add PluginCapability_Service_SNAPSHOT_METADATA_SERVICE",
        rust: "csi_identity declares what is served; by hand, add Service { r#type: SnapshotMetadataService }",
        check: |seen| {
            undeclared(seen, METADATA, |socket| {
                let call = socket.call(Method::GET_METADATA_ALLOCATED);
                // Only what looks at the request says that it lacks something.
                call.and_then(crate::Exchange::error)
                    .is_some_and(|status| status.code == Status::INVALID_ARGUMENT)
            })
        },
        ..Rule::breaks(
            "CSI-ID-045",
            THEME,
            &[SNAPSHOT_METADATA],
            "a SnapshotMetadata service is declared",
        )
    },
    Rule {
        clause: "CSI csi.proto, NodeGetInfoResponse.accessible_topology",
        why: "The kubelet labels nodes, but volumes get no node affinity: Pods are started where their volume is out of reach.",
        go: "add PluginCapability_Service_VOLUME_ACCESSIBILITY_CONSTRAINTS, or leave AccessibleTopology nil",
        rust: "add VolumeAccessibilityConstraints (csi_identity: Offer with NodeTopology), or leave accessible_topology out",
        implied_by: &["CSI-ID-111"],
        check: |seen| {
            each_with(seen, |name, socket| {
                let topology = socket.node_info()?.accessible_topology?;
                let capabilities = socket.capabilities()?;
                (!topology.is_empty() && !capabilities.contains(&TOPOLOGY)).then(|| {
                Evidence::new(name, format!("NodeGetInfo has {} topology segments, GetPluginCapabilities no VOLUME_ACCESSIBILITY_CONSTRAINTS", topology.len()))
            })
            })
        },
        ..Rule::must(
            "CSI-ID-046",
            THEME,
            "a topology comes with VOLUME_ACCESSIBILITY_CONSTRAINTS",
        )
    },
    Rule {
        clause: "external-provisioner (pkg/controller/topology.go); csi-sanity (node.go)",
        why: "The node's CSINode has no topology keys, and external-provisioner creates no volume: \"no topology key found\".",
        go: "set AccessibleTopology in NodeGetInfo, or leave the capability out",
        rust: "set accessible_topology (csi_identity: NodeInfo), or leave the capability out",
        in_guides: true,
        implied_by: &["CSI-ID-111"],
        check: |seen| {
            each(seen, |socket| {
                let info = socket.node_info()?;
                let none = info
                    .accessible_topology
                    .is_none_or(|segments| segments.is_empty());
                (none && socket.capabilities()?.contains(&TOPOLOGY)).then(|| {
                "GetPluginCapabilities has VOLUME_ACCESSIBILITY_CONSTRAINTS, NodeGetInfo no topology segment".to_owned()
            })
            })
        },
        ..Rule::breaks(
            "CSI-ID-047",
            THEME,
            &[PROVISIONER, NOMAD],
            "VOLUME_ACCESSIBILITY_CONSTRAINTS comes with a topology",
        )
    },
];

pub(super) fn declares(seen: &Observation, capability: ObservedCapability) -> bool {
    seen.sockets().any(|(_, socket)| {
        socket
            .capabilities()
            .is_some_and(|all| all.contains(&capability))
    })
}

/// A service that is declared, and is on none of the sockets.
fn missing(seen: &Observation, capability: ObservedCapability, method: Method) -> Vec<Evidence> {
    let nowhere = seen
        .sockets()
        .all(|(_, socket)| socket.serves(method) == Some(false));
    if seen.is_whole() && nowhere && declares(seen, capability) {
        return vec![Evidence::new(
            "",
            format!("{capability} is declared, {method} is UNIMPLEMENTED"),
        )];
    }
    Vec::new()
}

fn undeclared(
    seen: &Observation,
    capability: ObservedCapability,
    is_served: fn(&Socket) -> bool,
) -> Vec<Evidence> {
    each(seen, |socket| {
        let all = socket.capabilities()?;
        (is_served(socket) && !all.contains(&capability))
            .then(|| format!("the service answers, and {capability} is not declared"))
    })
}

/// Whether a service offers anything. One without any capability is often no more than a stub.
fn has_rpcs(socket: &Socket, method: Method) -> bool {
    socket.rpcs(method).is_some_and(|all| !all.is_empty())
}
