//! The external sidecars of Kubernetes, which stand beside a controller.

use csi_identity::ServiceCapability::{
    ControllerService, SnapshotMetadataService, VolumeAccessibilityConstraints,
};
use csi_identity::proto::csi::v1::controller_service_capability::rpc::Type as Controller;
use csi_identity::proto::csi::v1::node_service_capability::rpc::Type as Node;

use super::Reaction::{DoesNotApply, Exits, GoesOn, Refuses, Waits};
use super::{Consumer, Rule, ask, inferred, rule};
use crate::explain::observation::Call::{
    ControllerGetCapabilities, GetPluginCapabilities, GetPluginInfo, NodeGetCapabilities, Probe,
};
use crate::explain::when::When::{
    All, Any, ControllerCan, ControllerCannot, ControllerUnserved, Declares, DeclaresNoExpansion,
    Error, FailTogether, Fails, Lacks, NameEmpty, NoTopology, NodeCan, NodeCannot, NotReady,
    Otherwise, ProbeTimesOut, Topology,
};

/// When their code was read.
const HEADS: &str = "master, July/August 2026";

/// How csi-lib-utils 0.24 waits for a plugin; the limit is that of one Probe.
const fn probe_forever(limit: u64) -> [Rule; 3] {
    [
        rule(NotReady, Waits, "asks again every second, without limit"),
        rule(
            ProbeTimesOut(limit),
            Waits,
            "asks again every second, without limit",
        ),
        rule(Error(Probe), Exits, "exits with 1"),
    ]
}

/// A plugin whose controller is another process, by its own word.
const ELSEWHERE: Rule = rule(
    All(&[ControllerUnserved, Declares(ControllerService)]),
    DoesNotApply,
    "its place is beside the socket that serves Controller; here it would exit",
);

#[rustfmt::skip] // A table: a rule a line.
pub(super) const PROVISIONER: Consumer = Consumer {
    name: "external-provisioner",
    version: HEADS,
    asks: &[
        ask("Probe", "10s each, every second until ready"), ask("GetPluginInfo", "10s"), ask("GetPluginCapabilities", "10s"),
        ask("ControllerGetCapabilities", "10s"), ask("NodeGetInfo", "10s, as node deployment only"),
    ],
    rules: &[
        &[
            ELSEWHERE,
            rule(ControllerUnserved, DoesNotApply, "deployed all the same, it exits, for it always asks ControllerGetCapabilities"),
            rule(All(&[Declares(ControllerService), ControllerCannot(Controller::CreateDeleteVolume)]), DoesNotApply, "nothing to provision; deployed all the same, every claim fails with an event"),
        ],
        &probe_forever(10),
        &[
            rule(Fails(GetPluginInfo, 10), Exits, "exits"),
            rule(NameEmpty, Exits, "exits"),
            rule(Fails(GetPluginCapabilities, 10), Exits, "exits"),
            rule(Fails(ControllerGetCapabilities, 10), Exits, "exits"),
            rule(Lacks(ControllerService), Refuses, "every claim fails with an event, though a controller is here"),
            rule(All(&[Declares(VolumeAccessibilityConstraints), NoTopology]), Refuses, "claims fail with \"no topology key found\" (delayed binding), \"no available topology found\" (immediate)"),
            rule(All(&[Lacks(VolumeAccessibilityConstraints), Topology]), GoesOn, "provisions volumes without regard to topology (no requirement to CreateVolume, no node affinity of the volume), so pods may land where it is not"),
            rule(Otherwise, GoesOn, "provisions volumes"),
        ],
    ],
};

#[rustfmt::skip] // A table: a rule a line.
pub(super) const ATTACHER: Consumer = Consumer {
    name: "external-attacher",
    version: HEADS,
    asks: &[
        ask("Probe", "15s each, every second until ready"), ask("GetPluginInfo", "1s"),
        ask("GetPluginCapabilities", "1s, shared with the next"), ask("ControllerGetCapabilities", "the rest of it, if CONTROLLER_SERVICE"),
    ],
    rules: &[
        &[
            ELSEWHERE,
            rule(All(&[ControllerUnserved, Lacks(ControllerService)]), DoesNotApply, "deployed all the same, it marks volumes attached without publishing them"),
            rule(ControllerUnserved, DoesNotApply, "deployed all the same, it exits with 1"),
        ],
        &probe_forever(15),
        &[
            rule(Fails(GetPluginInfo, 1), Exits, "exits with 1"),
            rule(NameEmpty, Exits, "exits with 1"),
            rule(Fails(GetPluginCapabilities, 1), Exits, "exits with 1"),
            inferred(All(&[Lacks(ControllerService), ControllerCan(Controller::PublishUnpublishVolume)]), Refuses, "marks volumes attached without publishing them, and the mount on the node fails"),
            rule(Lacks(ControllerService), GoesOn, "marks volumes attached without publishing them"),
            rule(FailTogether(&[GetPluginCapabilities, ControllerGetCapabilities], 1), Exits, "exits with 1"),
            rule(ControllerCannot(Controller::PublishUnpublishVolume), GoesOn, "marks volumes attached without publishing them"),
            rule(Otherwise, GoesOn, "attaches volumes with ControllerPublishVolume"),
        ],
    ],
};

