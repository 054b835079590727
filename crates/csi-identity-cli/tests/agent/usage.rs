//! Command lines that cannot be carried out.

use std::fs;
use std::net::TcpListener;

use crate::node::Node;
use crate::process::Process;
use crate::program::{Ran, Running, csi_identity, listing, run};
use crate::served::serve;

#[test]
fn an_agent_without_anything_to_do_says_what_there_is_to_do() {
    assert_eq!(
        run(["agent", "-e", "/csi/csi.sock"]),
        Ran::error(
            2,
            "error: there is nothing to do; add --kubelet-registration-path to register the plugin, --http-endpoint to answer \
             for its health, or both\n"
        )
    );
}

/// What has no effect without a path for the kubelet, and without an address for HTTP.
const REGISTRATION: [&str; 7] = [
    "--plugin-registration-path=/registration",
    "--kubelet-root-dir=/var/lib/kubelet",
    "--register-when=serving",
    "--expect-kubelet-within=1m",
    "--timeout=1s",
    "--exit-on-refusal",
    "--state-file=/state.json",
];
const HEALTH: [&str; 2] = ["--metrics-path=/numbers", "--probe-timeout=1s"];
const HOST_PATH: &str =
    "--kubelet-registration-path=/var/lib/kubelet/plugins/disk.acme.io/csi.sock";

fn assert_missing(mut command: std::process::Command, flag: &str, missing: &[&str]) {
    let ran = Running::spawn(command.arg(flag)).finish();
    assert_eq!((ran.code, &*ran.stdout), (2, ""), "{flag}");
    let start = "error: the following required arguments were not provided:\n";
    let missing: String = missing.iter().map(|flag| format!("  {flag}\n")).collect();
    let expected = format!("{start}{missing}\n");
    assert!(ran.stderr.starts_with(&expected), "{flag}: {}", ran.stderr);
}

#[test]
fn a_flag_that_would_have_no_effect_is_refused_with_the_one_it_needs() {
    let node = Node::new();
    let agent = |more: &str| {
        let mut command = csi_identity(["agent", "-e", "/csi/csi.sock"]);
        command.arg(more);
        command
    };
    let path = "--kubelet-registration-path <HOSTPATH>";
    let address = "--http-endpoint <ADDRESS>";
    for flag in REGISTRATION {
        assert_missing(agent("--http-endpoint=127.0.0.1:0"), flag, &[path]);
        assert_missing(serve(&node.plugin_socket()), flag, &["--register", path]);
    }
    for flag in HEALTH {
        assert_missing(agent(HOST_PATH), flag, &[address]);
        assert_missing(serve(&node.plugin_socket()), flag, &[address]);
    }
    assert_missing(serve(&node.plugin_socket()), "--register", &[path]);
    assert_missing(serve(&node.plugin_socket()), HOST_PATH, &["--register"]);
    assert_eq!(listing(node.plugin_socket().parent().unwrap()), [""; 0]);
}

#[test]
fn a_port_that_is_taken_is_an_error_with_its_holder_before_anything_is_begun() {
    let node = Node::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let command = fs::read_to_string("/proc/self/comm").unwrap();
    let error = format!(
        "error: cannot serve HTTP: port {port} is in use by process {} ({}); stop that first, or choose another port (pods \
         with hostNetwork share the ports of their node)\n",
        std::process::id(),
        command.trim()
    );
    let http = format!("--http-endpoint=127.0.0.1:{port}");
    let state_file = format!("--state-file={}", node.state_file().display());

    // This would be an error as well, were it looked at.
    fs::write(node.plugin_socket(), "").unwrap();
    let mut serves = serve(&node.plugin_socket());
    serves
        .args([&*http, &state_file, "--register", "--node-id=node-1"])
        .args(node.registration());
    assert_eq!(Process::start(&mut serves).finish(), Ran::error(2, &error));

    fs::remove_file(node.plugin_socket()).unwrap();
    let plugin = node.plugin();
    let mut agent = csi_identity(["agent", "-e"]);
    agent
        .arg(node.plugin_socket())
        .args([&*http, &state_file])
        .args(node.registration());
    assert_eq!(Process::start(&mut agent).finish(), Ran::error(2, &error));
    assert_eq!(listing(&node.registry()), [""; 0]);
    assert_eq!(listing(node.folder()), ["plugins", "plugins_registry"]);
    plugin.stop();
}
