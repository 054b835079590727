//! Nomad and csc.

use super::{assert_cases, named, ok, silent, slowly, unavailable, unimplemented};

#[test]
fn the_supervisor_waits_for_health_and_then_asks_for_the_name() {
    assert_cases(
        "Nomad plugin supervisor",
        &[
            (
                |_| {},
                "goes on",
                "registers the plugin with the client; a later bad Probe is only an event",
            ),
            (
                |seen| seen.probe = ok(None),
                "goes on",
                "registers the plugin with the client; a later bad Probe is only an event",
            ),
            (
                |seen| seen.probe = ok(Some(false)),
                "waits",
                "Probe answers ready=false: asks again every 5s; after 30s (health_timeout) restarts the task",
            ),
            (
                |seen| seen.probe = unavailable(),
                "waits",
                "Probe answers UNAVAILABLE: asks again every 5s; after 30s (health_timeout) restarts the task",
            ),
            (
                |seen| slowly(&mut seen.probe, 5000),
                "waits",
                "Probe takes longer than 5s: asks again every 5s; after 30s (health_timeout) restarts the task",
            ),
            (
                |seen| slowly(&mut seen.info, 1000),
                "restarts plugin",
                "GetPluginInfo takes longer than 1s: restarts the task",
            ),
            (
                |seen| seen.info = unimplemented(),
                "restarts plugin",
                "GetPluginInfo answers UNIMPLEMENTED: restarts the task",
            ),
            (
                |seen| seen.info = named(""),
                "restarts plugin",
                "the name is empty: restarts the task (inferred)",
            ),
        ],
    );
}

#[test]
fn the_csimanager_holds_a_plugin_for_unhealthy_and_asks_again() {
    assert_cases(
        "Nomad csimanager",
        &[
            (|_| {}, "goes on", "holds the plugin for healthy"),
            (
                |seen| {
                    seen.controller = unimplemented();
                    seen.node_info = unimplemented();
                },
                "does not apply",
                "no csi.v1.Node on this socket, no csi.v1.Controller on this socket: there is no type of plugin for a job to say",
            ),
            (
                |seen| seen.controller = unimplemented(),
                "goes on",
                "CONTROLLER_SERVICE declared, no csi.v1.Controller on this socket: holds the plugin for healthy; volumes wait for a healthy controller plugin elsewhere (inferred)",
            ),
            (
                |seen| seen.node_info = unimplemented(),
                "goes on",
                "holds the plugin for healthy",
            ),
            (
                |seen| seen.capabilities = unavailable(),
                "waits",
                "GetPluginCapabilities answers UNAVAILABLE: holds the plugin for unhealthy, and asks again after 30s",
            ),
            (
                |seen| seen.node_info = unavailable(),
                "waits",
                "NodeGetInfo is served, NodeGetInfo answers UNAVAILABLE: holds the plugin for unhealthy, and asks again after 30s",
            ),
            (
                |seen| seen.node_info = ok(Default::default()),
                "waits",
                "node_id is empty: holds the plugin for unhealthy, and asks again after 30s",
            ),
            (
                |seen| seen.probe = ok(Some(false)),
                "waits",
                "Probe answers ready=false: holds the plugin for unhealthy, and asks again after 30s",
            ),
            (
                |seen| seen.probe = silent(30),
                "waits",
                "Probe takes longer than 30s: holds the plugin for unhealthy, and asks again after 30s",
            ),
            (
                |seen| seen.controller = unavailable(),
                "waits",
                "ControllerGetCapabilities is served, ControllerGetCapabilities answers UNAVAILABLE: holds the plugin for unhealthy, and asks again after 30s",
            ),
            (
                |seen| seen.node = unavailable(),
                "waits",
                "NodeGetInfo is served, NodeGetCapabilities answers UNAVAILABLE: holds the plugin for unhealthy, and asks again after 30s",
            ),
        ],
    );
}

#[test]
fn csc_exits_with_the_code_and_cannot_read_an_unset_ready() {
    assert_cases(
        "csc",
        &[
            (
                |_| {},
                "goes on",
                "prints the answers, ready=false among them",
            ),
            (
                |seen| seen.probe = ok(Some(false)),
                "goes on",
                "prints the answers, ready=false among them",
            ),
            (
                |seen| seen.info = unavailable(),
                "exits",
                "GetPluginInfo answers UNAVAILABLE: `identity plugin-info` exits with the number of the gRPC code",
            ),
            (
                |seen| seen.capabilities = unavailable(),
                "exits",
                "GetPluginCapabilities answers UNAVAILABLE: `identity plugin-capabilities` exits with the number of the gRPC code",
            ),
            (
                |seen| seen.probe = unavailable(),
                "exits",
                "Probe answers UNAVAILABLE: `identity probe` exits with the number of the gRPC code",
            ),
            (
                |seen| seen.probe = silent(60),
                "exits",
                "Probe takes longer than 60s: `identity probe` exits with the number of the gRPC code",
            ),
            (
                |seen| seen.probe = ok(None),
                "exits",
                "Probe leaves ready unset: `identity probe` fails on a nil pointer, for its template reads the field",
            ),
        ],
    );
}
