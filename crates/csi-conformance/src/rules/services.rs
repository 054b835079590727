//! What the other services answer, once they are there.

use super::{KUBELET, NOMAD, SIDECARS, each, on_node};
use crate::{Method, Rule, Theme};

const THEME: Theme = Theme::Reality;

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: "external-provisioner, external-attacher, external-resizer, external-snapshotter",
        why: "They ask it when they start, and exit on the error.",
        go: "ControllerGetCapabilities answers from memory",
        rust: "controller_get_capabilities answers from memory",
        check: |seen| {
            each(seen, |socket| {
                // Where the controller is known to be elsewhere, nobody asks here.
                let asked = seen.controller_socket().unwrap_or(socket);
                let call = socket.call(Method::CONTROLLER_GET_CAPABILITIES)?;
                let status = call.error().filter(|_| !call.is_unimplemented())?;
                (asked.path == socket.path)
                    .then(|| format!("ControllerGetCapabilities: {}", status.line()))
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
            on_node(seen, |socket| {
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
            on_node(seen, |socket| {
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
    Rule {
        clause: "external-snapshotter (cmd/csi-snapshotter/main.go)",
        why: "external-snapshotter logs the error and goes on without the service; snapshots of groups fail when they are used.",
        go: "GroupControllerGetCapabilities answers from memory",
        rust: "group_controller_get_capabilities answers from memory",
        check: |seen| {
            each(seen, |socket| {
                let call = socket.call(Method::GROUP_CONTROLLER_GET_CAPABILITIES)?;
                let status = call.error().filter(|_| !call.is_unimplemented())?;
                Some(format!("GroupControllerGetCapabilities: {}", status.line()))
            })
        },
        ..Rule::advice(
            "CSI-ID-056",
            THEME,
            "GroupControllerGetCapabilities does not fail",
        )
    },
];
