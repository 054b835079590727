//! What is declared, and what is really served.
//!
//! All instances report the same capabilities, whatever they serve. So a service that a socket does not have counts as missing
//! only if somebody said where all of the plugin is.

use csi_identity::ObservedCapability;
use csi_identity::ObservedCapability::{Service, VolumeExpansion};

use super::{
    ATTACHER, KUBELET, NOMAD, PROVISIONER, RESIZER, SIDECARS, SNAPSHOT_METADATA, each, each_with,
};
use crate::{Evidence, Method, Observation, Rule, Socket, Status, Theme};

const THEME: Theme = Theme::Reality;

const CONTROLLER: ObservedCapability = Service(1);
const TOPOLOGY: ObservedCapability = Service(2);
const GROUP: ObservedCapability = Service(3);
const METADATA: ObservedCapability = Service(4);
const ONLINE: ObservedCapability = VolumeExpansion(1);
const OFFLINE: ObservedCapability = VolumeExpansion(2);

/// EXPAND_VOLUME of the Controller service and of the Node service.
const CONTROLLER_EXPAND: i32 = 9;
const NODE_EXPAND: i32 = 3;

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
    Rule {
        clause: "CSI csi.proto, PluginCapability.VolumeExpansion.ONLINE",
        why: "It says that volumes in use can be expanded, and no service can expand any.",
        go: "implement ControllerExpandVolume or NodeExpandVolume and list EXPAND_VOLUME, or leave ONLINE out",
        rust: "list EXPAND_VOLUME (9 for the controller, 3 for the node), or leave ONLINE out",
        in_guides: true,
        check: |seen| {
            expansion(seen, ONLINE, |controller, node| {
                Some(!controller? && !node?)
            })
        },
        ..Rule::must(
            "CSI-ID-048",
            THEME,
            "ONLINE expansion comes with EXPAND_VOLUME of the controller or the node",
        )
    },
    Rule {
        clause: "CSI csi.proto, PluginCapability.VolumeExpansion.OFFLINE",
        why: "A volume that is on no node can only be expanded by the controller, which does not list EXPAND_VOLUME.",
        go: "implement ControllerExpandVolume and list EXPAND_VOLUME, or declare ONLINE in place of OFFLINE",
        rust: "list the controller's EXPAND_VOLUME (9), or declare Online in place of Offline",
        in_guides: true,
        check: |seen| expansion(seen, OFFLINE, |controller, _| Some(!controller?)),
        ..Rule::must(
            "CSI-ID-049",
            THEME,
            "OFFLINE expansion comes with EXPAND_VOLUME of the controller",
        )
    },
    Rule {
        clause: "CSI csi.proto, PluginCapability.VolumeExpansion",
        why: "ONLINE says that a volume may be expanded while it is in use, OFFLINE that it may only be expanded while it is not.",
        go: "list the one that is meant: ONLINE if volumes in use can be expanded",
        rust: "list the one that is meant: VolumeExpansion::Online if volumes in use can be expanded",
        check: |seen| {
            each(seen, |socket| {
                let all = socket.capabilities()?;
                (all.contains(&ONLINE) && all.contains(&OFFLINE))
                    .then(|| "both ONLINE and OFFLINE are listed".to_owned())
            })
        },
        ..Rule::advice("CSI-ID-050", THEME, "not both ONLINE and OFFLINE expansion")
    },
    Rule {
        clause: "CSI csi.proto, PluginCapability.VolumeExpansion",
        why: "No caller of Kubernetes or Nomad reads it; an orchestrator that goes by the specification expands no volume.",
        go: "add PluginCapability_VolumeExpansion_ONLINE or _OFFLINE",
        rust: "add VolumeExpansion::Online or VolumeExpansion::Offline",
        check: |seen| {
            each(seen, |socket| {
                let all = socket.capabilities()?;
                let declares = all.iter().any(|one| matches!(one, VolumeExpansion(_)));
                let can = |method, rpc| socket.rpcs(method).is_some_and(|all| all.contains(&rpc));
                let can = can(Method::CONTROLLER_GET_CAPABILITIES, CONTROLLER_EXPAND)
                    || can(Method::NODE_GET_CAPABILITIES, NODE_EXPAND);
                (can && !declares).then(|| {
                    "EXPAND_VOLUME is listed, and no volume expansion in GetPluginCapabilities"
                        .to_owned()
                })
            })
        },
        ..Rule::advice(
            "CSI-ID-051",
            THEME,
            "EXPAND_VOLUME comes with a volume expansion",
        )
    },
    Rule {
        clause: "external-provisioner, external-attacher, external-resizer, external-snapshotter",
        why: "They ask it when they start, and exit on the error.",
        go: "ControllerGetCapabilities answers from memory",
        rust: "controller_get_capabilities answers from memory",
        check: |seen| {
            each(seen, |socket| {
                let call = socket.call(Method::CONTROLLER_GET_CAPABILITIES)?;
                let status = call.error().filter(|_| !call.is_unimplemented())?;
                Some(format!("ControllerGetCapabilities: {}", status.line()))
            })
        },
        ..Rule::breaks(
            "CSI-ID-052",
            THEME,
            &[SIDECARS],
            "ControllerGetCapabilities does not fail",
        )
    },
    Rule {
        clause: "CSI spec.md: an RPC is implemented if its capability is listed",
        why: "The capability makes orchestrators call the RPC, and each such call fails.",
        go: "implement the RPC, or leave the capability out of the list",
        rust: "implement the RPC, or leave the capability out of the list",
        in_guides: true,
        check: |seen| {
            each(seen, |socket| {
                let missing = socket
                    .promised
                    .iter()
                    .filter(|one| one.exchange.is_unimplemented());
                let all: Vec<_> = missing
                    .map(|one| {
                        format!(
                            "{} is listed, {} is UNIMPLEMENTED",
                            one.capability, one.exchange.method
                        )
                    })
                    .collect();
                (!all.is_empty()).then(|| all.join("; "))
            })
        },
        ..Rule::must(
            "CSI-ID-053",
            THEME,
            "what a capability promises is implemented",
        )
    },
    Rule {
        clause: "CSI spec.md, NodeGetInfo; kubelet 1.20 to 1.36 (csi_plugin.go)",
        why: "The kubelet calls NodeGetInfo when the plugin registers, and does not register a plugin that has a Node service without it.",
        go: "implement NodeGetInfo and return at least NodeId",
        rust: "implement node_get_info and return at least node_id; csi_identity::NodeInfoService does",
        check: |seen| {
            each(seen, |socket| {
                let has_node = socket.rpcs(Method::NODE_GET_CAPABILITIES).is_some();
                (has_node && socket.serves(Method::NODE_GET_INFO) == Some(false)).then(|| {
                    "NodeGetCapabilities is answered, NodeGetInfo is UNIMPLEMENTED".to_owned()
                })
            })
        },
        ..Rule::breaks(
            "CSI-ID-054",
            THEME,
            &[KUBELET, NOMAD],
            "a Node service has NodeGetInfo",
        )
    },
    Rule {
        clause: "kubelet 1.20 to 1.36 (csi_client.go)",
        why: "The kubelet asks it before it mounts a volume, and every mount fails.",
        go: "implement NodeGetCapabilities; an empty list is an answer",
        rust: "implement node_get_capabilities; an empty list is an answer",
        check: |seen| {
            each(seen, |socket| {
                socket.node_info()?;
                let call = socket.call(Method::NODE_GET_CAPABILITIES)?;
                Some(format!("NodeGetCapabilities: {}", call.error()?.line()))
            })
        },
        ..Rule::breaks(
            "CSI-ID-055",
            THEME,
            &[KUBELET],
            "NodeGetCapabilities does not fail",
        )
    },
];

