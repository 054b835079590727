//! When it stops, and with which exit code.

use rustix::process::Signal;

use crate::node::{Node, Process, steady};
use crate::program::Running;

fn once(node: &Node, more: &[&str]) -> Process {
    let mut command = node.kubelet_command(&["--once"]);
    Process::start(command.args(more))
}

#[test]
fn once_ends_well_when_a_plugin_or_the_expected_one_is_registered() {
    for more in [
        &[][..],
        &["--expect=disk.acme.io"],
        &["--expect=disk.acme.io", "-o", "json"],
    ] {
        let node = Node::new();
        let kubelet = once(&node, more);
        kubelet.says("started");
        let _plugin = node.plugin(&[]);
        let ran = kubelet.finish();
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{more:?}");
        assert!(ran.stdout.contains("ready for volumes"));
        assert_eq!(ran.stdout.contains("\n---\n"), more.len() < 3);
    }
}

#[test]
fn once_fails_when_the_plugin_is_refused() {
    for more in [&[][..], &["--expect=disk.acme.io"]] {
        let node = Node::new();
        let kubelet = once(&node, &[more, &["--fault=refuse=no room"]].concat());
        kubelet.says("started");
        let _plugin = node.plugin(&[]);
        let ran = kubelet.finish();
        assert_eq!((ran.code, &*ran.stderr), (1, ""), "{more:?}");
        let lines = steady(&ran.stdout, node.folder());
        let refused = "refused      disk.acme.io: RegisterPlugin error -- plugin registration failed with err: no room";
        assert!(lines.iter().any(|line| line == refused), "{lines:#?}");
    }
}

#[test]
fn once_fails_when_time_is_up_and_says_so() {
    let node = Node::new();
    let _plugin = node.plugin(&[]);
    for (expect, missing) in [
        (&["--expect=other.acme.io"][..], "other.acme.io"),
        (
            &["--expect=b.acme.io", "--expect=a.acme.io"],
            "a.acme.io, b.acme.io",
        ),
    ] {
        let kubelet = once(&node, &[expect, &["--timeout", "300ms"]].concat());
        let ran = kubelet.finish();
        assert_eq!(ran.code, 1);
        let error = format!("ERROR csi_identity::kubelet: not registered: {missing}, within 300ms");
        assert_eq!(ran.log(), [error]);
    }
}

#[test]
fn a_signal_ends_it_well_but_for_what_was_to_be_waited_for() {
    for signal in [Signal::TERM, Signal::INT] {
        let node = Node::new();
        let kubelet = node.kubelet(&[]);
        kubelet.signal(signal);
        let ran = kubelet.finish();
        assert_eq!((ran.code, &*ran.stderr), (0, ""));

        let kubelet = once(&node, &["--expect=disk.acme.io"]);
        kubelet.says("started");
        kubelet.signal(signal);
        let ran = kubelet.finish();
        assert_eq!((ran.code, &*ran.stderr), (1, ""));
    }
}

#[test]
fn a_verdict_does_not_depend_on_a_reader() {
    let node = Node::new();
    let mut command = node.kubelet_command(&["--once"]);
    // Its reader has gone already.
    command.stdout(std::io::pipe().unwrap().1);
    let kubelet = Running::spawn(&mut command);
    let _plugin = node.plugin(&[]);
    let ran = kubelet.finish();
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
}
