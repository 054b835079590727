//! Faults of the process: its start, its socket and its end, and what a restart changes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::call::{Ask, Client};
use crate::program::{Place, Program, program, until_served};

pub(crate) const FAULTS: [&str; 21] = [
    "socket-mode-open",
    "socket-not-sock",
    "socket-beside-file",
    "socket-beside-socket",
    "socket-behind-link",
    "socket-stale-refused",
    "socket-left-behind",
    "sigterm-ignored",
    "sigterm-fails",
    "start-slow",
    "start-exits-silently",
    "start-fails-silently",
    "endpoint-ignored",
    "endpoint-scheme-refused",
    "restart-changes-name",
    "restart-changes-version",
    "restart-changes-node-id",
    "socket-hidden",
    "socket-directory-open",
    "socket-stolen",
    "restart-refused",
];

#[tokio::test]
async fn the_socket_is_as_its_fault_wants_it_while_the_plugin_runs_and_after_it() {
    // What the umask leaves, which is not what this is about.
    const PLAIN: u32 = 0o1000;
    // What is there while it runs, its socket first; the mode of that; what stays when it has ended.
    for (fault, there, mode, left) in [
        ("none", &["csi.sock"][..], 0o600, &[][..]),
        ("socket-mode-open", &["csi.sock"], 0o777, &[]),
        ("socket-not-sock", &["csi.socket"], 0o600, &[]),
        ("endpoint-ignored", &["default.sock"], 0o600, &[]),
        ("socket-hidden", &[".csi.sock"], 0o600, &[]),
        ("restart-refused", &["csi.sock"], PLAIN, &["csi.sock"]),
        ("socket-beside-file", &["csi.sock", "csi.pid"], 0o600, &[]),
        (
            "socket-beside-socket",
            &["csi.sock", "debug.sock"],
            0o600,
            &[],
        ),
        (
            "socket-behind-link",
            &["csi.sock", "csi-real.sock"],
            0o600,
            &[],
        ),
        ("socket-left-behind", &["csi.sock"], 0o600, &["csi.sock"]),
    ] {
        let place = Place::new();
        let plugin = place.start(fault);
        let socket = place.path(there[0]);
        until_served(&socket).await;
        let mut sorted = there.to_vec();
        sorted.sort_unstable();
        assert_eq!(place.listing(), sorted, "{fault}");
        let found = fs::metadata(&socket).unwrap().permissions().mode() & 0o777;
        assert!(found == mode || mode == PLAIN, "{fault}: {found:o}");
        assert_eq!(socket.is_symlink(), fault == "socket-behind-link");

        plugin.signal(Signal::TERM);
        assert_eq!(
            plugin.finish().await,
            (Some(0), String::new(), String::new()),
            "{fault}"
        );
        assert_eq!(place.listing(), left, "{fault}");
    }
}

#[tokio::test]
async fn a_stale_socket_is_in_the_way_only_where_that_is_the_fault() {
    for fault in ["none", "socket-stale-refused", "restart-refused"] {
        let place = Place::new();
        let socket = place.path("csi.sock");
        drop(UnixListener::bind(&socket).unwrap());
        let plugin = place.start(fault);
        if fault == "none" {
            until_served(&socket).await;
            continue;
        }
        let error = format!(
            "error: cannot make {}: Address already in use (os error 98)\n",
            socket.display()
        );
        assert_eq!(plugin.finish().await, (Some(2), String::new(), error));
    }

    let place = Place::new();
    let plugin = place.start("socket-stale-refused");
    until_served(&place.path("csi.sock")).await;
    plugin.signal(Signal::TERM);
    assert_eq!(plugin.finish().await.0, Some(0));
    assert_eq!(place.listing(), [""; 0]);
}

#[tokio::test]
async fn a_socket_in_use_is_taken_only_where_that_is_the_fault() {
    for (fault, taken) in [("none", false), ("socket-stolen", true)] {
        let place = Place::new();
        let socket = place.path("csi.sock");
        // Nobody speaks HTTP/2 there.
        let _first = UnixListener::bind(&socket).unwrap();
        let second = place.start(fault);
        if taken {
            until_served(&socket).await;
        } else {
            let (code, _, err) = second.finish().await;
            assert_eq!(code, Some(2), "{err}");
        }
    }
}

#[tokio::test]
async fn a_directory_is_opened_to_all_only_where_that_is_the_fault() {
    for (fault, opened) in [("none", false), ("socket-directory-open", true)] {
        let place = Place::new();
        let mode = || fs::metadata(place.path(".")).unwrap().permissions().mode() & 0o777;
        let before = mode();
        assert_ne!(before, 0o777);
        let _plugin = place.start(fault);
        until_served(&place.path("csi.sock")).await;
        assert_eq!(mode(), if opened { 0o777 } else { before }, "{fault}");
    }
}

#[tokio::test]
async fn a_signal_to_stop_is_taken_as_the_fault_wants_it() {
    for (fault, code) in [("none", 0), ("sigterm-fails", 1)] {
        for signal in [Signal::TERM, Signal::INT] {
            let place = Place::new();
            let plugin = place.start(fault);
            until_served(&place.path("csi.sock")).await;
            plugin.signal(signal);
            assert_eq!(plugin.finish().await.0, Some(code), "{fault}");
            assert_eq!(place.listing(), [""; 0]);
        }
    }

    let place = Place::new();
    let mut plugin = place.start("sigterm-ignored");
    let socket = place.path("csi.sock");
    until_served(&socket).await;
    plugin.signal(Signal::TERM);
    for _ in 0..100 {
        until_served(&socket).await;
    }
    assert!(plugin.is_running());
}

