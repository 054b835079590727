//! In the place of livenessprobe.

use std::net::TcpListener;

use rustix::process::Signal;
use tonic::Code;

use crate::compat::{LIVENESSPROBE, link};
use crate::fake_plugin::{FakePlugin, Reply};
use crate::http::{self, Answer};
use crate::node::Node;
use crate::process::Process;
use crate::registering::named;

fn start(node: &Node, more: &[&str]) -> Process {
    let mut command = link(node.folder(), LIVENESSPROBE);
    command
        .arg(format!("--csi-address={}", node.plugin_socket().display()))
        .args(more);
    Process::start(&mut command)
}

fn answer(code: u16, body: &str) -> Answer {
    let body = body.to_owned();
    Answer { code, body }
}

const HTTP: &str = "--http-endpoint=127.0.0.1:0";

#[test]
fn its_healthz_has_the_codes_and_words_of_the_original() {
    let node = Node::new();
    let probe = start(&node, &[HTTP]);
    let absent = format!(
        "nothing is at {}, though its directory exists; its server has not bound it yet, or binds another path",
        node.plugin_socket().display()
    );
    for (reply, expected) in [
        (Reply::Ok(Some(true)), answer(200, "ok")),
        (Reply::Ok(None), answer(200, "ok")),
        (
            Reply::Ok(Some(false)),
            answer(500, "driver responded but is not ready"),
        ),
        (
            Reply::Error(Code::Unimplemented, "no Probe here"),
            answer(500, "UNIMPLEMENTED: no Probe here"),
        ),
        (
            Reply::Error(Code::FailedPrecondition, "NOT_READY: pool p0"),
            answer(500, "FAILED_PRECONDITION: NOT_READY: pool p0"),
        ),
    ] {
        assert_eq!(probe.get("/healthz"), answer(500, &absent));
        let _plugin = FakePlugin::start_at(&node.plugin_socket(), named([reply]));
        assert_eq!(probe.get("/healthz"), expected);
    }
}

#[test]
fn a_plugin_that_is_late_is_given_its_time_and_one_that_died_none() {
    let node = Node::new();
    let probe = start(&node, &[HTTP, "--probe-timeout=200ms"]);
    {
        let _mute = FakePlugin::start_at(&node.plugin_socket(), named([Reply::Never]));
        assert_eq!(
            probe.get("/healthz"),
            answer(500, "the plugin did not answer Probe within 200ms")
        );
    }
    node.plugin().kill();
    let dead = format!(
        "nobody listens on {}; its server is gone and left the socket, or is about to listen",
        node.plugin_socket().display()
    );
    assert_eq!(probe.get("/healthz"), answer(500, &dead));
}

#[test]
fn it_ends_as_one_that_handles_no_signal() {
    let node = Node::new();
    let probe = start(&node, &[HTTP]);
    assert_eq!(probe.get("/healthz").code, 500);
    probe.signal(Signal::TERM);
    let ran = probe.finish();
    assert_eq!((ran.code, &*ran.stdout), (143, ""));
}

#[test]
fn a_port_that_is_taken_is_its_end_with_the_code_of_the_original() {
    let node = Node::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let ran = start(&node, &[&format!("--http-endpoint={address}")]).finish();
    assert_eq!((ran.code, &*ran.stdout), (0, ""));
    let error = format!(
        "error: cannot serve HTTP: port {} is in use by process {} ",
        address.port(),
        std::process::id()
    );
    assert!(ran.stderr.starts_with(&error), "{}", ran.stderr);
}

#[test]
fn metrics_are_where_each_form_of_the_flags_has_them() {
    let node = Node::new();
    let _plugin = node.plugin();
    let has_metrics = |answer: &Answer| {
        answer.code == 200
            && answer
                .body
                .contains("\ncsi_sidecar_operations_seconds_count{")
    };

    let beside = start(&node, &[HTTP, "--metrics-path=/numbers"]);
    assert_eq!(beside.get("/healthz"), answer(200, "ok"));
    assert!(has_metrics(&beside.get("/numbers")));

    let none = start(&node, &["--health-port=0"]);
    assert_eq!(none.get("/healthz"), answer(200, "ok"));
    assert_eq!(none.get("/metrics").code, 404);

    let apart = start(&node, &["--health-port=0", "--metrics-address=127.0.0.1:0"]);
    let addresses = apart.addresses(2);
    let (mut health, metrics) = (addresses[0], addresses[1]);
    assert!(health.ip().is_unspecified());
    health.set_ip(metrics.ip());
    assert_eq!(http::get(health, "/healthz"), answer(200, "ok"));
    assert_eq!(http::get(health, "/metrics").code, 404);
    assert!(has_metrics(&http::get(metrics, "/metrics")));
    assert_eq!(http::get(metrics, "/healthz").code, 404);
}
