//! In the place of node-driver-registrar.

use std::fs;
use std::net::TcpListener;

use csi_kubelet::Fault;
use serde_json::Value;

use crate::compat::{REGISTRAR, link};
use crate::http::Answer;
use crate::node::Node;
use crate::process::Process;
use crate::program::{eventually, listing};

fn start(node: &Node, more: &[&str]) -> Process {
    let mut command = link(node.folder(), REGISTRAR);
    command
        .arg(format!("--csi-address={}", node.plugin_socket().display()))
        .args(node.registration())
        .args(more);
    Process::start(&mut command)
}

fn answer(code: u16, body: &str) -> Answer {
    let body = body.to_owned();
    Answer { code, body }
}

const HTTP: &str = "--http-endpoint=127.0.0.1:0";

#[test]
fn it_registers_the_plugin_and_ends_well() {
    let node = Node::new();
    let _plugin = node.plugin();
    let kubelet = node.kubelet();
    let registrar = start(&node, &["--v=5"]);
    let info = kubelet.registers();
    assert_eq!(info.name, "disk.acme.io");
    assert_eq!(info.endpoint, node.plugin_socket().to_str().unwrap());
    let ran = registrar.stop();
    assert_eq!((ran.code, &*ran.stdout), (0, ""));
    assert_eq!(listing(&node.registry()), [""; 0]);
}

#[test]
fn its_healthz_is_about_the_registration_socket_and_the_plugin_behind_it() {
    let node = Node::new();
    let registrar = start(&node, &[HTTP]);
    let none = answer(404, "registration socket does not exist");
    assert_eq!(registrar.get("/healthz"), none);
    let plugin = node.plugin();
    let is_good = || registrar.get("/healthz") == answer(200, "ok");
    eventually("the socket is shown", is_good);
    plugin.kill();
    // No kubelet knows of it yet, and none is to hear of a plugin that is dead.
    eventually("its death is noticed", || registrar.get("/healthz") == none);
    let plugin = node.plugin();
    let kubelet = node.kubelet();
    kubelet.registers();
    registrar.comes_to("registered");
    assert!(is_good());
    plugin.kill();
    let dead = format!(
        "UNAVAILABLE: the plugin does not answer: nobody listens on {}; its server is gone and left the socket, or is about \
         to listen",
        node.plugin_socket().display()
    );
    eventually("its death is noticed", || {
        registrar.get("/healthz") == answer(500, &dead)
    });
    let _plugin = node.plugin();
    eventually("its return is noticed", is_good);
    // Something that is no socket is not taken away, and nothing can be shown in its place.
    fs::remove_file(node.registration_socket()).unwrap();
    fs::create_dir(node.registration_socket()).unwrap();
    eventually("the socket is missed", || registrar.get("/healthz") == none);
    fs::remove_dir(node.registration_socket()).unwrap();
    eventually("the socket is shown again", is_good);
}

#[test]
fn its_own_look_at_its_socket_is_no_call_of_a_kubelet() {
    let node = Node::new();
    let _plugin = node.plugin();
    let registrar = start(&node, &[HTTP]);
    registrar.comes_to("waiting_for_kubelet");
    for _ in 0..20 {
        assert_eq!(registrar.get("/healthz"), answer(200, "ok"));
    }
    let registration = registrar.registration();
    assert_eq!(registration["last_kubelet_call"], Value::Null);
    assert_eq!(
        registration["reason"],
        format!(
            "{} is shown, and no kubelet has called yet",
            node.registration_socket().display()
        )
    );
    node.kubelet().registers();
    registrar.comes_to("registered");
    assert_eq!(
        registrar.registration()["last_kubelet_call"]["method"],
        "NotifyRegistrationStatus"
    );
}

#[test]
fn a_refusal_is_not_its_end() {
    let node = Node::new();
    let _plugin = node.plugin();
    let kubelet = node.kubelet_with(Fault::RefuseFirst(1));
    let registrar = start(&node, &[]);
    kubelet.refuses();
    kubelet.registers();
    assert_eq!(registrar.stop().code, 0);
}

#[test]
fn a_port_that_is_taken_is_its_end_before_anything_is_shown() {
    let node = Node::new();
    let _plugin = node.plugin();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let ran = start(&node, &[&format!("--http-endpoint={address}")]).finish();
    assert_eq!((ran.code, &*ran.stdout), (1, ""));
    let error = format!(
        "error: cannot serve HTTP: port {} is in use by process {} ",
        address.port(),
        std::process::id()
    );
    assert!(ran.stderr.starts_with(&error), "{}", ran.stderr);
    assert_eq!(listing(&node.registry()), [""; 0]);
}

#[test]
fn all_that_has_no_effect_is_named_in_one_line() {
    let node = Node::new();
    let registrar = start(
        &node,
        &[
            "--enable-pprof",
            "--automaxprocs=true",
            "--logtostderr",
            "--connection-timeout=5s",
            HTTP,
        ],
    );
    registrar.comes_to("waiting_for_plugin");
    assert_eq!(
        registrar.lines_with("WARN"),
        [
            "WARN csi_identity::compat::run: no effect here: -enable-pprof, -automaxprocs, -connection-timeout"
        ]
    );
}
