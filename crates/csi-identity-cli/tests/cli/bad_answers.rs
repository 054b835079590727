//! Plugins that are not ready, broken, slow or odd, and the exit codes they get.

use csi_identity::proto::csi::v1 as pb;
use csi_identity::proto::csi::v1::plugin_capability::{Service, Type, VolumeExpansion};
use tonic::Code;

use crate::fake_plugin::{FakePlugin, Reply, Script};
use crate::program::{Ran, Running, csi_identity};

fn ask(plugin: &FakePlugin, subcommand: &str, more: &[&str]) -> Ran {
    let mut command = csi_identity([subcommand, "-e"]);
    Running::spawn(command.arg(plugin.socket()).args(more)).finish()
}

#[test]
fn probe_tells_ready_from_not_ready() {
    for (reply, code, text, json) in [
        (
            Reply::Ok(Some(true)),
            0,
            "ready\n",
            "{\n  \"ready\": true\n}\n",
        ),
        (
            Reply::Ok(None),
            0,
            "ready (unset, which means ready)\n",
            "{\n  \"ready\": null,\n  \"note\": \"an unset ready means ready\"\n}\n",
        ),
        (
            Reply::Ok(Some(false)),
            1,
            "not ready: starting, or waiting for what it depends on (ready=false)\n",
            "{\n  \"ready\": false\n}\n",
        ),
        (
            Reply::Error(Code::FailedPrecondition, "NOT_READY: pool p0 is offline"),
            1,
            "FAILED_PRECONDITION: NOT_READY: pool p0 is offline\n",
            "{\n  \"code\": \"FAILED_PRECONDITION\",\n  \"message\": \"NOT_READY: pool p0 is offline\"\n}\n",
        ),
    ] {
        let plugin = FakePlugin::start(Script::probes([reply]));
        assert_eq!(ask(&plugin, "probe", &[]), Ran::quiet(code, text));
        assert_eq!(
            ask(&plugin, "probe", &["-o", "json"]),
            Ran::quiet(code, json)
        );
    }
}

#[test]
fn an_error_of_the_plugin_is_an_answer_and_a_failure() {
    for (code, message, text, json) in [
        (
            Code::Unimplemented,
            "no identity yet",
            "UNIMPLEMENTED: no identity yet\n",
            "{\n  \"code\": \"UNIMPLEMENTED\",\n  \"message\": \"no identity yet\"\n}\n",
        ),
        (
            Code::Unavailable,
            "array 7 is away",
            "UNAVAILABLE: array 7 is away\n",
            "{\n  \"code\": \"UNAVAILABLE\",\n  \"message\": \"array 7 is away\"\n}\n",
        ),
        (
            Code::DeadlineExceeded,
            "array 7 is slow",
            "DEADLINE_EXCEEDED: array 7 is slow\n",
            "{\n  \"code\": \"DEADLINE_EXCEEDED\",\n  \"message\": \"array 7 is slow\"\n}\n",
        ),
        (
            Code::Internal,
            "",
            "INTERNAL\n",
            "{\n  \"code\": \"INTERNAL\",\n  \"message\": \"\"\n}\n",
        ),
        (
            Code::Unknown,
            "red\u{1b}[31m\r\nfake line\u{9b}2J",
            "UNKNOWN: red\\u{1b}[31m\\r\\nfake line\\u{9b}2J\n",
            "{\n  \"code\": \"UNKNOWN\",\n  \"message\": \"red\\u001b[31m\\r\\nfake line\\u009b2J\"\n}\n",
        ),
    ] {
        let plugin = FakePlugin::start(Script::error(code, message));
        for subcommand in ["info", "capabilities", "probe"] {
            assert_eq!(ask(&plugin, subcommand, &[]), Ran::quiet(1, text));
            let ran = ask(&plugin, subcommand, &["-o", "json"]);
            assert_eq!(ran, Ran::quiet(1, json));
        }
    }
}

