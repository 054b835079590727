//! `demo`, to its end and interrupted.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;

use rustix::pipe::fcntl_getpipe_size;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{Ran, Running, csi_identity, eventually, listing, temporary_folder};

/// The demo, and the place for its temporary files.
fn demo(arguments: &[&str]) -> (Command, TempDir) {
    let place = temporary_folder();
    let mut command = csi_identity(["demo"]);
    command.args(arguments).env("TMPDIR", place.path());
    (command, place)
}

#[test]
fn its_story_has_every_caller_and_both_kinds_of_not_ready() {
    let (mut command, place) = demo(&[]);
    let ran = Running::spawn(&mut command).finish();
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let lines: Vec<_> = ran.stdout.lines().map(without_what_varies).collect();
    let place = place.path().display().to_string();
    let encoded = place.replace('/', "%2F");
    let about = concat!(
        "    GetPluginInfo {} -> OK {\"name\":\"disk.acme.io\",\"vendor_version\":\"",
        env!("CARGO_PKG_VERSION"),
        "\",\"manifest\":{}}"
    );
    let offer = "    GetPluginCapabilities {} -> OK {\"capabilities\":[{\"service\":{\"type\":\"CONTROLLER_SERVICE\"}}]}";
    let ready = "    Probe {} -> OK {\"ready\":true}";
    let expected = [
        &format!(
            "* a plugin starts on unix://{place}/csi-identity-demo-*/csi.sock; its backend 127.0.0.1:* is still down"
        ),
        "    Probe {} -> OK {\"ready\":false}",
        "* the backend is up",
        ready,
        "  like kubelets since 1.26 and sidecars calling a plugin; their :authority is localhost",
        about,
        offer,
        ready,
        &format!(
            "  like kubelets to 1.28 registering a plugin; their :authority is {place}/csi-identity-demo-*/csi.sock"
        ),
        about,
        offer,
        ready,
        &format!(
            "  like kubelets since 1.29 registering a plugin; their :authority is {encoded}%2Fcsi-identity-demo-*%2Fcsi.sock"
        ),
        about,
        offer,
        ready,
        "* the backend goes down",
        "    Probe {} -> FAILED_PRECONDITION \"NOT_READY: backend 127.0.0.1:*: Connection refused (os error 111)\"",
        "* the backend is up again",
        ready,
        "* the plugin is asked to stop",
        "* the socket is gone: true",
        "13 calls, 0 not as expected; nothing is left behind",
    ];
    assert_eq!(lines, expected);
    assert_eq!(listing(Path::new(&place)), [""; 0]);
}

/// A line of the story without names made up for this run, and without times.
fn without_what_varies(line: &str) -> String {
    let mut text = line.to_owned();
    for (before, len) in [("csi-identity-demo-", Some(6)), ("127.0.0.1:", None)] {
        if let Some(at) = text.find(before) {
            let start = at + before.len();
            let digits = text[start..].find(|c: char| !c.is_ascii_digit());
            text.replace_range(start..start + len.or(digits).unwrap(), "*");
        }
    }
    if let Some((answer, _milliseconds)) = text.rsplit_once("  ").filter(|_| text.ends_with(" ms"))
    {
        return answer.to_owned();
    }
    match text.split_once(" calls in ").zip(text.split_once(" s, ")) {
        Some(((calls, _), (_, rest))) => format!("{calls} calls, {rest}"),
        None => text,
    }
}

#[test]
fn its_json_is_one_object_a_line_and_ends_with_a_summary() {
    let (mut command, place) = demo(&["-o", "json"]);
    let ran = Running::spawn(&mut command).finish();
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.iter().all(Value::is_object));
    let calls = lines.iter().filter(|line| line.get("rpc").is_some());
    assert_eq!(calls.clone().count(), 13);
    assert!(calls.clone().all(|call| call["expected"] == json!(true)));
    let clients: std::collections::BTreeSet<_> =
        calls.map(|call| call["client"].as_str().unwrap()).collect();
    assert_eq!(clients.len(), 3);
    let summary = lines.last().unwrap();
    assert_eq!(
        (&summary["calls"], &summary["unexpected"]),
        (&json!(13), &json!(0))
    );
    assert!(summary["duration_s"].is_f64());
    assert_eq!(listing(place.path()), [""; 0]);
}

#[test]
fn where_temporary_files_lie_too_deep_it_goes_elsewhere() {
    let place = temporary_folder();
    let deep = place.path().join("d".repeat(90));
    std::fs::create_dir(&deep).unwrap();
    let ran = Running::spawn(csi_identity(["demo"]).env("TMPDIR", &deep)).finish();
    assert_eq!(ran.code, 0, "{ran:?}");
    let start = "* a plugin starts on unix:///tmp/csi-identity-demo-";
    assert!(ran.stdout.starts_with(start), "{ran:?}");
    let log = ran.log();
    let (begin, end) = log[0].split_once("csi-identity-demo-").unwrap();
    let deep_shown = deep.display();
    assert_eq!(
        begin,
        format!("WARN csi_identity::demo: the demo goes to /tmp: socket path {deep_shown}/")
    );
    let len = deep.as_os_str().len() + "/csi-identity-demo-123456/csi.sock".len();
    let rest = format!(
        "/csi.sock is {len} bytes long, the limit is 107; choose a shorter directory or file name"
    );
    assert_eq!(end[6..], rest);
    assert_eq!(log.len(), 1);
    assert_eq!(listing(&deep), [""; 0]);
}

#[test]
fn a_place_that_cannot_be_used_is_named() {
    let place = temporary_folder();
    let file = place.path().join("file");
    std::fs::write(&file, "").unwrap();
    for (tmpdir, reason) in [
        (
            place.path().join("none"),
            "No such file or directory (os error 2)",
        ),
        (file, "Not a directory (os error 20)"),
    ] {
        let ran = Running::spawn(csi_identity(["demo"]).env("TMPDIR", &tmpdir)).finish();
        let shown = tmpdir.display();
        let expected = format!(
            "error: cannot make a folder in {shown}; set TMPDIR to a place where that is possible: {reason} at path \
             \"{shown}/csi-identity-demo-"
        );
        assert_eq!((ran.code, &*ran.stdout), (2, ""));
        assert!(ran.stderr.starts_with(&expected), "{ran:?}");
    }
}

#[test]
fn an_interrupted_demo_leaves_nothing_either() {
    for signal in [Signal::TERM, Signal::INT] {
        // A pipe that is full holds the demo at its first line, when its folder is there already.
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        let size = fcntl_getpipe_size(&writer).unwrap();
        writer.write_all(&vec![b'.'; size]).unwrap();
        let (mut command, place) = demo(&[]);
        let running = Running::spawn(command.stdout(writer));
        // The command holds the pipe too.
        drop(command);
        eventually("a folder", || !listing(place.path()).is_empty());
        running.signal(signal);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        let ran = running.finish();
        assert_eq!(ran, Ran::quiet(130, ""));
        assert!(!text.contains("the plugin is asked to stop"), "{text}");
        assert_eq!(listing(place.path()), [""; 0]);
    }
}
