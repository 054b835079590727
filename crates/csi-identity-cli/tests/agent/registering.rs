//! The way of a plugin to the kubelet.

use std::fs;

use rustix::process::Signal;

use crate::fake_plugin::{FakePlugin, Reply, Script};
use crate::node::Node;
use crate::program::{eventually, listing};

/// A plugin that has a name, and Probe answers this.
pub(crate) fn named(probe: impl Into<Vec<Reply<Option<bool>>>>) -> Script {
    let info = csi_identity::proto::csi::v1::GetPluginInfoResponse {
        name: "disk.acme.io".to_owned(),
        vendor_version: "1.2.3".to_owned(),
        ..Default::default()
    };
    Script {
        info: Reply::Ok(info),
        node_id: Some("node-1"),
        ..Script::probes(probe)
    }
}

#[test]
fn a_kubelet_registers_a_plugin_that_was_there_and_one_that_comes_later() {
    for plugin_comes_later in [false, true] {
        let node = Node::new();
        let kubelet = node.kubelet();
        let early = (!plugin_comes_later).then(|| node.plugin());
        let agent = node.agent(&[]);
        let _plugin = early.unwrap_or_else(|| {
            let answer = agent.comes_to("waiting_for_plugin");
            assert_eq!(answer.code, 404);
            let nothing = format!(
                "nothing is at {}, though its directory exists; its server has not bound it yet, or binds another path",
                node.plugin_socket().display()
            );
            for (path, code) in [("/healthz", 500), ("/livez", 503), ("/readyz", 503)] {
                let answer = agent.get(path);
                assert_eq!((answer.code, &answer.body), (code, &nothing), "{path}");
            }
            assert_eq!(listing(&node.registry()), [""; 0]);
            node.plugin()
        });

        let info = kubelet.registers();
        assert_eq!(info.r#type, "CSIPlugin");
        assert_eq!(info.name, "disk.acme.io");
        assert_eq!(info.endpoint, node.plugin_socket().to_str().unwrap());
        assert_eq!(info.supported_versions, ["1.0.0"]);
        let answer = agent.comes_to("registered");
        assert_eq!(
            (answer.code, &*answer.body),
            (200, "registered: the kubelet has registered the plugin")
        );
        for path in ["/healthz", "/livez", "/readyz"] {
            let answer = agent.get(path);
            assert_eq!((answer.code, &*answer.body), (200, "ok"), "{path}");
        }
        let metrics = agent.get("/metrics").body;
        for line in [
            "csi_registration_state{state=\"registered\"} 1\n",
            "csi_registration_state{state=\"waiting_for_kubelet\"} 0\n",
            "csi_plugin_answering 1\n",
            "csi_sidecar_operations_seconds_count{driver_name=\"disk.acme.io\",method_name=\"/csi.v1.Node/NodeGetInfo\",\
             grpc_status_code=\"OK\"} 1\n",
        ] {
            assert!(metrics.contains(line), "{line} in {metrics}");
        }
        assert_eq!(listing(&node.registry()), ["disk.acme.io-reg.sock"]);

        agent.signal(Signal::TERM);
        kubelet.forgets();
        assert_eq!(agent.finish().code, 0);
        assert_eq!(listing(&node.registry()), [""; 0]);
    }
}

#[test]
fn a_plugin_that_is_not_ready_is_registered_if_it_is_to_be_when_it_serves() {
    let node = Node::new();
    let starting = named([Reply::Ok(Some(false))]);
    let _plugin = FakePlugin::start_at(&node.plugin_socket(), starting);
    let kubelet = node.kubelet();
    for flags in [&[][..], &["--register-when=ready"]] {
        let agent = node.agent(flags);
        eventually("the plugin was asked", || {
            agent.get("/registrationz").body
                == "waiting_for_plugin: Probe: ready=false, so the plugin is still starting"
        });
        assert_eq!(listing(&node.registry()), [""; 0]);
        assert_eq!(agent.stop().code, 0);
    }
    let agent = node.agent(&["--register-when=serving"]);
    kubelet.registers();
    agent.comes_to("registered");
}

#[test]
fn that_no_kubelet_calls_is_a_problem_after_the_time_for_it() {
    let node = Node::new();
    let _plugin = node.plugin();
    let agent = node.agent(&["--expect-kubelet-within=50ms"]);
    let root = node.folder().display();
    let reason = format!(
        "no kubelet has called within 50ms of the socket's being shown in {root}/plugins_registry; the kubelet has to watch \
         {root}/plugins_registry, so see whether its --root-dir is {root}"
    );
    eventually("a problem", || {
        agent.registration()["problem"].as_bool().unwrap()
    });
    let answer = agent.get("/registrationz");
    assert_eq!(
        (answer.code, answer.body),
        (503, format!("waiting_for_kubelet: {reason}"))
    );
    assert_eq!(agent.lines_with(" within 50ms ").len(), 1);
    assert_eq!(
        agent.registration()["last_kubelet_call"],
        serde_json::Value::Null
    );

    node.kubelet().registers();
    agent.comes_to("registered");
    assert_eq!(agent.registration()["problem"], false);
}

#[test]
fn a_registration_socket_that_was_deleted_is_shown_and_registered_again() {
    let node = Node::new();
    let _plugin = node.plugin();
    let kubelet = node.kubelet();
    let agent = node.agent(&[]);
    for _ in 0..3 {
        kubelet.registers();
        agent.comes_to("registered");
        fs::remove_file(node.registration_socket()).unwrap();
        kubelet.forgets();
    }
    kubelet.registers();
    agent.comes_to("registered");
    assert_eq!(agent.registration()["rebinds"], 3);
}

#[test]
fn agents_that_were_killed_are_not_in_the_way_of_the_next_one() {
    let node = Node::new();
    let _plugin = node.plugin();
    for round in 0..100 {
        let agent = node.agent_with_state_file();
        match round % 2 {
            0 => drop(agent.comes_to("waiting_for_kubelet")),
            // As early as anything is there, were it the socket's first name.
            _ => eventually("something is there", || {
                listing(&node.registry())
                    .iter()
                    .any(|name| name != "disk.acme.io-reg.sock")
                    || agent.lines_with("waiting_for_kubelet").len() == 1
            }),
        }
        agent.kill();
    }
    let kubelet = node.kubelet();
    let agent = node.agent_with_state_file();
    kubelet.registers();
    agent.comes_to("registered");
    assert_eq!(listing(&node.registry()), ["disk.acme.io-reg.sock"]);
    assert_eq!(agent.stop().code, 0);
    assert_eq!(listing(&node.registry()), [""; 0]);
    assert_eq!(
        listing(node.folder()),
        ["plugins", "plugins_registry", "registration.json"]
    );
}
