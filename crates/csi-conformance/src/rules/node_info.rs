//! NodeGetInfo, on which registration hangs.

use std::collections::BTreeSet;
use std::time::Duration;

use csi_identity::{NodeId, TopologyKey, TopologyValue};

use super::{API_SERVER, KUBELET, NOMAD, on_node, on_node_with, seconds};
use crate::wire::NodeInfo;
use crate::{Evidence, Method, Observation, Rule, Theme};

const THEME: Theme = Theme::NodeInfo;
const PROTO: &str = "CSI csi.proto, NodeGetInfoResponse";
const TOPOLOGY: &str = "CSI csi.proto, Topology";

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: PROTO,
        why: "The kubelet ends the registration with \"driverNodeID must not be empty\"; Nomad fails too.",
        go: "NodeId: nodeID, from an environment variable set by the manifest (spec.nodeName)",
        rust: "node_id: an csi_identity::NodeId, which cannot be empty",
        implied_by: &["CSI-ID-111"],
        check: |seen| {
            info(seen, |info| {
                info.node_id
                    .is_empty()
                    .then(|| "node_id is empty".to_owned())
            })
        },
        ..Rule::must("CSI-ID-080", THEME, "node_id is not empty")
    },
    Rule {
        clause: "CSI csi.proto 1.5, NodeGetInfoResponse.node_id; the API server, CSINode",
        why: "The API server refuses the CSINode, and the node never gets the driver.",
        go: "a NodeId of at most 256 bytes, better 128",
        rust: "csi_identity::NodeId::MAX_LEN is 256",
        check: |seen| {
            info(seen, |info| {
                let len = info.node_id.len();
                (len > NodeId::MAX_LEN)
                    .then(|| format!("node_id has {len} bytes, the limit is {}", NodeId::MAX_LEN))
            })
        },
        ..Rule::must("CSI-ID-081", THEME, "node_id has at most 256 bytes")
    },
    Rule {
        clause: "CSI csi.proto, NodeGetInfoResponse.node_id",
        why: "128 bytes are recommended, and were the limit before CSI 1.4; 192 were it in 1.4.",
        go: "a shorter NodeId",
        rust: "a shorter node_id; csi_identity::NodeId::advice tells",
        check: |seen| {
            info(seen, |info| {
                let len = info.node_id.len();
                (NodeId::RECOMMENDED_LEN < len && len <= NodeId::MAX_LEN)
                    .then(|| format!("node_id has {len} bytes"))
            })
        },
        ..Rule::advice("CSI-ID-082", THEME, "node_id has at most 128 bytes")
    },
    Rule {
        clause: "CSI csi.proto, NodeGetInfoResponse.max_volumes_per_node",
        why: "The kubelet logs an error and takes the node for one without a limit.",
        go: "MaxVolumesPerNode: 0 leaves it to the orchestrator",
        rust: "max_volumes_per_node: 0 leaves it to the orchestrator; csi_identity::MaxVolumes cannot be negative",
        check: |seen| {
            info(seen, |info| {
                let number = info.max_volumes_per_node;
                (number < 0).then(|| format!("max_volumes_per_node is {number}"))
            })
        },
        ..Rule::must("CSI-ID-083", THEME, "max_volumes_per_node is not negative")
    },
    Rule {
        clause: TOPOLOGY,
        why: "The kubelet makes node labels of the segments, and the API server refuses these: the registration fails.",
        go: "keys as \"example.org/zone\": a lower-case domain of at most 63 bytes, '/', and a name of at most 63; values of 1 to 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends",
        rust: "csi_identity::TopologyKey and TopologyValue check it",
        check: |seen| {
            segments(seen, |all| {
                all.iter().find_map(|(key, value)| {
                    let key_error = key
                        .parse::<TopologyKey>()
                        .err()
                        .map(|error| error.to_string());
                    let value_error = || {
                        value
                            .parse::<TopologyValue>()
                            .err()
                            .map(|error| format!("the value of {key} is bad: {error}"))
                    };
                    key_error.or_else(value_error)
                })
            })
        },
        ..Rule::must(
            "CSI-ID-084",
            THEME,
            "topology keys and values are well formed",
        )
    },
    Rule {
        clause: TOPOLOGY,
        why: "All keys of a plugin share one prefix, by which they are known to be its own.",
        go: "one constant for the prefix of all keys",
        rust: "one prefix for all keys; csi_identity::Topology checks it",
        check: |seen| {
            segments(seen, |all| {
                let prefixes: BTreeSet<_> = all
                    .iter()
                    .map(|(key, _)| key.rsplit_once('/').map_or("", |(prefix, _)| prefix))
                    .collect();
                (prefixes.len() > 1).then(|| format!("the prefixes are {prefixes:?}"))
            })
        },
        ..Rule::must("CSI-ID-085", THEME, "topology keys share one prefix")
    },
    Rule {
        clause: TOPOLOGY,
        why: "Letter case does not count in keys, so these are two values for one.",
        go: "one spelling for each key",
        rust: "one spelling for each key; csi_identity::Topology checks it",
        check: |seen| {
            segments(seen, |all| {
                let mut keys = BTreeSet::new();
                let twice = all
                    .iter()
                    .find(|(key, _)| !keys.insert(key.to_ascii_lowercase()));
                twice.map(|(key, _)| {
                    format!("{key} is there twice, but for the case of its letters")
                })
            })
        },
        ..Rule::must(
            "CSI-ID-086",
            THEME,
            "topology keys differ in more than case",
        )
    },
    Rule {
        clause: "Kubernetes admission plugin NodeRestriction (1.16 to 1.36)",
        why: "A kubelet may not set labels in the domains of Kubernetes, but for a few. Where the admission plugin is on, as it is by default in most clusters, the registration fails.",
        go: "a prefix of your own: \"topology.disk.example.org/zone\"",
        rust: "a prefix of your own; TopologyKey::may_be_set_by_kubelet tells",
        check: |seen| {
            segments(seen, |all| {
                let bad: Vec<_> = all
                    .iter()
                    .filter(|(key, _)| {
                        key.parse::<TopologyKey>()
                            .is_ok_and(|key| !key.may_be_set_by_kubelet())
                    })
                    .map(|(key, _)| key.as_str())
                    .collect();
                (!bad.is_empty()).then(|| format!("a kubelet may not set {}", bad.join(", ")))
            })
        },
        ..Rule::breaks(
            "CSI-ID-087",
            THEME,
            &[KUBELET],
            "topology keys are labels that a kubelet may set",
        )
    },
    Rule {
        clause: "Kubernetes, CSINode drivers are immutable (pkg/apis/storage/validation)",
        why: "When a kubelet starts again, the API server refuses the changed entry, and up to Kubernetes 1.35 the node stays without the driver.",
        go: "read NodeId and topology once, when the program starts",
        rust: "read node_id and topology once, when the program starts",
        check: |seen| {
            on_node(seen, |socket| {
                let repeated = socket.repeated.get(&Method::NODE_GET_INFO)?;
                let all = repeated.ends.iter().map(|one| &one.exchange);
                let all = socket.call(Method::NODE_GET_INFO).into_iter().chain(all);
                let mut infos: Vec<_> = all
                    .filter_map(crate::Exchange::node_info)
                    .map(|mut info| {
                        if let Some(segments) = &mut info.accessible_topology {
                            segments.sort();
                        }
                        (info.node_id, info.accessible_topology)
                    })
                    .collect();
                infos.sort();
                infos.dedup();
                (infos.len() > 1).then(|| {
                    format!(
                        "{} different answers in {} calls",
                        infos.len(),
                        repeated.times + 1
                    )
                })
            })
        },
        ..Rule::breaks(
            "CSI-ID-088",
            THEME,
            &[API_SERVER, KUBELET],
            "node_id and topology are the same each time",
        )
    },
    Rule {
        clause: "kubelet 1.20 to 1.36 (csi_plugin.go, RegisterPlugin)",
        why: "The kubelet asks it when the plugin registers, and registers nothing on an error; up to Kubernetes 1.35 it never tries again on the same socket.",
        go: "answer from what was read when the program started; serve only when it is known",
        rust: "answer from what was read when the program started; serve only when it is known",
        check: |seen| {
            on_node(seen, |socket| {
                let call = socket.call(Method::NODE_GET_INFO)?;
                let status = call.error().filter(|_| !call.is_unimplemented())?;
                Some(format!("NodeGetInfo: {}", status.line()))
            })
        },
        ..Rule::breaks(
            "CSI-ID-089",
            THEME,
            &[KUBELET, NOMAD],
            "NodeGetInfo does not fail",
        )
    },
    Rule {
        clause: "kubelet 1.20 to 1.36 (csi_plugin.go): 2 min, while the registrar waits",
        why: "The kubelet registers the plugin only then, and from 1.33 on asks it again and again. A node that starts has no driver as long as it takes.",
        go: "answer from what was read when the program started",
        rust: "answer from what was read when the program started",
        check: |seen| {
            on_node(seen, |socket| {
                let took = socket.fastest(Method::NODE_GET_INFO)?;
                (socket.node_info().is_some() && took > Duration::from_secs(1))
                    .then(|| format!("NodeGetInfo took {}", seconds(took)))
            })
        },
        ..Rule::advice("CSI-ID-090", THEME, "NodeGetInfo takes less than 1 s")
    },
];

fn info(seen: &Observation, against: impl Fn(&NodeInfo) -> Option<String>) -> Vec<Evidence> {
    on_node_with(seen, |name, socket| {
        let text = against(&socket.node_info()?)?;
        let message = socket.call(Method::NODE_GET_INFO)?.message()?;
        Some(Evidence::new(name, text).with_bytes(Method::NODE_GET_INFO, message))
    })
}

fn segments(
    seen: &Observation,
    against: impl Fn(&[(String, String)]) -> Option<String>,
) -> Vec<Evidence> {
    info(seen, |info| against(info.accessible_topology.as_deref()?))
}
