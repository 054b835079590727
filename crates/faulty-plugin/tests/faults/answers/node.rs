use super::{NODE_INFO, Row};

pub(super) const TABLE: &[Row] = &[
    (
        "node-id-empty",
        NODE_INFO,
        &[" 16 [faultless.dev/rack=rack-1]"],
    ),
    (
        "node-id-too-long",
        NODE_INFO,
        &["nnnnnnnn..(257) 16 [faultless.dev/rack=rack-1]"],
    ),
    (
        "node-id-long",
        NODE_INFO,
        &["nnnnnnnn..(200) 16 [faultless.dev/rack=rack-1]"],
    ),
    (
        "node-id-changes-per-call",
        NODE_INFO,
        &[
            "node-1 16 [faultless.dev/rack=rack-1]",
            "node-2 16 [faultless.dev/rack=rack-1]",
        ],
    ),
    (
        "max-volumes-negative",
        NODE_INFO,
        &["node-1 -1 [faultless.dev/rack=rack-1]"],
    ),
    (
        "node-info-unimplemented",
        NODE_INFO,
        &["Unimplemented: there is no call /csi.v1.Node/NodeGetInfo"],
    ),
    (
        "node-info-internal",
        NODE_INFO,
        &["Internal: the metadata server is away"],
    ),
    (
        "node-info-details",
        NODE_INFO,
        &["Internal: the metadata server is away: CA0aAwoBeA"],
    ),
    (
        "topology-two-prefixes",
        NODE_INFO,
        &["node-1 16 [faultier.dev/room=r faultless.dev/rack=r]"],
    ),
    (
        "topology-upper-case-prefix",
        NODE_INFO,
        &["node-1 16 [Faultless.dev/rack=r]"],
    ),
    (
        "topology-kubernetes-prefix",
        NODE_INFO,
        &["node-1 16 [faultless.kubernetes.io/rack=r]"],
    ),
    (
        "topology-keys-equal-but-case",
        NODE_INFO,
        &["node-1 16 [faultless.dev/RACK=r faultless.dev/rack=r]"],
    ),
    (
        "topology-key-space",
        NODE_INFO,
        &["node-1 16 [faultless.dev/my rack=r]"],
    ),
    (
        "topology-name-too-long",
        NODE_INFO,
        &["node-1 16 [faultles..(78)=r]"],
    ),
    (
        "topology-prefix-too-long",
        NODE_INFO,
        &["node-1 16 [pppppppp..(69)=r]"],
    ),
    (
        "topology-value-bad-end",
        NODE_INFO,
        &["node-1 16 [faultless.dev/rack=rack-]"],
    ),
    (
        "topology-value-too-long",
        NODE_INFO,
        &["node-1 16 [faultless.dev/rack=vvvvvvvv..(64)]"],
    ),
    (
        "topology-changes-per-call",
        NODE_INFO,
        &[
            "node-1 16 [faultless.dev/rack=rack-1]",
            "node-1 16 [faultless.dev/rack=rack-2]",
        ],
    ),
];
