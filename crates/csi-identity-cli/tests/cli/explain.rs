//! What `explain` says of plugins in several states.

use std::fs;

use serde_json::Value;
use tonic::Code;

use crate::fake_plugin::{FakePlugin, Reply, Script};
use crate::program::{Ran, Running, csi_identity, temporary_folder};
use crate::served::Served;

/// What a plugin is waiting for that never becomes ready.
const WAITING: &str = "\
plugin_info: {name: disk.acme.io, vendor_version: \"1.2.3\"}
checks:
  - {name: array, path: /nonexistent/array}
";

fn explain(socket: &std::path::Path, more: &[&str]) -> Ran {
    let mut command = csi_identity(["explain", "-e"]);
    Running::spawn(command.arg(socket).args(more)).finish()
}

/// A server whose check fails for ever.
fn waiting(more: &[&str]) -> Served {
    let folder = temporary_folder();
    let file = folder.path().join("csi-identity.yaml");
    fs::write(&file, WAITING).unwrap();
    let mut arguments = vec!["--node-id=node-1", "--config", file.to_str().unwrap()];
    arguments.extend(more);
    // The file has been read when it answers.
    Served::start(&arguments)
}

/// The exit code, and the outcomes from the registrar to csc.
fn outcomes(ran: &Ran) -> (i32, Vec<String>) {
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let callers = json["callers"].as_array().unwrap().iter();
    let outcome = |caller: &Value| caller["outcome"].as_str().unwrap().to_owned();
    (ran.code, callers.map(outcome).collect())
}

#[test]
fn text_has_the_answers_and_a_line_for_each_caller() {
    let served = waiting(&["--capability=CONTROLLER_SERVICE"]);
    let expected = Ran::quiet(1, include_str!("explain/starting.txt"));
    assert_eq!(explain(served.socket(), &[]), expected);
    assert_eq!(explain(served.socket(), &["-o", "text"]), expected);
}

#[test]
fn the_guide_shows_what_is_written() {
    // Not in a package, which has this crate alone.
    for page in ["explain.md", "explain.zh-CN.md"] {
        let page = format!("{}/../../docs/{page}", env!("CARGO_MANIFEST_DIR"));
        let page = fs::read_to_string(page).unwrap();
        let mut shown = page.lines();
        for line in include_str!("explain/starting.txt").lines() {
            assert!(shown.any(|other| other == line), "{line}");
        }
    }
}

#[test]
fn each_state_has_its_exit_code_and_outcomes() {
    const SIDECARS_NOT: [&str; 6] = ["does_not_apply"; 6];
    for (served, code, node, others) in [
        (
            Served::start(&["--node-id=node-1"]),
            0,
            ["goes_on", "goes_on", "goes_on"],
            ["goes_on", "goes_on", "goes_on"],
        ),
        (
            Served::start(&[]),
            0,
            ["does_not_apply", "does_not_apply", "goes_on"],
            ["goes_on", "does_not_apply", "goes_on"],
        ),
        (
            waiting(&[]),
            1,
            ["goes_on", "goes_on", "refuses"],
            ["waits", "waits", "goes_on"],
        ),
        (
            waiting(&["--while-starting=error"]),
            1,
            ["goes_on", "goes_on", "refuses"],
            ["waits", "waits", "exits"],
        ),
    ] {
        let ran = explain(served.socket(), &["-o", "json"]);
        let expected: Vec<_> = [&node[..], &SIDECARS_NOT, &others].concat();
        let expected = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(outcomes(&ran), (code, expected));
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn a_plugin_without_an_identity_is_one_that_callers_exit_on() {
    let plugin = FakePlugin::start(Script::error(
        Code::Unimplemented,
        "no | identity\u{1b} yet",
    ));
    let (code, outcomes) = outcomes(&explain(plugin.socket(), &["-o", "json"]));
    assert_eq!(code, 1);
    let without_node_and_controller = [
        "does_not_apply",
        "does_not_apply",
        "exits",
        "does_not_apply",
        "does_not_apply",
        "does_not_apply",
        "does_not_apply",
        "does_not_apply",
        "exits",
        "waits",
        "does_not_apply",
        "exits",
    ];
    assert_eq!(outcomes, without_node_and_controller);
    let markdown = explain(plugin.socket(), &["-o", "markdown"]);
    assert_eq!(markdown.code, 1);
    for line in [
        "| GetPluginInfo | UNIMPLEMENTED: no \\| identity\\u{1b} yet |",
        "| livenessprobe | exits | GetPluginInfo answers UNIMPLEMENTED: exits with 1 | GetPluginInfo (no limit, at the start), \
         Probe (3s, before 2.17 1s, for each GET /healthz) | 2.19.0+31 |",
    ] {
        let found = markdown.stdout.lines().any(|found| found == line);
        assert!(found, "{line} in {}", markdown.stdout);
    }
}

#[test]
fn json_has_the_answers_with_the_names_of_the_wire() {
    let served = Served::start(&[
        "--node-id=node-1",
        "--capability=VOLUME_ACCESSIBILITY_CONSTRAINTS",
        "--topology=disk.acme.io/zone=a",
    ]);
    let ran = explain(served.socket(), &["-o", "json"]);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let answer = |call: &str| {
        let answer = &json["answers"][call];
        assert!(answer["seconds"].as_f64().unwrap() > 0.0);
        (answer["code"].clone(), answer["answer"].clone())
    };
    let node = serde_json::json!({
        "node_id": "node-1",
        "max_volumes_per_node": 0,
        "accessible_topology": { "segments": { "disk.acme.io/zone": "a" } },
    });
    assert_eq!(answer("NodeGetInfo"), ("OK".into(), node));
    assert_eq!(
        answer("ControllerGetCapabilities"),
        ("UNIMPLEMENTED".into(), Value::Null)
    );
    assert_eq!(
        json["callers"][0],
        serde_json::json!({
            "name": "node-driver-registrar",
            "read_from": "2.17.0+40",
            "asks": [{ "call": "GetPluginInfo", "limit": "1s" }],
            "outcome": "goes_on",
            "reason": null,
            "then": "serves the registration socket; never asks Probe",
            "inferred": false,
        })
    );
}

#[test]
fn a_call_that_hangs_is_told_as_far_as_it_was_waited_for() {
    // Every caller waits longer for this than it is waited for here, and none is in trouble for sure.
    let script = Script {
        capabilities: Reply::Never,
        ..Script::default()
    };
    let plugin = FakePlugin::start(script);
    let ran = explain(plugin.socket(), &["--timeout=300ms"]);
    let line = "GetPluginCapabilities      no answer (after 0.3s)";
    assert_eq!(ran.stdout.lines().nth(1), Some(line));
    // The name is empty, on which some exit.
    assert_eq!(ran.code, 1);

    let script = Script {
        info: Reply::Ok(csi_identity::proto::csi::v1::GetPluginInfoResponse {
            name: "disk.acme.io".to_owned(),
            ..Default::default()
        }),
        capabilities: Reply::Never,
        ..Script::default()
    };
    let plugin = FakePlugin::start(script);
    let ran = explain(plugin.socket(), &["--timeout=300ms"]);
    assert_eq!(
        (ran.code, &*ran.stderr),
        (
            2,
            "error: some callers wait longer than the 300ms granted here; give a longer --timeout\n"
        )
    );
    assert!(
        ran.stdout
            .contains("\ncsc                        not known ")
    );
}
