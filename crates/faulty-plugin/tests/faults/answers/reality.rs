use super::{
    CAPABILITIES, CONTROLLER_CAPABILITIES, GROUP_CONTROLLER_CAPABILITIES, NODE_CAPABILITIES,
    NODE_INFO, Row,
};

/// What the good plugin lists with a Controller service.
const WITH_CONTROLLER: &str =
    "VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE, CONTROLLER_SERVICE";
const WITH_GROUPS: &str = "VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE, CONTROLLER_SERVICE, GROUP_CONTROLLER_SERVICE";

/// How a call that is there is answered to without an argument.
const REFUSED: &str = "InvalidArgument: the request names nothing that this plugin has";

pub(super) const TABLE: &[Row] = &[
    (
        "controller-declared-not-implemented",
        CAPABILITIES,
        &[WITH_CONTROLLER],
    ),
    (
        "controller-declared-not-implemented",
        CONTROLLER_CAPABILITIES,
        &["Unimplemented: there is no call /csi.v1.Controller/ControllerGetCapabilities"],
    ),
    (
        "controller-implemented-not-declared",
        CONTROLLER_CAPABILITIES,
        &["[1, 5, 6, 9]"],
    ),
    (
        "controller-capabilities-internal",
        CAPABILITIES,
        &[WITH_CONTROLLER],
    ),
    (
        "controller-capabilities-internal",
        CONTROLLER_CAPABILITIES,
        &["Internal: no configuration"],
    ),
    (
        "controller-capability-unknown",
        CAPABILITIES,
        &[WITH_CONTROLLER],
    ),
    (
        "controller-capability-unknown",
        CONTROLLER_CAPABILITIES,
        &["[1, 5, 6, 9, 99]"],
    ),
    (
        "group-controller-declared-not-implemented",
        CAPABILITIES,
        &[WITH_GROUPS],
    ),
    (
        "group-controller-declared-not-implemented",
        GROUP_CONTROLLER_CAPABILITIES,
        &["Unimplemented: there is no call /csi.v1.GroupController/GroupControllerGetCapabilities"],
    ),
    (
        "group-controller-implemented-not-declared",
        CAPABILITIES,
        &[WITH_CONTROLLER],
    ),
    (
        "group-controller-implemented-not-declared",
        GROUP_CONTROLLER_CAPABILITIES,
        &["[1]"],
    ),
    (
        "group-controller-capabilities-internal",
        CAPABILITIES,
        &[WITH_GROUPS],
    ),
    (
        "group-controller-capabilities-internal",
        GROUP_CONTROLLER_CAPABILITIES,
        &["Internal: no configuration"],
    ),
    (
        "snapshot-metadata-declared-not-implemented",
        CAPABILITIES,
        &[
            "VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE, CONTROLLER_SERVICE, SNAPSHOT_METADATA_SERVICE",
        ],
    ),
    (
        "snapshot-metadata-declared-not-implemented",
        "SnapshotMetadata/GetMetadataAllocated",
        &["Unimplemented: there is no call /csi.v1.SnapshotMetadata/GetMetadataAllocated"],
    ),
    (
        "snapshot-metadata-implemented-not-declared",
        CAPABILITIES,
        &[WITH_CONTROLLER],
    ),
    (
        "snapshot-metadata-implemented-not-declared",
        "SnapshotMetadata/GetMetadataAllocated",
        &[REFUSED],
    ),
    (
        "topology-without-segments",
        NODE_INFO,
        &["node-1 16 [no topology]"],
    ),
    ("topology-segments-empty", NODE_INFO, &["node-1 16 []"]),
    (
        "topology-not-declared",
        CAPABILITIES,
        &["volume expansion ONLINE"],
    ),
    ("online-without-expand", NODE_CAPABILITIES, &["[1]"]),
    (
        "offline-with-node-only",
        CAPABILITIES,
        &["VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion OFFLINE"],
    ),
    (
        "both-expansions",
        CAPABILITIES,
        &[
            "VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE, CONTROLLER_SERVICE, volume expansion OFFLINE",
        ],
    ),
    (
        "both-expansions",
        CONTROLLER_CAPABILITIES,
        &["[1, 5, 6, 9]"],
    ),
    (
        "expand-not-declared",
        CAPABILITIES,
        &["VOLUME_ACCESSIBILITY_CONSTRAINTS"],
    ),
    (
        "node-capability-unknown",
        NODE_CAPABILITIES,
        &["[1, 3, 99]"],
    ),
    (
        "node-capabilities-unimplemented",
        NODE_CAPABILITIES,
        &["Unimplemented: there is no call /csi.v1.Node/NodeGetCapabilities"],
    ),
    (
        "snapshots-promised-not-implemented",
        CAPABILITIES,
        &[WITH_CONTROLLER],
    ),
    (
        "snapshots-promised-not-implemented",
        CONTROLLER_CAPABILITIES,
        &["[1, 5, 6, 9]"],
    ),
    (
        "snapshots-promised-not-implemented",
        "Controller/CreateSnapshot",
        &["Unimplemented: there is no call /csi.v1.Controller/CreateSnapshot"],
    ),
    (
        "snapshots-promised-not-implemented",
        "Controller/DeleteSnapshot",
        &[REFUSED],
    ),
    (
        "volumes-promised-not-implemented",
        CAPABILITIES,
        &[WITH_CONTROLLER],
    ),
    (
        "volumes-promised-not-implemented",
        CONTROLLER_CAPABILITIES,
        &["[1, 5, 6, 9]"],
    ),
    (
        "volumes-promised-not-implemented",
        "Controller/CreateVolume",
        &[REFUSED],
    ),
    (
        "volumes-promised-not-implemented",
        "Controller/DeleteVolume",
        &["Unimplemented: there is no call /csi.v1.Controller/DeleteVolume"],
    ),
    (
        "expansion-promised-not-implemented",
        CAPABILITIES,
        &[WITH_CONTROLLER],
    ),
    (
        "expansion-promised-not-implemented",
        CONTROLLER_CAPABILITIES,
        &["[1, 5, 6, 9]"],
    ),
    (
        "expansion-promised-not-implemented",
        "Controller/ControllerExpandVolume",
        &["Unimplemented: there is no call /csi.v1.Controller/ControllerExpandVolume"],
    ),
    (
        "node-expansion-promised-not-implemented",
        "Node/NodeExpandVolume",
        &["Unimplemented: there is no call /csi.v1.Node/NodeExpandVolume"],
    ),
    (
        "staging-promised-not-implemented",
        "Node/NodeStageVolume",
        &["Unimplemented: there is no call /csi.v1.Node/NodeStageVolume"],
    ),
    (
        "staging-promised-not-implemented",
        "Node/NodeUnstageVolume",
        &[REFUSED],
    ),
    (
        "group-snapshots-promised-not-implemented",
        CAPABILITIES,
        &[WITH_GROUPS],
    ),
    (
        "group-snapshots-promised-not-implemented",
        GROUP_CONTROLLER_CAPABILITIES,
        &["[1]"],
    ),
    (
        "group-snapshots-promised-not-implemented",
        "GroupController/CreateVolumeGroupSnapshot",
        &["Unimplemented: there is no call /csi.v1.GroupController/CreateVolumeGroupSnapshot"],
    ),
    ("node-capability-empty", NODE_CAPABILITIES, &["[1, 3, -1]"]),
];