#[tokio::test]
async fn a_slow_start_takes_three_seconds() {
    let place = Place::new();
    let begun = Instant::now();
    let _plugin = place.start("start-slow");
    until_served(&place.path("csi.sock")).await;
    assert!(begun.elapsed() >= Duration::from_secs(3));
}

#[tokio::test]
async fn a_plugin_that_does_not_start_says_why_unless_that_is_the_fault() {
    for (fault, code, error) in [
        ("start-exits-silently", 0, String::new()),
        ("start-fails-silently", 1, String::new()),
        (
            "endpoint-scheme-refused",
            2,
            "No such file or directory (os error 2)\n".to_owned(),
        ),
    ] {
        let place = Place::new();
        let (ended, out, err) = place.start(fault).finish().await;
        assert_eq!((ended, &*out), (Some(code), ""), "{fault}");
        assert!(
            err.ends_with(&error) && err.is_empty() == error.is_empty(),
            "{fault}: {err}"
        );
        assert_eq!(place.listing(), [""; 0], "{fault}");
    }
}

#[tokio::test]
async fn a_restart_changes_what_the_fault_says() {
    for (fault, call, differs) in [
        ("none", "Identity/GetPluginInfo", false),
        ("none", "Node/NodeGetInfo", false),
        ("restart-changes-name", "Identity/GetPluginInfo", true),
        ("restart-changes-version", "Identity/GetPluginInfo", true),
        ("restart-changes-node-id", "Node/NodeGetInfo", true),
    ] {
        let place = Place::new();
        let mut answers = Vec::new();
        for _ in 0..2 {
            let plugin = place.start(fault);
            let socket = place.path("csi.sock");
            until_served(&socket).await;
            let client = Client::connect(&socket).await;
            let seen = client.call(Ask::of(call)).await.to_string();
            assert_eq!(
                client.call(Ask::of(call)).await.to_string(),
                seen,
                "{fault}"
            );
            assert_eq!(
                seen.contains(&plugin.id().to_string()),
                differs,
                "{fault}: {seen}"
            );
            answers.push(seen);
            plugin.signal(Signal::TERM);
            plugin.finish().await;
        }
        assert_eq!(answers[0] != answers[1], differs, "{fault}");
    }
}

#[tokio::test]
async fn the_list_has_a_sentence_for_each_fault() {
    let mut command = program();
    command.arg("--list");
    let (code, out, err) = Program::run(command).await;
    assert_eq!((code, &*err), (Some(0), ""));
    assert_eq!(out.lines().count(), faulty_plugin::FAULTS.len());
    let line = "It has a name with an underscore (CSI, GetPluginInfoResponse.name).";
    assert!(
        out.lines()
            .any(|found| found.starts_with("name-underscore ") && found.ends_with(line))
    );
    assert!(
        out.lines()
            .all(|line| line.ends_with(").") && line.contains("  It "))
    );
}

#[tokio::test]
async fn the_page_of_faults_is_what_is_written() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let mut command = program();
    command
        .current_dir(root)
        .args(["--page", "interop/sanity/faults.tsv"]);
    let (code, out, err) = Program::run(command).await;
    assert_eq!((code, &*err), (Some(0), ""));
    let shown = fs::read_to_string(format!("{root}docs/faults.md")).unwrap();
    assert!(
        out == shown,
        "write docs/faults.md anew: cargo run -p faulty-plugin -- --page interop/sanity/faults.tsv > docs/faults.md"
    );
}

#[tokio::test]
async fn verdicts_that_cannot_be_read_are_an_error() {
    let place = Place::new();
    let path = place.path("faults.tsv");
    fs::write(&path, "name-empty\tgood\n").unwrap();
    let mut command = program();
    command.arg("--page").arg(&path);
    let (code, out, err) = Program::run(command).await;
    assert_eq!((code, &*out), (Some(2), ""));
    let error = format!(
        "error: cannot read {}: the verdict for name-empty is \"good\"; it has to be passed, failed or hung\n",
        path.display()
    );
    assert_eq!(err, error);
}

#[tokio::test]
async fn a_wrong_argument_is_an_error() {
    for (arguments, error) in [
        (
            &[
                "-e",
                "unix:///nowhere/csi.sock",
                "--fault",
                "name-undersore",
            ][..],
            "error: invalid value 'name-undersore' for '--fault <NAME>': there is no fault \"name-undersore\", \
             did you mean name-underscore?; --list shows all\n",
        ),
        (
            &["-e", "tcp://1.2.3.4"],
            "error: the endpoint cannot be read: ",
        ),
        (
            &["-e", "unix:///nowhere/csi.sock"],
            "error: cannot bind the socket: ",
        ),
        (
            &[],
            "error: the following required arguments were not provided:\n  --endpoint <ENDPOINT>\n",
        ),
    ] {
        let mut command = program();
        command.args(arguments);
        let (code, out, err) = Program::run(command).await;
        assert_eq!((code, &*out), (Some(2), ""), "{arguments:?}");
        assert!(err.starts_with(error), "{err}");
    }
}