#[test]
fn a_call_without_an_answer_is_nothing_found_out() {
    let plugin = FakePlugin::start(Script::mute());
    for subcommand in ["info", "capabilities", "probe"] {
        let expected = format!(
            "error: the plugin at {} takes calls, but did not answer within 300ms\n",
            plugin.socket().display()
        );
        assert_eq!(
            ask(&plugin, subcommand, &["--timeout=300ms"]),
            Ran::error(2, &expected)
        );
    }
}

#[test]
fn capabilities_that_nobody_knows_are_shown_by_number() {
    let service = |number| Some(Type::Service(Service { r#type: number }));
    let expansion = |number| Some(Type::VolumeExpansion(VolumeExpansion { r#type: number }));
    let kinds = [
        service(7),
        None,
        expansion(9),
        service(0),
        expansion(1),
        service(1),
        service(-1),
    ];
    let capabilities = kinds.map(|r#type| pb::PluginCapability { r#type });
    let plugin = FakePlugin::start(Script {
        capabilities: Reply::Ok(pb::GetPluginCapabilitiesResponse {
            capabilities: capabilities.into(),
        }),
        ..Script::default()
    });
    // As sent, for the order may be what somebody looks for.
    let text = "\
UNKNOWN(7)                       service
EMPTY                            neither service nor volume_expansion
UNKNOWN(9)                       volume_expansion
UNKNOWN                          service
ONLINE                           volume_expansion
CONTROLLER_SERVICE               service
UNKNOWN(-1)                      service
";
    assert_eq!(ask(&plugin, "capabilities", &[]), Ran::quiet(0, text));
    let json: serde_json::Value =
        serde_json::from_str(&ask(&plugin, "capabilities", &["-o", "json"]).stdout).unwrap();
    let expected = serde_json::json!({ "capabilities": [
        { "service": { "type": 7 } },
        {},
        { "volume_expansion": { "type": 9 } },
        { "service": { "type": 0 } },
        { "volume_expansion": { "type": "ONLINE" } },
        { "service": { "type": "CONTROLLER_SERVICE" } },
        { "service": { "type": -1 } },
    ] });
    assert_eq!(json, expected);
}

#[test]
fn an_identity_cannot_steer_the_terminal() {
    let nasty = "a\u{1b}]0;title\u{7}\nb";
    let plugin = FakePlugin::start(Script {
        info: Reply::Ok(pb::GetPluginInfoResponse {
            name: nasty.to_owned(),
            vendor_version: nasty.to_owned(),
            manifest: [(nasty.to_owned(), nasty.to_owned())].into(),
        }),
        ..Script::default()
    });
    let ran = ask(&plugin, "info", &[]);
    let safe = "a\\u{1b}]0;title\\u{7}\\nb";
    let text =
        format!("name:           {safe}\nvendor_version: {safe}\nmanifest:\n  {safe}: {safe}\n");
    assert_eq!((ran.code, &ran.stdout), (0, &text));
    assert_eq!(
        ran.log(),
        [
            "WARN csi_identity::info: plugin name has '\\u{1b}' at byte 1; allowed are ASCII letters, digits, '-' and '.'",
            "WARN csi_identity::info: the version is no semantic version; write three numbers, such as 1.0.0",
            "WARN csi_identity::info: gocsi's validator refuses the version: it takes three numbers, with or without v \
             before and -text after",
        ]
    );

    let ran = ask(&plugin, "info", &["-o", "json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["name"], nasty);
    assert_eq!(json["manifest"][nasty], nasty);
}

#[test]
fn an_identity_without_a_name_is_shown_with_a_warning() {
    let plugin = FakePlugin::start(Script::default());
    let ran = ask(&plugin, "info", &[]);
    assert_eq!(
        (ran.code, &*ran.stdout),
        (0, "name:           \nvendor_version: \n")
    );
    assert_eq!(
        ran.log(),
        [
            "WARN csi_identity::info: plugin name is empty; take one under a domain you own, such as disk.example.org",
            "WARN csi_identity::info: vendor version is empty; give one such as 1.0.0",
        ]
    );
}
