//! What stands beside a plugin on a Kubernetes node.

use csi_identity::proto::csi::v1::{NodeGetInfoResponse, Topology};

use super::{Answer, assert_cases, named, ok, segment, silent, slowly, unavailable, unimplemented};

fn node(id: &str, max: i64, topology: Option<Topology>) -> Answer<NodeGetInfoResponse> {
    ok(NodeGetInfoResponse {
        node_id: id.to_owned(),
        max_volumes_per_node: max,
        accessible_topology: topology,
    })
}

#[test]
fn the_registrar_needs_a_name_within_a_second_and_a_kubelet_that_agrees() {
    assert_cases(
        "node-driver-registrar",
        &[
            (
                |_| {},
                "goes on",
                "serves the registration socket; never asks Probe",
            ),
            (
                |seen| seen.probe = unavailable(),
                "goes on",
                "serves the registration socket; never asks Probe",
            ),
            (
                |seen| slowly(&mut seen.info, 999),
                "goes on",
                "serves the registration socket; never asks Probe",
            ),
            (
                |seen| slowly(&mut seen.info, 1000),
                "exits",
                "GetPluginInfo takes longer than 1s: exits with 1, without another try",
            ),
            (
                |seen| seen.info = unavailable(),
                "exits",
                "GetPluginInfo answers UNAVAILABLE: exits with 1, without another try",
            ),
            (
                |seen| seen.info = named(""),
                "exits",
                "the name is empty: exits with 1",
            ),
            (
                |seen| seen.node_info = unimplemented(),
                "does not apply",
                "no csi.v1.Node on this socket: a kubelet refuses a plugin without NodeGetInfo; deployed all the same, it exits with 1 when told so",
            ),
            (
                |seen| seen.node_info = unavailable(),
                "exits",
                "NodeGetInfo answers UNAVAILABLE: the kubelet refuses the plugin and says so; exits with 1",
            ),
            (
                |seen| seen.node_info = silent(120),
                "exits",
                "NodeGetInfo takes longer than 120s: the kubelet refuses the plugin and says so; exits with 1",
            ),
            (
                |seen| seen.node_info = node("", 0, None),
                "exits",
                "node_id is empty: the kubelet refuses the plugin and says so; exits with 1",
            ),
            (
                |seen| seen.node_info = node(&"n".repeat(257), 0, None),
                "exits",
                "node_id is longer than 256 bytes: the kubelet refuses the plugin and says so; exits with 1",
            ),
            (
                |seen| seen.info = named("a_b"),
                "exits",
                "the name is none that a CSINode takes: the kubelet refuses the plugin and says so; exits with 1",
            ),
            (
                |seen| seen.node_info = node("n", 0, segment("disk.acme.io/zone", "a/b")),
                "exits",
                "a topology segment is no legal label: the kubelet refuses the plugin and says so; exits with 1",
            ),
            (
                |seen| seen.node_info = node("n", 0, segment("a/b/c", "a")),
                "exits",
                "a topology segment is no legal label: the kubelet refuses the plugin and says so; exits with 1",
            ),
        ],
    );
}

#[test]
fn a_kubelet_wants_node_info_that_the_api_server_takes() {
    assert_cases(
        "kubelet",
        &[
            (
                |_| {},
                "goes on",
                "registers the plugin; never calls Identity",
            ),
            (
                |seen| seen.probe = unavailable(),
                "goes on",
                "registers the plugin; never calls Identity",
            ),
            (
                |seen| seen.node_info = node(&"n".repeat(256), 0, segment("zone", "")),
                "goes on",
                "registers the plugin; never calls Identity",
            ),
            (
                |seen| {
                    seen.node_info = node(
                        "n",
                        0,
                        segment(&format!("{}.acme.io/zone", "a".repeat(63)), "a"),
                    );
                },
                "goes on",
                "registers the plugin; never calls Identity",
            ),
            (
                |seen| seen.node_info = node("n", -1, None),
                "goes on",
                "max_volumes_per_node is negative: logs an error and registers the plugin without a limit on volumes",
            ),
            (
                |seen| seen.node_info = unimplemented(),
                "does not apply",
                "no csi.v1.Node on this socket: it registers and calls only plugins that serve Node",
            ),
            (
                |seen| seen.node_info = unavailable(),
                "refuses",
                "NodeGetInfo answers UNAVAILABLE: does not register the plugin; up to 1.35 it never asks again, since 1.36 it does with growing pauses",
            ),
            (
                |seen| seen.node_info = silent(120),
                "refuses",
                "NodeGetInfo takes longer than 120s: does not register the plugin; up to 1.35 it never asks again, since 1.36 it does with growing pauses",
            ),
            (
                |seen| seen.node_info = node("", 0, None),
                "refuses",
                "node_id is empty: does not register the plugin; up to 1.35 it never asks again, since 1.36 it does with growing pauses",
            ),
            (
                |seen| seen.node_info = node(&"n".repeat(257), 0, None),
                "refuses",
                "node_id is longer than 256 bytes: does not register the plugin; up to 1.35 it never asks again, since 1.36 it does with growing pauses",
            ),
            (
                |seen| seen.info = named("a_b"),
                "refuses",
                "the name is none that a CSINode takes: does not register the plugin; up to 1.35 it never asks again, since 1.36 it does with growing pauses",
            ),
            (
                |seen| seen.node_info = node("n", 0, segment("disk.acme.io/zone", "a/b")),
                "refuses",
                "a topology segment is no legal label: does not register the plugin; up to 1.35 it never asks again, since 1.36 it does with growing pauses",
            ),
            (
                |seen| seen.node_info = node("n", 0, segment("a/b/c", "a")),
                "refuses",
                "a topology segment is no legal label: does not register the plugin; up to 1.35 it never asks again, since 1.36 it does with growing pauses",
            ),
        ],
    );
}

#[test]
fn livenessprobe_needs_a_name_once_and_a_ready_plugin_each_time() {
    assert_cases(
        "livenessprobe",
        &[
            (|_| {}, "goes on", "/healthz answers 200"),
            (
                |seen| seen.probe = ok(None),
                "goes on",
                "/healthz answers 200",
            ),
            (
                |seen| seen.info = silent(5),
                "waits",
                "GetPluginInfo is not answered: waits for it without limit, and serves no /healthz meanwhile",
            ),
            (
                |seen| seen.info = unavailable(),
                "exits",
                "GetPluginInfo answers UNAVAILABLE: exits with 1",
            ),
            (
                |seen| seen.info = named(""),
                "exits",
                "the name is empty: exits with 1 (inferred)",
            ),
            (
                |seen| slowly(&mut seen.probe, 3000),
                "refuses",
                "Probe takes longer than 3s: /healthz answers 500 and the error",
            ),
            (
                |seen| seen.probe = unavailable(),
                "refuses",
                "Probe answers UNAVAILABLE: /healthz answers 500 and the error",
            ),
            (
                |seen| seen.probe = ok(Some(false)),
                "refuses",
                "Probe answers ready=false: /healthz answers 500, \"driver responded but is not ready\"",
            ),
        ],
    );
}
