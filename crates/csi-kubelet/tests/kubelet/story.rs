//! One registration from end to end, with all that is told of it.

use csi_kubelet::CsiNodeDriver;
use serde_json::json;

use crate::support::{Node, Registrar, Reply, Told, answer, csi_plugin};

#[tokio::test]
async fn a_registration_is_told_step_by_step_and_leaves_what_a_kubelet_leaves() {
    let node = Node::new();
    let plugin = node.plugin("disk.acme.io");
    let mut info = answer("i-1", &[("acme.io/zone", "z1"), ("acme.io/rack", "r1")]);
    info.max_volumes_per_node = 16;
    plugin.says(Reply::Ok(info));
    let kubelet = node.kubelet();
    let registrar = Registrar::start(
        &node.socket("a-reg.sock"),
        csi_plugin("disk.acme.io", plugin.path()),
    );
    kubelet.says("registered").await;
    let entry = CsiNodeDriver {
        node_id: "i-1".to_owned(),
        topology_keys: vec!["acme.io/rack".to_owned(), "acme.io/zone".to_owned()],
        allocatable: Some(16),
    };
    assert_eq!(
        kubelet.objects().drivers,
        [("disk.acme.io".to_owned(), entry)].into()
    );
    assert_eq!(registrar.told(), [Told::GetInfo, Told::Registered]);
    assert_eq!(plugin.calls(), 1);

    registrar.remove();
    kubelet.says("deregistered").await;
    assert_eq!(
        kubelet.lines(),
        [
            "started: kubelet 1.36 watches ~/plugins_registry",
            "discovered   a-reg.sock: a socket",
            "dial         a-reg.sock OK: :authority is ~%2Fplugins_registry%2Fa-reg.sock",
            "GetInfo      disk.acme.io OK: CSIPlugin disk.acme.io at ~/disk.acme.io.sock, versions 1.0.0",
            "validated    disk.acme.io: fit to be registered, version 1.0.0",
            "NodeGetInfo  disk.acme.io OK: ~/disk.acme.io.sock says node_id i-1, max_volumes_per_node 16, acme.io/rack=r1, \
             acme.io/zone=z1",
            "node         disk.acme.io: annotated with node id i-1, labelled acme.io/rack=r1, labelled acme.io/zone=z1",
            "csinode      disk.acme.io: an entry with node id i-1, topology keys acme.io/rack acme.io/zone, at most 16 volumes",
            "notified     disk.acme.io OK: told that it is registered",
            "registered   disk.acme.io: ready for volumes",
            "removed      a-reg.sock: the socket is gone",
            "deregistered disk.acme.io: forgotten, its entry in the CSINode removed",
        ]
    );
    // Labels stay, the rest goes.
    let objects = kubelet.stop().await;
    assert!(objects.drivers.is_empty() && objects.node_ids.is_empty());
    let labels: Vec<_> = objects.labels.into_iter().collect();
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(
        labels,
        [pair("acme.io/rack", "r1"), pair("acme.io/zone", "z1")]
    );
}