#[rustfmt::skip] // A table: a rule a line.
pub(super) const RESIZER: Consumer = Consumer {
    name: "external-resizer",
    version: HEADS,
    asks: &[
        ask("Probe", "10s each, every second until ready"), ask("GetPluginInfo", "10s"), ask("GetPluginCapabilities", "10s"),
        ask("ControllerGetCapabilities", "10s"), ask("NodeGetCapabilities", "10s, without controller EXPAND_VOLUME"),
    ],
    rules: &[
        &[
            ELSEWHERE,
            rule(ControllerUnserved, DoesNotApply, "deployed all the same, it exits with 1"),
            rule(
                All(&[
                    DeclaresNoExpansion, ControllerCannot(Controller::ExpandVolume), ControllerCannot(Controller::ModifyVolume),
                    NodeCannot(Node::ExpandVolume),
                ]),
                DoesNotApply, "nothing to resize or modify; deployed all the same, it exits",
            ),
        ],
        &probe_forever(10),
        &[
            rule(Fails(GetPluginInfo, 10), Exits, "exits with 1"),
            rule(NameEmpty, Exits, "exits with 1"),
            rule(Fails(GetPluginCapabilities, 10), Exits, "exits with 1"),
            rule(Lacks(ControllerService), Exits, "exits with 1"),
            rule(Fails(ControllerGetCapabilities, 10), Exits, "exits with 1"),
            rule(ControllerCan(Controller::ExpandVolume), GoesOn, "expands volumes with ControllerExpandVolume"),
            inferred(Fails(NodeGetCapabilities, 10), Exits, "exits"),
            rule(NodeCan(Node::ExpandVolume), GoesOn, "leaves the work to the node, and only marks volumes as to be expanded there"),
            rule(ControllerCannot(Controller::ModifyVolume), Exits, "exits, for nothing here expands or modifies volumes"),
            rule(Otherwise, GoesOn, "modifies volumes with ControllerModifyVolume"),
        ],
    ],
};

#[rustfmt::skip] // A table: a rule a line.
pub(super) const SNAPSHOTTER: Consumer = Consumer {
    name: "external-snapshotter",
    version: HEADS,
    asks: &[
        ask("GetPluginInfo", "1m"), ask("Probe", "1m each, every second until ready"), ask("ControllerGetCapabilities", "1m"),
        ask("GroupControllerGetCapabilities", "1m, with group snapshots only; an error is only logged"),
    ],
    rules: &[
        &[
            ELSEWHERE,
            rule(ControllerUnserved, DoesNotApply, "deployed all the same, it exits with 1"),
            rule(ControllerCannot(Controller::CreateDeleteSnapshot), DoesNotApply, "no snapshots to take; deployed all the same, it exits with 1"),
            rule(Fails(GetPluginInfo, 60), Exits, "exits with 1, before it asks whether the plugin is ready"),
            rule(NameEmpty, Exits, "exits with 1"),
        ],
        &probe_forever(60),
        &[
            rule(Fails(ControllerGetCapabilities, 60), Exits, "exits with 1"),
            rule(Otherwise, GoesOn, "takes snapshots; never reads GetPluginCapabilities"),
        ],
    ],
};

#[rustfmt::skip] // A table: a rule a line.
pub(super) const HEALTH_MONITOR: Consumer = Consumer {
    name: "external-health-monitor",
    version: HEADS,
    asks: &[
        ask("Probe", "15s each, every second until ready"), ask("GetPluginInfo", "1s, shared with the next"),
        ask("GetPluginCapabilities", "the rest of it"), ask("ControllerGetCapabilities", "the rest of it, three times"),
    ],
    rules: &[
        &[
            ELSEWHERE,
            rule(ControllerUnserved, DoesNotApply, "deployed all the same, it exits with 1"),
            rule(
                Any(&[
                    ControllerCannot(Controller::VolumeCondition),
                    All(&[ControllerCannot(Controller::ListVolumes), ControllerCannot(Controller::GetVolume)]),
                ]),
                DoesNotApply, "no health of volumes to ask for; deployed all the same, it exits with 1",
            ),
        ],
        &probe_forever(15),
        &[
            rule(
                FailTogether(
                    &[GetPluginInfo, GetPluginCapabilities, ControllerGetCapabilities, ControllerGetCapabilities, ControllerGetCapabilities], 1,
                ),
                Exits, "exits with 1",
            ),
            rule(NameEmpty, Exits, "exits with 1"),
            rule(Lacks(ControllerService), Exits, "exits with 1"),
            rule(Otherwise, GoesOn, "watches the health of volumes"),
        ],
    ],
};

#[rustfmt::skip] // A table: a rule a line.
pub(super) const SNAPSHOT_METADATA: Consumer = Consumer {
    name: "external-snapshot-metadata",
    version: HEADS,
    asks: &[ask("GetPluginInfo", "1m"), ask("Probe", "1m each, every second until ready"), ask("GetPluginCapabilities", "1m")],
    rules: &[
        &[
            rule(Lacks(SnapshotMetadataService), DoesNotApply, "deployed all the same, it does not start"),
            rule(Fails(GetPluginInfo, 60), Exits, "exits, before it asks whether the plugin is ready"),
            rule(NameEmpty, Exits, "exits"),
        ],
        &probe_forever(60),
        &[
            rule(Fails(GetPluginCapabilities, 60), Exits, "exits"),
            rule(Otherwise, GoesOn, "passes the streams of SnapshotMetadata on, whether or not this socket serves them"),
        ],
    ],
};
