//! Command lines that cannot be carried out.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::node::Node;
use crate::program::{Ran, Running, run};

#[test]
fn a_flag_with_a_bad_value_says_what_would_be_a_good_one() {
    let node = Node::new();
    for (flag, value, name, reason) in [
        (
            "--emulate",
            "1.19",
            "<VERSION>",
            "\"1.19\" is no version of a kubelet that is known here; write one from 1.20 to 1.36",
        ),
        (
            "--fault",
            "nope",
            "<FAULT>",
            "\"nope\" is no fault; write refuse=TEXT, refuse-first=N, never-notify, deaf-after-failure, restart-every=DURATION, \
             slow-getinfo=DURATION or drop-connection",
        ),
        (
            "--fault",
            "restart-every=0s",
            "<FAULT>",
            "\"0s\" is no time; write it as in restart-every=5s",
        ),
        (
            "--node-label",
            "zone",
            "<KEY=VALUE>",
            "\"zone\" has no '='; write it as in topology.acme.io/zone=z1",
        ),
        (
            "--node-label",
            "acme.io/zone=-",
            "<KEY=VALUE>",
            "\"-\" is no label value; it has at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends, or \
             nothing",
        ),
        (
            "--timeout",
            "0s",
            "<DURATION>",
            "\"0s\" leaves no time at all; give some, as in 5s",
        ),
    ] {
        let ran = Running::spawn(&mut node.kubelet_command(&["--once", flag, value])).finish();
        let error = format!(
            "error: invalid value '{value}' for '{flag} {name}': {reason}\n\nFor more information, try '--help'.\n"
        );
        assert_eq!(ran, Ran::error(2, &error));
    }
    assert!(!node.folder().join("plugins_registry").exists());
}

#[test]
fn what_is_missing_is_named() {
    let missing = |flag: &str, usage: &str| {
        let error = format!(
            "error: the following required arguments were not provided:\n  {flag}\n\nUsage: csi-identity kubelet {usage}\n\nFor \
             more information, try '--help'.\n"
        );
        Ran::error(2, &error)
    };
    assert_eq!(
        run(["kubelet"]),
        missing("--root-dir <DIR>", "--root-dir <DIR>")
    );
    assert_eq!(
        run(["kubelet", "--root-dir=/dev/null", "--expect=a"]),
        missing("--once", "--root-dir <DIR> --once --expect <DRIVER>")
    );
    assert_eq!(
        run(["kubelet", "--root-dir=/dev/null", "--timeout=1s"]),
        missing("--once", "--root-dir <DIR> --once --timeout <DURATION>")
    );
}

#[test]
fn a_directory_that_cannot_be_made_or_watched_is_named() {
    assert_eq!(
        run(["kubelet", "--root-dir=/dev/null/kubelet"]),
        Ran::error(
            2,
            "error: cannot make the directory /dev/null/kubelet/plugins_registry: Not a directory (os error 20)\n"
        )
    );
    let node = Node::new();
    fs::write(node.folder().join("plugins_registry"), "").unwrap();
    let ran = Running::spawn(&mut node.kubelet_command(&[])).finish();
    let error = format!(
        "error: cannot make the directory {}/plugins_registry: File exists (os error 17)\n",
        node.folder().display()
    );
    assert_eq!(ran, Ran::error(2, &error));
}

#[test]
fn a_directory_without_rights_is_named() {
    if rustix::process::geteuid().is_root() {
        // Nothing is closed to root.
        return;
    }
    let node = Node::new();
    let closed = fs::Permissions::from_mode(0o500);
    fs::set_permissions(node.folder(), closed).unwrap();
    let ran = Running::spawn(&mut node.kubelet_command(&[])).finish();
    let error = format!(
        "error: cannot make the directory {}/plugins_registry: Permission denied (os error 13)\n",
        node.folder().display()
    );
    assert_eq!(ran, Ran::error(2, &error));
}
