//! Nomad, and the command line client of gocsi.

use csi_identity::ServiceCapability::ControllerService;

use super::Reaction::{DoesNotApply, Exits, GoesOn, RestartsPlugin, Waits};
use super::{Consumer, ask, inferred, rule};
use crate::explain::observation::Call::{
    ControllerGetCapabilities, GetPluginCapabilities, GetPluginInfo, NodeGetCapabilities,
    NodeGetInfo, Probe,
};
use crate::explain::when::When::{
    All, ControllerUnserved, Declares, Fails, NameEmpty, NodeIdEmpty, NodeUnserved, NotReady,
    Otherwise, ReadyUnset, Served,
};

const NOMAD: &str = "main, August 2026";

#[rustfmt::skip] // A table: a rule a line.
pub(super) const NOMAD_SUPERVISOR: Consumer = Consumer {
    name: "Nomad plugin supervisor",
    version: NOMAD,
    asks: &[ask("Probe", "5s each, every 5s until ready, 30s in all; then every 30s"), ask("GetPluginInfo", "1s, once")],
    rules: &[&[
        rule(NotReady, Waits, "asks again every 5s; after 30s (health_timeout) restarts the task"),
        rule(Fails(Probe, 5), Waits, "asks again every 5s; after 30s (health_timeout) restarts the task"),
        rule(Fails(GetPluginInfo, 1), RestartsPlugin, "restarts the task"),
        inferred(NameEmpty, RestartsPlugin, "restarts the task"),
        rule(Otherwise, GoesOn, "registers the plugin with the client; a later bad Probe is only an event"),
    ]],
};

#[rustfmt::skip] // A table: a rule a line.
pub(super) const NOMAD_CSIMANAGER: Consumer = Consumer {
    name: "Nomad csimanager",
    version: NOMAD,
    asks: &[
        ask("GetPluginCapabilities", "30s, once, kept for life"), ask("NodeGetInfo", "the rest of it, once, on nodes"),
        ask("Probe", "30s a pass, every 30s"), ask("ControllerGetCapabilities", "the rest of it, for a controller"),
        ask("NodeGetCapabilities", "the rest of it, for a node"),
    ],
    rules: &[&[
        rule(All(&[NodeUnserved, ControllerUnserved]), DoesNotApply, "there is no type of plugin for a job to say"),
        rule(Fails(GetPluginCapabilities, 30), Waits, "holds the plugin for unhealthy, and asks again after 30s"),
        rule(All(&[Served(NodeGetInfo), Fails(NodeGetInfo, 30)]), Waits, "holds the plugin for unhealthy, and asks again after 30s"),
        rule(NodeIdEmpty, Waits, "holds the plugin for unhealthy, and asks again after 30s"),
        rule(NotReady, Waits, "holds the plugin for unhealthy, and asks again after 30s"),
        rule(Fails(Probe, 30), Waits, "holds the plugin for unhealthy, and asks again after 30s"),
        rule(All(&[Served(ControllerGetCapabilities), Fails(ControllerGetCapabilities, 30)]), Waits, "holds the plugin for unhealthy, and asks again after 30s"),
        rule(All(&[Served(NodeGetInfo), Fails(NodeGetCapabilities, 30)]), Waits, "holds the plugin for unhealthy, and asks again after 30s"),
        inferred(All(&[Declares(ControllerService), ControllerUnserved]), GoesOn, "holds the plugin for healthy; volumes wait for a healthy controller plugin elsewhere"),
        rule(Otherwise, GoesOn, "holds the plugin for healthy"),
    ]],
};

#[rustfmt::skip] // A table: a rule a line.
pub(super) const CSC: Consumer = Consumer {
    name: "csc",
    version: "gocsi 1.15.0+4",
    asks: &[ask("GetPluginInfo", "1m"), ask("GetPluginCapabilities", "1m"), ask("Probe", "1m")],
    rules: &[&[
        rule(Fails(GetPluginInfo, 60), Exits, "`identity plugin-info` exits with the number of the gRPC code"),
        rule(Fails(GetPluginCapabilities, 60), Exits, "`identity plugin-capabilities` exits with the number of the gRPC code"),
        rule(Fails(Probe, 60), Exits, "`identity probe` exits with the number of the gRPC code"),
        rule(ReadyUnset, Exits, "`identity probe` fails on a nil pointer, for its template reads the field"),
        rule(Otherwise, GoesOn, "prints the answers, ready=false among them"),
    ]],
};
