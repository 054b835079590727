//! What it prints, line by line.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::node::{Node, steady};
use crate::served::await_answer;

const TOPOLOGY: [&str; 2] = ["--topology=acme.io/zone=z1", "--max-volumes=16"];

#[test]
fn a_plugins_life_is_told_in_text_and_at_the_end_what_became_of_the_node() {
    let node = Node::new();
    let kubelet = node.kubelet(&["--node-label", "kubernetes.io/os=linux"]);
    let plugin = node.plugin(&TOPOLOGY);
    kubelet.says("registered");
    assert_eq!(plugin.stop().code, 0);
    kubelet.says("deregistered");
    let _plugin = node.plugin(&TOPOLOGY);
    kubelet.says_times("registered", 2);
    let ran = kubelet.stop();
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let lines = steady(&ran.stdout, node.folder());
    let hidden = "ignored      .";
    // A registrar binds under a hidden name first, whose text is its own affair.
    let lines: Vec<_> = lines
        .iter()
        .filter(|line| !line.starts_with(hidden))
        .collect();
    let registration = [
        "discovered   disk.acme.io-reg.sock: a socket",
        "dial         disk.acme.io-reg.sock OK: :authority is ~%2Fplugins_registry%2Fdisk.acme.io-reg.sock",
        "GetInfo      disk.acme.io OK: CSIPlugin disk.acme.io at ~/csi.sock, versions 1.0.0",
        "validated    disk.acme.io: fit to be registered, version 1.0.0",
        "NodeGetInfo  disk.acme.io OK: ~/csi.sock says node_id node-1, max_volumes_per_node 16, acme.io/zone=z1",
    ];
    let written = [
        "csinode      disk.acme.io: an entry with node id node-1, topology keys acme.io/zone, at most 16 volumes",
        "notified     disk.acme.io OK: told that it is registered",
        "registered   disk.acme.io: ready for volumes",
    ];
    let expected = [
        &["started: kubelet 1.36 watches ~/plugins_registry"][..],
        &registration,
        &["node         disk.acme.io: annotated with node id node-1, labelled acme.io/zone=z1"],
        &written,
        &[
            "removed      disk.acme.io-reg.sock: the socket is gone",
            "deregistered disk.acme.io: forgotten, its entry in the CSINode removed",
        ],
        &registration,
        // The label has stayed.
        &["node         disk.acme.io: annotated with node id node-1"],
        &written,
        &[
            "---",
            "apiVersion: v1",
            "kind: Node",
            "metadata:",
            "  annotations:",
            "    csi.volume.kubernetes.io/nodeid: '{\"disk.acme.io\":\"node-1\"}'",
            "  labels:",
            "    acme.io/zone: z1",
            "    kubernetes.io/os: linux",
            "  name: node-1",
            "---",
            "apiVersion: storage.k8s.io/v1",
            "kind: CSINode",
            "metadata:",
            "  name: node-1",
            "spec:",
            "  drivers:",
            "  - allocatable:",
            "      count: 16",
            "    name: disk.acme.io",
            "    nodeID: node-1",
            "    topologyKeys:",
            "    - acme.io/zone",
        ],
    ]
    .concat();
    assert_eq!(lines, expected);
}

