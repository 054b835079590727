//! What `verify` says of plugins, good and bad.

mod command;
mod formats;
mod pages;

use std::path::Path;

use csi_identity::proto::csi::v1 as pb;
use serde_json::Value;
use tonic::Code;

use crate::fake_plugin::{FakePlugin, Reply, Script};
use crate::program::{Ran, Running, csi_identity, run};
use crate::served::Served;

fn verify(socket: &Path, more: &[&str]) -> Ran {
    let mut command = csi_identity(["verify", "-e"]);
    Running::spawn(command.arg(socket).args(more)).finish()
}

/// The exit code, and the rules that are broken, without what follows from others.
fn broken(ran: &Ran) -> (i32, Vec<(String, String)>) {
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let findings = json["findings"].as_array().unwrap().iter();
    let own = findings.filter(|finding| finding["implied_by"].is_null());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pair = |finding: &Value| (text(&finding["severity"]), text(&finding["id"]));
    (ran.code, own.map(pair).collect())
}

fn finding(severity: &str, id: &str) -> (String, String) {
    (severity.to_owned(), id.to_owned())
}

/// A plugin with a good identity, which becomes something else by `edit`.
fn plugin(edit: impl FnOnce(&mut Script)) -> FakePlugin {
    let mut script = Script {
        info: Reply::Ok(info("disk.acme.io")),
        ..Script::default()
    };
    edit(&mut script);
    FakePlugin::start(script)
}

fn info(name: &str) -> pb::GetPluginInfoResponse {
    pb::GetPluginInfoResponse {
        name: name.to_owned(),
        vendor_version: "1.2.3".to_owned(),
        ..Default::default()
    }
}

#[test]
fn serve_passes_by_every_measure() {
    let served = Served::start(&[
        "--node-id=node-1",
        "--topology=disk.acme.io/zone=a",
        "--capability=VOLUME_ACCESSIBILITY_CONSTRAINTS",
    ]);
    for profile in ["spec", "kubernetes", "nomad", "document", "csi-sanity"] {
        let ran = verify(
            served.socket(),
            &["--strict", "--profile", profile, "-o", "json"],
        );
        assert_eq!(broken(&ran), (0, vec![]), "{profile}");
    }
}

#[test]
fn a_service_that_is_elsewhere_is_missing_only_if_somebody_says_that_it_should_be_here() {
    let served = Served::start(&["--node-id=node-1", "--capability=CONTROLLER_SERVICE"]);
    assert_eq!(
        broken(&verify(served.socket(), &["-o", "json"])),
        (0, vec![])
    );
    let here = [
        "-o",
        "json",
        "--controller-endpoint",
        served.socket().to_str().unwrap(),
    ];
    assert_eq!(
        broken(&verify(served.socket(), &here)),
        (1, vec![finding("MUST", "CSI-ID-040")])
    );
}

#[test]
fn each_bad_answer_is_found_by_its_rule() {
    let underscore = plugin(|script| script.info = Reply::Ok(info("my_disk.acme.io")));
    let sick = plugin(|script| script.probe = vec![Reply::Error(Code::Unavailable, "no pool")]);
    let mute = plugin(|script| script.probe = vec![Reply::Error(Code::FailedPrecondition, "")]);
    let fickle = plugin(|script| {
        let turns = [
            Some(true),
            Some(true),
            Some(false),
            Some(true),
            Some(false),
            Some(true),
        ];
        script.probe = turns.map(Reply::Ok).into();
    });
    let worn = plugin(|script| {
        script.probe = vec![Reply::Ok(Some(true)); 50];
        script
            .probe
            .push(Reply::Error(Code::Internal, "no more files"));
    });
    let hollow = plugin(|script| {
        let capabilities = vec![pb::PluginCapability::default()];
        script.capabilities = Reply::Ok(pb::GetPluginCapabilitiesResponse { capabilities });
    });
    let unset = plugin(|script| script.probe = vec![Reply::Ok(None)]);
    let starting = plugin(|script| script.probe = vec![Reply::Ok(Some(false))]);
    for (plugin, code, expected) in [
        (&underscore, 1, &[("MUST", "CSI-ID-012")][..]),
        (&sick, 1, &[("BREAKS", "CSI-ID-060")]),
        (
            &mute,
            1,
            &[("MUST", "CSI-ID-095"), ("BREAKS", "CSI-ID-061")],
        ),
        (&fickle, 1, &[("BREAKS", "CSI-ID-066")]),
        (&worn, 1, &[("BREAKS", "CSI-ID-067")]),
        (&hollow, 0, &[("ADVICE", "CSI-ID-030")]),
        (&unset, 0, &[("ADVICE", "CSI-ID-063")]),
        (&starting, 1, &[("BREAKS", "CSI-ID-062")]),
    ] {
        let ran = verify(plugin.socket(), &["-o", "json"]);
        let expected = expected.iter().map(|(severity, id)| finding(severity, id));
        assert_eq!(broken(&ran), (code, expected.collect()));
    }
}

