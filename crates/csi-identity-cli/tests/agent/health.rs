//! What the agent says of a plugin over HTTP, and writes to its log of it.

use rustix::process::Signal;
use tonic::Code;

use crate::fake_plugin::{FakePlugin, Reply, Script};
use crate::node::Node;
use crate::program::eventually;
use crate::registering::named;

#[test]
fn the_first_request_after_a_plugin_has_gone_or_come_back_has_the_right_answer() {
    for registers in [true, false] {
        let node = Node::new();
        let agent = match registers {
            true => node.agent(&[]),
            false => node.health_agent(&[]),
        };
        let socket = node.plugin_socket();
        let path = socket.display();
        let left = format!(
            "nobody listens on {path}; its server is gone and left the socket, or is about to listen"
        );
        let removed = format!(
            "nothing is at {path}, though its directory exists; its server has not bound it yet, or binds another path"
        );
        for (signal, reason) in [
            (Signal::KILL, &left),
            (Signal::TERM, &removed),
            (Signal::KILL, &left),
        ] {
            let plugin = node.plugin();
            let answer = agent.get("/healthz");
            assert_eq!((answer.code, &*answer.body), (200, "ok"));
            plugin.signal(signal);
            plugin.finish();
            let answer = agent.get("/healthz");
            assert_eq!((answer.code, &answer.body), (500, reason));
        }
        if !registers {
            let answer = agent.get("/registrationz");
            assert_eq!(
                (answer.code, &*answer.body),
                (
                    404,
                    "registration is off: this process registers no plugin with the kubelet"
                )
            );
        }
    }
}

#[test]
fn a_thousand_good_requests_write_no_line_and_a_thousand_bad_ones_one() {
    let node = Node::new();
    let agent = node.health_agent(&[]);
    agent.address();
    let before = agent.lines();
    {
        let ready = named([Reply::Ok(Some(true))]);
        let _plugin = FakePlugin::start_at(&node.plugin_socket(), ready);
        for _ in 0..1000 {
            assert_eq!(agent.get("/healthz").code, 200);
        }
    }
    assert_eq!(agent.lines(), before);

    let broken = named([Reply::Error(Code::FailedPrecondition, "NOT_READY: pool p0")]);
    let _plugin = FakePlugin::start_at(&node.plugin_socket(), broken);
    for _ in 0..1000 {
        assert_eq!(agent.get("/healthz").code, 500);
    }
    assert_eq!(
        agent.lines()[before.len()..],
        [
            "WARN csi_health::change_log: Probe of the plugin failed reason=FAILED_PRECONDITION: NOT_READY: pool p0"
        ]
    );
}

#[test]
fn metrics_name_the_plugin_and_have_the_path_that_was_asked_for() {
    let node = Node::new();
    let plugin = node.plugin();
    let agent = node.health_agent(&["--metrics-path=/numbers"]);
    assert_eq!(agent.get("/healthz").code, 200);
    assert_eq!(agent.get("/metrics").code, 404);
    eventually("the name is known", || {
        agent
            .get("/numbers")
            .body
            .contains("driver_name=\"disk.acme.io\"")
    });
    plugin.kill();
    assert_eq!(agent.get("/healthz").code, 500);
    let numbers = agent.get("/numbers");
    assert_eq!(numbers.code, 200);
    assert!(numbers.body.contains("\ncsi_plugin_answering 0\n"));
}

#[test]
fn a_name_that_a_plugin_learns_late_is_known_late() {
    let node = Node::new();
    let script = Script {
        info: Reply::Error(Code::Unimplemented, "no identity yet"),
        ..named([Reply::Ok(Some(true))])
    };
    let nameless = FakePlugin::start_at(&node.plugin_socket(), script);
    let agent = node.health_agent(&[]);
    assert_eq!(agent.get("/healthz").code, 200);
    assert!(
        agent
            .get("/metrics")
            .body
            .contains("driver_name=\"unknown-driver\"")
    );
    drop(nameless);
    let _plugin = node.plugin();
    assert_eq!(agent.get("/healthz").code, 200);
    eventually("the name is known", || {
        agent
            .get("/metrics")
            .body
            .contains("driver_name=\"disk.acme.io\"")
    });
}