#[test]
fn in_json_each_event_is_an_object_on_a_line() {
    let node = Node::new();
    let kubelet = node.kubelet(&[
        "-o",
        "json",
        "--emulate=1.28",
        "--node-label=acme.io/zone=z2",
    ]);
    let plugin = node.plugin(&TOPOLOGY);
    kubelet.says("refused");
    kubelet.says("no_retry");
    plugin.stop();
    kubelet.says("deregistered");
    let ran = kubelet.stop();
    assert_eq!((ran.code, &*ran.stderr), (0, ""));

    let mut events = BTreeMap::new();
    for line in ran.stdout.lines() {
        let mut event: Value = serde_json::from_str(line).unwrap();
        let object = event.as_object_mut().unwrap();
        let time = object.remove("time").unwrap();
        let time = time.as_str().unwrap();
        assert!(
            time.len() == "2026-01-02T03:04:05.678Z".len() && time.ends_with('Z'),
            "{time}"
        );
        let took = object.remove("duration_ms");
        assert_eq!(took.is_some(), object.contains_key("code"), "{line}");
        assert!(took.is_none_or(|took| took.as_f64().unwrap() > 0.0));
        let name = event["event"].as_str().unwrap().to_owned();
        // The first of each but the hidden name's; a plugin that is refused may try again.
        if name != "ignored" {
            events.entry(name).or_insert(event);
        }
    }
    let socket = node.registration_socket();
    let endpoint = node.plugin_socket();
    let (socket, endpoint) = (socket.to_str().unwrap(), endpoint.to_str().unwrap());
    let registry = node.folder().join("plugins_registry");
    let refusal = "RegisterPlugin error -- plugin registration failed with err: error updating Node object with CSI driver node \
                   info: error updating node: timed out waiting for the condition; caused by: detected topology value collision: \
                   driver reported \"acme.io/zone\":\"z1\" but existing label is \"acme.io/zone\":\"z2\"";
    let expected = [
        json!({
            "event": "started", "message": format!("kubelet 1.28 watches {}", registry.display()), "version": "1.28",
            "directory": registry,
        }),
        json!({ "event": "discovered", "socket": socket, "message": "a socket" }),
        json!({
            "event": "dial", "socket": socket, "code": "OK", "message": format!(":authority is {socket}"), "authority": socket,
        }),
        json!({
            "event": "GetInfo", "socket": socket, "driver": "disk.acme.io", "code": "OK",
            "message": format!("CSIPlugin disk.acme.io at {endpoint}, versions 1.0.0"), "type": "CSIPlugin",
            "name": "disk.acme.io", "endpoint": endpoint, "supported_versions": ["1.0.0"],
        }),
        json!({
            "event": "validated", "socket": socket, "driver": "disk.acme.io", "message": "fit to be registered, version 1.0.0",
            "version": "1.0.0",
        }),
        json!({
            "event": "NodeGetInfo", "socket": socket, "driver": "disk.acme.io", "code": "OK",
            "message": format!("{endpoint} says node_id node-1, max_volumes_per_node 16, acme.io/zone=z1"),
            "endpoint": endpoint, "authority": "localhost", "node_id": "node-1", "max_volumes_per_node": 16,
            "accessible_topology": { "acme.io/zone": "z1" },
        }),
        json!({
            "event": "notified", "socket": socket, "driver": "disk.acme.io", "code": "OK",
            "message": format!("told: {refusal}"), "plugin_registered": false, "error": refusal,
        }),
        json!({ "event": "refused", "socket": socket, "driver": "disk.acme.io", "message": refusal }),
        json!({
            "event": "no_retry", "socket": socket, "driver": "disk.acme.io",
            "message": "not before another socket takes its place",
        }),
        json!({ "event": "removed", "socket": socket, "message": "the socket is gone" }),
        json!({
            "event": "deregistered", "socket": socket, "driver": "disk.acme.io",
            "message": "forgotten, its entry in the CSINode removed",
        }),
    ];
    let expected: BTreeMap<_, _> = expected
        .into_iter()
        .map(|event| (event["event"].as_str().unwrap().to_owned(), event))
        .collect();
    assert_eq!(events, expected);
}

#[test]
fn an_agent_is_registered_and_registers_again_after_a_refusal() {
    let node = Node::new();
    let _plugin = node.silent_plugin();
    await_answer(&node.plugin_socket());
    let kubelet = node.kubelet(&["--fault=refuse-first=1", "--emulate=1.35"]);
    let _agent = node.agent(&[]);
    kubelet.says("no_retry");
    // It shows another socket by itself, which such a kubelet needs.
    kubelet.says("registered");
    let ran = kubelet.stop();
    let refused = "refused      disk.acme.io: RegisterPlugin error -- plugin registration failed with err: refusal 1 of 1 that were \
                   asked for";
    let lines = steady(&ran.stdout, node.folder());
    assert_eq!(lines.iter().filter(|line| *line == refused).count(), 1);
}