#[test]
fn a_call_that_hangs_is_found_and_the_rest_is_judged_all_the_same() {
    let plugin = plugin(|script| script.probe = vec![Reply::Never]);
    let ran = verify(plugin.socket(), &["-o", "json", "--budget=2s"]);
    assert_eq!(broken(&ran), (1, vec![finding("MUST", "CSI-ID-006")]));
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let left_out = json["left_out"].as_array().unwrap();
    assert!(left_out.contains(&"NodeGetInfo".into()), "{left_out:?}");
    let seen = &json["findings"][0]["evidence"][0]["seen"];
    assert_eq!(seen, "Probe: no answer within 1s");
    // What follows from it stands below it.
    let ran = verify(plugin.socket(), &["--budget=2s"]);
    let lines: Vec<_> = ran.stdout.lines().collect();
    let follows = "  so too    CSI-ID-065 Probe takes less than 1 s: Probe took 1.0 s";
    assert!(lines.contains(&follows), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("  not known ControllerGetCapabilities, "),
        "{}",
        ran.stdout
    );
}

#[test]
fn two_sockets_of_a_plugin_have_to_agree() {
    let node = plugin(|_| {});
    let controller = plugin(|script| {
        script.info = Reply::Ok(info("controller.acme.io"));
        let service = pb::plugin_capability::Service { r#type: 1 };
        let r#type = Some(pb::plugin_capability::Type::Service(service));
        let capabilities = vec![pb::PluginCapability { r#type }];
        script.capabilities = Reply::Ok(pb::GetPluginCapabilitiesResponse { capabilities });
    });
    let other = controller.socket().to_str().unwrap();
    let ran = verify(
        node.socket(),
        &["--controller-endpoint", other, "-o", "json"],
    );
    let expected = [
        ("MUST", "CSI-ID-036"),
        ("MUST", "CSI-ID-040"),
        ("BREAKS", "CSI-ID-027"),
    ];
    let expected = expected.map(|(severity, id)| finding(severity, id));
    assert_eq!(broken(&ran), (1, expected.into()));
}

#[test]
fn csi_sanity_is_imitated_with_its_slips() {
    let json = ["-o", "json", "--profile=csi-sanity"];
    let digit = plugin(|script| script.info = Reply::Ok(info("disk.acme.io2")));
    let underscore = plugin(|script| script.info = Reply::Ok(info("my_disk.acme.io")));
    let sick =
        plugin(|script| script.probe = vec![Reply::Error(Code::FailedPrecondition, "no pool")]);
    for (plugin, expected) in [
        (&digit, Some("CSI-SANITY-3")),
        (&underscore, None),
        (&sick, Some("CSI-SANITY-2")),
    ] {
        let ran = verify(plugin.socket(), &json);
        let expected: Vec<_> = expected.iter().map(|id| finding("MUST", id)).collect();
        assert_eq!(broken(&ran), (i32::from(!expected.is_empty()), expected));
    }
}

#[test]
fn rules_are_chosen_by_profile_and_id() {
    let plugin = plugin(|script| script.info = Reply::Ok(info("disk")));
    for (more, code, expected) in [
        (&[][..], 0, &[("ADVICE", "CSI-ID-015")][..]),
        (&["--strict"], 1, &[("ADVICE", "CSI-ID-015")]),
        (&["--profile=document"], 1, &[("MUST", "CSI-ID-015")]),
        (&["--profile=document", "--skip=csi-id-015"], 0, &[]),
        (&["--strict", "--only=CSI-ID-001,CSI-ID-003"], 0, &[]),
        (
            &["--strict", "--only=CSI-ID-001", "--only=CSI-ID-015"],
            1,
            &[("ADVICE", "CSI-ID-015")],
        ),
    ] {
        let ran = verify(plugin.socket(), &[more, &["-o", "json"]].concat());
        let expected = expected.iter().map(|(severity, id)| finding(severity, id));
        assert_eq!(broken(&ran), (code, expected.collect()), "{more:?}");
    }
}

#[test]
fn what_could_not_be_found_out_is_no_verdict() {
    let folder = crate::program::temporary_folder();
    let socket = folder.path().join("csi.sock");
    let path = socket.display();
    let ran = verify(&socket, &[]);
    let expected = format!(
        "error: nothing is at {path}, though its directory exists; its server has not bound it yet, or binds another path\n"
    );
    assert_eq!(ran, Ran::error(2, &expected));
    let ran = verify(&socket, &["--skip=CSI-ID-0012"]);
    let expected = "error: there is no rule \"CSI-ID-0012\"; did you mean CSI-ID-001?\n";
    assert_eq!(ran, Ran::error(2, expected));
    let ran = run(["verify"]);
    assert_eq!((ran.code, &*ran.stdout), (2, ""));
    assert!(
        ran.stderr.contains("--endpoint <ENDPOINT>"),
        "{}",
        ran.stderr
    );
}
