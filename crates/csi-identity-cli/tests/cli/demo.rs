//! `demo`, to its end and interrupted.

use std::io::{Read, Write};
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
fn its_story_has_a_registration_every_caller_and_all_that_happens_to_them() {
    let (mut command, place) = demo(&[]);
    let ran = Running::spawn(&mut command).finish();
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let told = ["    agent: ", "    kubelet: "];
    let is_told = |line: &str| told.iter().any(|who| line.starts_with(who));
    let lines = ran.stdout.lines().map(without_what_varies);
    let lines: Vec<_> = lines.filter(|line| !is_told(line)).collect();
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
        "Registration",
        &format!(
            "* a plugin starts on unix://{place}/csi-identity-demo-*/csi.sock; its backend 127.0.0.1:* is still down"
        ),
        "* a kubelet 1.36 starts; its clock runs 5 times as fast",
        "    Probe {} -> OK {\"ready\":false}",
        "* the agent starts; as long as the plugin is not ready it shows the kubelet nothing",
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
        "A readiness dip",
        "* the backend goes down; a kubelet does not probe, so the plugin stays registered",
        "    Probe {} -> FAILED_PRECONDITION \"NOT_READY: backend 127.0.0.1:*: Connection refused (os error 111)\"",
        "* the backend is up again",
        ready,
        "An agent restart",
        "* the agent stops, and removes its socket",
        "* the agent starts",
        "A deleted socket",
        &format!(
            "* somebody deletes {place}/csi-identity-demo-*/plugins_registry/disk.acme.io-reg.sock; the agent shows another one"
        ),
        "A refusal and recovery",
        "* a kubelet 1.35 with the fault refuse-first=1 starts; its clock runs 5 times as fast",
        "* this kubelet does not try that socket again; the agent shows another one",
        "The end",
        "* the agent is asked to stop",
        "* the plugin is asked to stop",
        "* the plugin's socket is gone: true",
        "13 calls and 4 registrations, 0 not as expected",
        &format!("the picture of it is in {place}/csi-identity-demo-*.html"),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn the_kubelet_registers_refuses_and_forgets_and_the_agent_asks_in_the_order_of_the_rpcs() {
    let (mut command, place) = demo(&["-o", "json"]);
    let ran = Running::spawn(&mut command).finish();
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let lines = json_lines(&ran);
    let verdicts = ["registered", "refused", "deregistered"];
    let events = lines.iter().filter_map(|line| line["event"].as_str());
    let events: Vec<_> = events.filter(|event| verdicts.contains(event)).collect();
    assert_eq!(
        events,
        [
            "registered",
            "deregistered",
            "registered",
            "deregistered",
            "registered",
            "refused",
            "deregistered",
            "registered",
            "deregistered"
        ]
    );
    let agents = lines.iter().filter(|line| line["client"] == "agent");
    let calls: Vec<_> = agents.map(|line| line["rpc"].as_str().unwrap()).collect();
    let order = [
        "GetPluginInfo",
        "GetPluginCapabilities",
        "Probe",
        "NodeGetInfo",
    ];
    assert_eq!(calls[..3], order[..3]);
    assert_eq!(calls[calls.len() - 4..], order);
    // All that is left is the picture, and it is a page that loads nothing.
    let left = listing(place.path());
    let picture = lines.last().unwrap()["picture"].as_str().unwrap();
    assert_eq!(left, [picture.rsplit('/').next().unwrap()]);
    let page = std::fs::read_to_string(picture).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("<script"));
    for shown in [
        "NodeGetInfo",
        "disk.acme.io is registered",
        "disk.acme.io is refused",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
}

#[test]
fn what_is_to_be_kept_is_there_in_the_end() {
    let place = temporary_folder();
    let kept = place.path().join("node");
    let ran = Running::spawn(csi_identity(["demo", "--keep"]).arg(&kept)).finish();
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let last = format!("the picture of it is in {}/flow.html", kept.display());
    assert_eq!(ran.stdout.lines().last(), Some(&*last));
    assert_eq!(
        listing(&kept),
        [
            "agent.log",
            "flow.html",
            "flow.json",
            "flow.md",
            "flow.svg",
            "node.yaml",
            "plugins_registry",
            "registration.json",
            "registration.svg"
        ]
    );
    assert_eq!(listing(&kept.join("plugins_registry")), [""; 0]);

    let again = Running::spawn(csi_identity(["demo", "--keep"]).arg(&kept)).finish();
    let error = format!(
        "error: {} is not empty; give a directory that is, or one that does not exist yet\n",
        kept.display()
    );
    assert_eq!(
        (again.code, &*again.stdout, &*again.stderr),
        (2, "", &*error)
    );
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
    match text.split_once(" in ").zip(text.split_once(" s, ")) {
        Some(((counts, _), (_, rest))) => format!("{counts}, {rest}"),
        None => text,
    }
}

#[test]
fn its_json_is_one_object_a_line_and_ends_with_a_summary() {
    let (mut command, _place) = demo(&["-o", "json"]);
    let ran = Running::spawn(&mut command).finish();
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let lines = json_lines(&ran);
    assert!(lines.iter().all(Value::is_object));
    let calls = lines.iter().filter(|line| line.get("expected").is_some());
    assert_eq!(calls.clone().count(), 13);
    assert!(calls.clone().all(|call| call["expected"] == json!(true)));
    let clients: std::collections::BTreeSet<_> =
        calls.map(|call| call["client"].as_str().unwrap()).collect();
    assert_eq!(clients.len(), 3);
    let summary = lines.last().unwrap();
    let counts = ["calls", "registrations", "unexpected"].map(|count| &summary[count]);
    assert_eq!(counts, [&json!(13), &json!(4), &json!(0)]);
    assert!(summary["duration_s"].is_f64());
}

fn json_lines(ran: &Ran) -> Vec<Value> {
    let lines = ran.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn where_temporary_files_lie_too_deep_it_goes_elsewhere() {
    let place = temporary_folder();
    let deep = place.path().join("d".repeat(90));
    std::fs::create_dir(&deep).unwrap();
    let ran = Running::spawn(csi_identity(["demo"]).env("TMPDIR", &deep)).finish();
    assert_eq!(ran.code, 0, "{ran:?}");
    let start = "* a plugin starts on unix:///tmp/csi-identity-demo-";
    let second = ran.stdout.lines().nth(1).unwrap();
    assert!(second.starts_with(start), "{ran:?}");
    let log = ran.log();
    let (begin, end) = log[0].split_once("csi-identity-demo-").unwrap();
    let deep_shown = deep.display();
    assert_eq!(
        begin,
        format!("WARN csi_identity::demo::stage: the demo goes to /tmp: socket path {deep_shown}/")
    );
    let len = deep.as_os_str().len() + "/csi-identity-demo-123456/csi.sock".len();
    let rest = format!(
        "/csi.sock is {len} bytes long, the limit is 107; choose a shorter directory or file name"
    );
    assert_eq!(end[6..], rest);
    assert_eq!(log.len(), 1);
    assert_eq!(listing(&deep), [""; 0]);
    let picture = ran.stdout.rsplit(" is in ").next().unwrap();
    std::fs::remove_file(picture.trim_end()).unwrap();
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