fn declares(seen: &Observation, capability: ObservedCapability) -> bool {
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

/// An expansion that is declared, and speaks against what the controller and the node can.
fn expansion(
    seen: &Observation,
    mode: ObservedCapability,
    is_lie: fn(Option<bool>, Option<bool>) -> Option<bool>,
) -> Vec<Evidence> {
    if !declares(seen, mode) {
        return Vec::new();
    }
    let can = |method: Method, rpc: i32| {
        let mut known = seen
            .sockets()
            .filter_map(|(_, socket)| socket.rpcs(method))
            .peekable();
        if known.peek().is_some() {
            return Some(known.any(|all| all.contains(&rpc)));
        }
        let nowhere = seen
            .sockets()
            .all(|(_, socket)| socket.serves(method) == Some(false));
        (seen.is_whole() && nowhere).then_some(false)
    };
    let controller = can(Method::CONTROLLER_GET_CAPABILITIES, CONTROLLER_EXPAND);
    let node = can(Method::NODE_GET_CAPABILITIES, NODE_EXPAND);
    if is_lie(controller, node) != Some(true) {
        return Vec::new();
    }
    let has = |can: Option<bool>| {
        if can == Some(true) {
            "has"
        } else {
            "does not have"
        }
    };
    vec![Evidence::new(
        "",
        format!(
            "{mode} is declared; the controller {} EXPAND_VOLUME, the node {} it",
            has(controller),
            has(node)
        ),
    )]
}
