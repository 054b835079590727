//! NodeGetInfo: the node's id, its limit and its topology.

use std::time::Duration;

use csi_proto::csi::v1::Topology;
use tonic::Code;

use crate::fault::Fault;
use crate::plugin::Plugin;
use crate::reply::Reply;
use crate::rpc::NODE_INFO;

const NODE_ID: &str = "CSI, NodeGetInfoResponse.node_id";
const KEYS: &str = "CSI, Topology: keys";
const VALUES: &str = "CSI, Topology: values; Kubernetes makes node labels of them";
const REGISTRATION: &str = "the kubelet does not register the plugin";

pub(super) const FAULTS: &[Fault] = &[
    Fault::new("node-id-empty", "has an empty node_id", NODE_ID, |plugin| {
        node_id(plugin, 0);
    }),
    Fault::new(
        "node-id-too-long",
        "has a node_id of 257 bytes, one more than allowed",
        NODE_ID,
        |plugin| {
            node_id(plugin, 257);
        },
    ),
    Fault::new(
        "node-id-long",
        "has a node_id of 200 bytes, which the specification allows and advises against",
        NODE_ID,
        |plugin| {
            node_id(plugin, 200);
        },
    ),
    Fault::new(
        "node-id-changes-per-call",
        "has another node_id at every second call",
        "CSI, NodeGetInfoResponse.node_id: it names the node, and CSINode's entry is immutable",
        |plugin| {
            plugin.alternate(NODE_INFO, |info| info.node_id = "node-2".to_owned());
        },
    ),
    Fault::new(
        "max-volumes-negative",
        "has a negative max_volumes_per_node",
        "CSI, NodeGetInfoResponse.max_volumes_per_node",
        |plugin| {
            plugin.edit(NODE_INFO, |info| info.max_volumes_per_node = -1);
        },
    ),
    Fault::new(
        "node-info-unimplemented",
        "answers NodeGetInfo with UNIMPLEMENTED and has the other calls of the Node service",
        REGISTRATION,
        |plugin| {
            plugin.remove(NODE_INFO.path());
        },
    ),
    Fault::new(
        "node-info-internal",
        "answers NodeGetInfo with INTERNAL",
        REGISTRATION,
        |plugin| {
            plugin.set(
                NODE_INFO.path(),
                Reply::status(Code::Internal, "the metadata server is away"),
            );
        },
    ),
    Fault::new(
        "node-info-details",
        "answers NodeGetInfo with INTERNAL and details",
        "CSI, Error Scheme: the details of a status are empty",
        |plugin| {
            let mut reply = Reply::status(Code::Internal, "the metadata server is away");
            // A google.rpc.Status with the code and one google.protobuf.Any of the type "x".
            reply
                .trailers
                .push(("grpc-status-details-bin", b"CA0aAwoBeA".to_vec()));
            plugin.set(NODE_INFO.path(), reply);
        },
    ),
    Fault::new(
        "node-info-slow",
        "takes 2.5 s for NodeGetInfo",
        "no clause: registration takes as long",
        |plugin| {
            plugin.shape(NODE_INFO.path(), |reply| {
                reply.delay = Duration::from_millis(2500);
            });
        },
    ),
    Fault::new(
        "topology-two-prefixes",
        "has topology keys with two prefixes",
        KEYS,
        |plugin| {
            topology(
                plugin,
                &[("faultless.dev/rack", "r"), ("faultier.dev/room", "r")],
            );
        },
    ),
    Fault::new(
        "topology-upper-case-prefix",
        "has a topology key whose prefix has upper-case letters",
        KEYS,
        |plugin| {
            topology(plugin, &[("Faultless.dev/rack", "r")]);
        },
    ),
    Fault::new(
        "topology-kubernetes-prefix",
        "has a topology key under kubernetes.io",
        "Kubernetes: NodeRestriction forbids the kubelet to set such a label",
        |plugin| {
            topology(plugin, &[("faultless.kubernetes.io/rack", "r")]);
        },
    ),
    Fault::new(
        "topology-keys-equal-but-case",
        "has two topology keys that differ in case only",
        KEYS,
        |plugin| {
            topology(
                plugin,
                &[("faultless.dev/rack", "r"), ("faultless.dev/RACK", "r")],
            );
        },
    ),
    Fault::new(
        "topology-key-space",
        "has a topology key with a space",
        KEYS,
        |plugin| {
            topology(plugin, &[("faultless.dev/my rack", "r")]);
        },
    ),
    Fault::new(
        "topology-name-too-long",
        "has a topology key with a name of 64 characters, one more than allowed",
        KEYS,
        |plugin| {
            topology(
                plugin,
                &[(&format!("faultless.dev/{}", "k".repeat(64)), "r")],
            );
        },
    ),
    Fault::new(
        "topology-prefix-too-long",
        "has a topology key with a prefix of 64 characters, one more than allowed",
        KEYS,
        |plugin| {
            topology(plugin, &[(&format!("{}.dev/rack", "p".repeat(60)), "r")]);
        },
    ),
    Fault::new(
        "topology-value-bad-end",
        "has a topology value that ends with a dash",
        VALUES,
        |plugin| {
            topology(plugin, &[("faultless.dev/rack", "rack-")]);
        },
    ),
    Fault::new(
        "topology-value-too-long",
        "has a topology value of 64 characters, one more than allowed",
        VALUES,
        |plugin| {
            topology(plugin, &[("faultless.dev/rack", &"v".repeat(64))]);
        },
    ),
    Fault::new(
        "topology-changes-per-call",
        "has another topology at every second call",
        "CSI, NodeGetInfoResponse.accessible_topology: it is where the node is",
        |plugin| {
            plugin.alternate(NODE_INFO, |info| {
                info.accessible_topology = Some(segments(&[("faultless.dev/rack", "rack-2")]));
            });
        },
    ),
];

fn node_id(plugin: &mut Plugin, len: usize) {
    plugin.edit(NODE_INFO, |info| info.node_id = "n".repeat(len));
}

fn topology(plugin: &mut Plugin, pairs: &[(&str, &str)]) {
    plugin.edit(NODE_INFO, |info| {
        info.accessible_topology = Some(segments(pairs));
    });
}

fn segments(pairs: &[(&str, &str)]) -> Topology {
    let owned = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
    Topology {
        segments: pairs.iter().map(owned).collect(),
    }
}
