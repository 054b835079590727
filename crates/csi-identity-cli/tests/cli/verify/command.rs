//! Plugins that `verify` starts itself.

use std::path::Path;

use rustix::process::{Pid, Signal, test_kill_process};
use serde_json::Value;

use super::{broken, finding};
use crate::program::{Ran, Running, csi_identity, eventually, listing, temporary_folder};

fn verify(command: &str, more: &[&str]) -> Ran {
    let mut program = csi_identity(["verify", "--command", command, "-o", "json"]);
    Running::spawn(program.args(more)).finish()
}

/// The command that serves a good plugin.
fn serve(more: &str) -> String {
    let program = env!("CARGO_BIN_EXE_csi-identity");
    format!("{program} serve --name disk.acme.io --vendor-version 1.2.3 --node-id node-1 {more}")
}

#[test]
fn serve_starts_stops_and_starts_again_as_it_should() {
    let ran = verify(&serve(""), &["--strict"]);
    assert_eq!(broken(&ran), (0, vec![]), "{}", ran.stdout);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["left_out"], Value::Array(vec![]));
}

#[test]
fn the_socket_may_be_chosen_and_nothing_is_left_of_it() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    let ran = verify(&serve(""), &["-e", socket.to_str().unwrap()]);
    assert_eq!(broken(&ran), (0, vec![]));
    assert_eq!(listing(folder.path()), [""; 0]);
}

#[test]
fn another_plugin_is_not_taken_for_the_one_that_is_started() {
    let served = crate::served::Served::start(&[]);
    let path = served.socket().display().to_string();
    let ran = verify("exit 1", &["-e", &path]);
    let expected = format!(
        "error: somebody listens on {path} already; end that, or choose another endpoint\n"
    );
    assert_eq!(ran, Ran::error(2, &expected));
}

#[test]
fn a_plugin_that_does_not_start_is_told_with_what_it_wrote() {
    let ran = verify("echo no such pool >&2; exit 3", &[]);
    assert_eq!(broken(&ran), (1, vec![finding("MUST", "CSI-ID-170")]));
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        json["findings"][0]["evidence"][0]["seen"],
        "it ended with status 3; it wrote: no such pool"
    );
    // It listens elsewhere.
    let folder = temporary_folder();
    let elsewhere = serve(&format!("-e {}", folder.path().join("csi.sock").display()));
    let ran = verify(&elsewhere, &["--budget=3s"]);
    assert_eq!(broken(&ran), (1, vec![finding("MUST", "CSI-ID-170")]));
}

#[test]
fn what_a_process_does_wrong_is_found() {
    let beside = format!(
        "touch \"$(dirname \"${{CSI_ENDPOINT#unix://}}\")/csi.lock\"; exec {}",
        serve("")
    );
    let folder = temporary_folder();
    let renamed = format!(
        "if mkdir {}/seen; then exec {}; else exec {}; fi",
        folder.path().display(),
        serve(""),
        serve("").replace("disk.acme.io", "other.acme.io")
    );
    let deaf = format!(
        "trap '' TERM; {} & wait; while :; do sleep 1; done",
        serve("")
    );
    for (command, expected) in [
        (
            &beside,
            vec![
                finding("MUST", "CSI-ID-174"),
                finding("ADVICE", "CSI-ID-173"),
            ],
        ),
        (&renamed, vec![finding("MUST", "CSI-ID-176")]),
        (&deaf, vec![finding("BREAKS", "CSI-ID-172")]),
    ] {
        let ran = verify(command, &[]);
        assert_eq!(broken(&ran), (1, expected), "{command}: {}", ran.stdout);
    }
}

#[test]
fn a_signal_ends_the_plugin_too() {
    let folder = temporary_folder();
    let pid_file = folder.path().join("pid");
    let command = format!("echo $$ > {}; exec sleep 1000", pid_file.display());
    let mut program = csi_identity(["verify", "--command", &command]);
    let running = Running::spawn(&mut program);
    eventually("the plugin starts", || read_pid(&pid_file).is_some());
    let pid = read_pid(&pid_file).unwrap();
    running.signal(Signal::TERM);
    assert_eq!(running.finish().code, 130);
    assert!(test_kill_process(pid).is_err());
}

fn read_pid(file: &Path) -> Option<Pid> {
    let text = std::fs::read_to_string(file).ok()?;
    Pid::from_raw(text.trim().parse().ok()?)
}
