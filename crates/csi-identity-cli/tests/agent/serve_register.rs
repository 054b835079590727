//! `serve --register`: plugin, registration and health in one process.

use std::net::TcpStream;

use csi_kubelet::Fault;
use rustix::process::{Signal, geteuid};

use crate::node::Node;
use crate::process::Process;
use crate::program::{eventually, listing};
use crate::raw_call::OpenCall;
use crate::served::serve;

fn start(node: &Node, more: &[&str]) -> Process {
    let mut command = serve(&node.plugin_socket());
    command
        .args([
            "--register",
            "--node-id=node-1",
            "--http-endpoint=127.0.0.1:0",
        ])
        .args(node.registration())
        .args(more);
    Process::start(&mut command)
}

#[test]
fn one_process_serves_a_plugin_registers_it_and_answers_for_it() {
    let node = Node::new();
    let kubelet = node.kubelet();
    let state_file = format!("--state-file={}", node.state_file().display());
    let serving = start(&node, &[&state_file]);
    let info = kubelet.registers();
    assert_eq!(info.endpoint, node.plugin_socket().to_str().unwrap());
    serving.comes_to("registered");
    for path in ["/healthz", "/livez", "/readyz"] {
        assert_eq!(serving.get(path).body, "ok");
    }
    assert!(node.state_file().exists());
    serving.signal(Signal::TERM);
    kubelet.forgets();
    let ran = serving.finish();
    assert_eq!((ran.code, &*ran.stdout), (0, ""));
    assert_eq!(listing(&node.registry()), [""; 0]);
    assert_eq!(listing(node.plugin_socket().parent().unwrap()), [""; 0]);
}

#[test]
fn when_it_stops_the_kubelet_is_told_first_and_calls_of_the_plugin_end_last() {
    let node = Node::new();
    let kubelet = node.kubelet();
    let serving = start(&node, &["--grace=1h"]);
    kubelet.registers();
    let address = serving.address();
    let mut call = OpenCall::begin(&node.plugin_socket());
    serving.signal(Signal::TERM);
    kubelet.forgets();
    call.await_goodbye();
    assert_eq!(listing(&node.registry()), [""; 0]);
    eventually("HTTP ends", || TcpStream::connect(address).is_err());
    // The plugin itself waits for the call.
    assert!(node.plugin_socket().exists());
    drop(call);
    assert_eq!(serving.finish().code, 0);
    assert!(!node.plugin_socket().exists());
}

#[test]
fn a_second_signal_leaves_neither_socket_behind() {
    let node = Node::new();
    let kubelet = node.kubelet();
    let serving = start(&node, &["--grace=1h"]);
    kubelet.registers();
    let mut call = OpenCall::begin(&node.plugin_socket());
    serving.signal(Signal::TERM);
    call.await_goodbye();
    serving.signal(Signal::TERM);
    assert_eq!(serving.finish().code, 130);
    assert_eq!(listing(&node.registry()), [""; 0]);
    assert_eq!(listing(node.plugin_socket().parent().unwrap()), [""; 0]);
}

#[test]
fn a_list_of_users_that_may_connect_does_not_shut_out_the_process_itself() {
    let node = Node::new();
    // Somebody else than whoever runs this.
    let other = format!("--allow-uid={}", geteuid().as_raw() + 1);
    // Nor this test, which has the same user and is the kubelet.
    let kubelet = node.kubelet();
    let serving = start(&node, &[&other]);
    kubelet.registers();
    serving.comes_to("registered");
    assert_eq!(serving.get("/healthz").body, "ok");
}

#[test]
fn a_refusal_ends_the_plugin_too_if_it_is_to_be_the_end() {
    let node = Node::new();
    let _kubelet = node.kubelet_with(Fault::Refuse("not wanted".to_owned()));
    let serving = start(&node, &["--exit-on-refusal"]);
    assert_eq!(serving.finish().code, 1);
    assert_eq!(listing(&node.registry()), [""; 0]);
    assert_eq!(listing(node.plugin_socket().parent().unwrap()), [""; 0]);
}
