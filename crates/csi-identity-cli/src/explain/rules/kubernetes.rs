//! What stands beside a plugin on a Kubernetes node.

use super::Reaction::{DoesNotApply, Exits, GoesOn, Refuses, Waits};
use super::{Consumer, ask, inferred, rule};
use crate::explain::observation::Call::{GetPluginInfo, NodeGetInfo, Probe};
use crate::explain::when::When;
use crate::explain::when::When::{
    Any, Error, Fails, NameEmpty, NameRefused, NegativeMaxVolumes, NodeIdEmpty, NodeIdTooLong,
    NodeUnserved, NotReady, Otherwise, Silent, TopologyRefused,
};

/// What makes a kubelet, or the API server for it, refuse a plugin.
const REFUSED: &[When] = &[
    Fails(NodeGetInfo, 120),
    NodeIdEmpty,
    NodeIdTooLong,
    NameRefused,
    TopologyRefused,
];

#[rustfmt::skip] // A table: a rule a line.
pub(super) const REGISTRAR: Consumer = Consumer {
    name: "node-driver-registrar",
    version: "2.17.0+40",
    asks: &[ask("GetPluginInfo", "1s")],
    rules: &[&[
        rule(NodeUnserved, DoesNotApply, "a kubelet refuses a plugin without NodeGetInfo; deployed all the same, it exits with 1 when told so"),
        rule(Fails(GetPluginInfo, 1), Exits, "exits with 1, without another try"),
        rule(NameEmpty, Exits, "exits with 1"),
        rule(Any(REFUSED), Exits, "the kubelet refuses the plugin and says so; exits with 1"),
        rule(Otherwise, GoesOn, "serves the registration socket; never asks Probe"),
    ]],
};

#[rustfmt::skip] // A table: a rule a line.
pub(super) const KUBELET: Consumer = Consumer {
    name: "kubelet",
    version: "1.36.2",
    asks: &[ask("NodeGetInfo", "2m"), ask("NodeGetCapabilities", "2m, before operations on volumes")],
    rules: &[&[
        rule(NodeUnserved, DoesNotApply, "it registers and calls only plugins that serve Node"),
        rule(Any(REFUSED), Refuses, "does not register the plugin; up to 1.35 it never asks again, since 1.36 it does with growing pauses"),
        rule(NegativeMaxVolumes, GoesOn, "logs an error and registers the plugin without a limit on volumes"),
        rule(Otherwise, GoesOn, "registers the plugin; never calls Identity"),
    ]],
};

#[rustfmt::skip] // A table: a rule a line.
pub(super) const LIVENESSPROBE: Consumer = Consumer {
    name: "livenessprobe",
    version: "2.19.0+31",
    asks: &[ask("GetPluginInfo", "no limit, at the start"), ask("Probe", "3s, before 2.17 1s, for each GET /healthz")],
    rules: &[&[
        rule(Silent(GetPluginInfo), Waits, "waits for it without limit, and serves no /healthz meanwhile"),
        rule(Error(GetPluginInfo), Exits, "exits with 1"),
        inferred(NameEmpty, Exits, "exits with 1"),
        rule(Fails(Probe, 3), Refuses, "/healthz answers 500 and the error"),
        rule(NotReady, Refuses, "/healthz answers 500, \"driver responded but is not ready\""),
        rule(Otherwise, GoesOn, "/healthz answers 200"),
    ]],
};