#[tokio::test]
async fn each_event_is_an_object_with_what_the_call_asked_and_answered() {
    let node = Node::new();
    let plugin = node.plugin("disk.acme.io");
    let mut info = answer("i-1", &[("acme.io/zone", "z1")]);
    info.max_volumes_per_node = 16;
    plugin.says(Reply::Ok(info));
    let kubelet = node.kubelet_of("1.28");
    let socket = node.socket("a-reg.sock");
    let registrar = Registrar::start(&socket, csi_plugin("disk.acme.io", plugin.path()));
    kubelet.says("registered").await;
    let (socket, endpoint) = (socket.to_str().unwrap(), plugin.path().to_str().unwrap());
    let registry = node.registry();
    for (event, expected) in [
        (
            "started",
            json!({
                "event": "started", "message": format!("kubelet 1.28 watches {}", registry.display()),
                "version": "1.28", "directory": registry,
            }),
        ),
        (
            "discovered",
            json!({ "event": "discovered", "socket": socket, "message": "a socket" }),
        ),
        (
            "dial",
            json!({
                "event": "dial", "socket": socket, "code": "OK", "message": format!(":authority is {socket}"), "authority": socket,
            }),
        ),
        (
            "GetInfo",
            json!({
                "event": "GetInfo", "socket": socket, "driver": "disk.acme.io", "code": "OK",
                "message": format!("CSIPlugin disk.acme.io at {endpoint}, versions 1.0.0"), "type": "CSIPlugin",
                "name": "disk.acme.io", "endpoint": endpoint, "supported_versions": ["1.0.0"],
            }),
        ),
        (
            "validated",
            json!({
                "event": "validated", "socket": socket, "driver": "disk.acme.io",
                "message": "fit to be registered, version 1.0.0", "version": "1.0.0",
            }),
        ),
        (
            "NodeGetInfo",
            json!({
                "event": "NodeGetInfo", "socket": socket, "driver": "disk.acme.io", "code": "OK",
                "message": format!("{endpoint} says node_id i-1, max_volumes_per_node 16, acme.io/zone=z1"),
                "endpoint": endpoint, "authority": "localhost", "node_id": "i-1", "max_volumes_per_node": 16,
                "accessible_topology": { "acme.io/zone": "z1" },
            }),
        ),
        (
            "node",
            json!({
                "event": "node", "socket": socket, "driver": "disk.acme.io",
                "message": "annotated with node id i-1, labelled acme.io/zone=z1", "node_id": "i-1",
                "labels": { "acme.io/zone": "z1" },
            }),
        ),
        (
            "csinode",
            json!({
                "event": "csinode", "socket": socket, "driver": "disk.acme.io",
                "message": "an entry with node id i-1, topology keys acme.io/zone, at most 16 volumes", "node_id": "i-1",
                "topology_keys": ["acme.io/zone"], "allocatable": 16,
            }),
        ),
        (
            "notified",
            json!({
                "event": "notified", "socket": socket, "driver": "disk.acme.io", "code": "OK",
                "message": "told that it is registered", "plugin_registered": true, "error": "",
            }),
        ),
        (
            "registered",
            json!({ "event": "registered", "socket": socket, "driver": "disk.acme.io", "message": "ready for volumes" }),
        ),
    ] {
        assert_eq!(kubelet.json(event), expected);
    }

    // What fails carries the code and, where the words hide it, the cause.
    registrar.remove();
    kubelet.says("deregistered").await;
    std::fs::remove_file(endpoint).unwrap();
    let _registrar = Registrar::start(
        &node.socket("a-reg.sock"),
        csi_plugin("disk.acme.io", plugin.path()),
    );
    kubelet.says("no_retry").await;
    let message = format!(
        "rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: dial unix {endpoint}: \
         connect: no such file or directory\""
    );
    let cause = format!(
        "nothing is at {endpoint}, though its directory exists; its server has not bound it yet, or binds another path"
    );
    let refusal = format!("RegisterPlugin error -- plugin registration failed with err: {message}");
    for (event, expected) in [
        (
            "NodeGetInfo",
            json!({
                "event": "NodeGetInfo", "socket": socket, "driver": "disk.acme.io", "code": "UNAVAILABLE", "message": message,
                "cause": cause, "endpoint": endpoint, "authority": "localhost",
            }),
        ),
        (
            "notified",
            json!({
                "event": "notified", "socket": socket, "driver": "disk.acme.io", "code": "OK",
                "message": format!("told: {refusal}"), "plugin_registered": false, "error": refusal,
            }),
        ),
        (
            "refused",
            json!({
                "event": "refused", "socket": socket, "driver": "disk.acme.io", "message": refusal, "cause": cause,
            }),
        ),
        (
            "no_retry",
            json!({
                "event": "no_retry", "socket": socket, "driver": "disk.acme.io",
                "message": "not before another socket takes its place",
            }),
        ),
        (
            "removed",
            json!({ "event": "removed", "socket": socket, "message": "the socket is gone" }),
        ),
        (
            "deregistered",
            json!({
                "event": "deregistered", "socket": socket, "driver": "disk.acme.io",
                "message": "forgotten, its entry in the CSINode removed",
            }),
        ),
    ] {
        assert_eq!(kubelet.json(event), expected);
    }
}
