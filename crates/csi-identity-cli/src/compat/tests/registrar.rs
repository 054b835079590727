use std::time::Duration;

use super::{OldProgram, RegistrarFlags, endpoint, parse, plain_registrar, refusal, registrar};
use crate::compat::{Ending, Request};

const PATH: &str = "--kubelet-registration-path=/k/csi.sock";

#[test]
fn what_is_not_said_is_as_in_the_original() {
    assert_eq!(registrar(&[PATH]), plain_registrar());
}

#[test]
fn each_flag_is_taken() {
    let read = registrar(&[
        "--csi-address=unix:///c/csi.sock",
        "--kubelet-registration-path=unix:///k/csi.sock",
        "--plugin-registration-path=/p/",
        "--timeout=1m30s",
        "--http-endpoint=127.0.0.1:9809",
        "--mode=registration",
        "--enable-pprof",
        "--connection-timeout=15s",
        "--version=false",
    ]);
    let expected = RegistrarFlags {
        csi_address: endpoint("/c/csi.sock"),
        plugin_registration_path: "/p".into(),
        timeout: Duration::from_secs(90),
        http_endpoint: Some("127.0.0.1:9809".parse().unwrap()),
        warning: Some("no effect here: -enable-pprof, -connection-timeout".to_owned()),
        ..plain_registrar()
    };
    assert_eq!(read, expected);
}

#[test]
fn the_old_port_is_on_every_address_and_off_unless_above_0() {
    for (arguments, address) in [
        (&["--health-port=9809"][..], Some(":9809")),
        (&["--health-port=0"], None),
        (&["--health-port=-1"], None),
        (&["--health-port=0", "--http-endpoint=:1"], Some(":1")),
        (&["--health-port=9809", "--http-endpoint="], Some(":9809")),
    ] {
        let read = registrar(&[&[PATH], arguments].concat());
        let address = address.map(|address| address.parse().unwrap());
        assert_eq!(read.http_endpoint, address, "{arguments:?}");
    }
}

#[test]
fn version_comes_before_what_is_missing_and_the_exec_probe_after_it() {
    let parse = |arguments: &[&str]| parse(OldProgram::Registrar, arguments);
    assert_eq!(parse(&["--version"]), Ok(Request::Version));
    assert_eq!(
        parse(&["--mode=kubelet-registration-probe", PATH]),
        Ok(Request::Nothing)
    );
    let with_what_is_not_looked_at = ["--mode=kubelet-registration-probe", PATH, "--csi-address="];
    assert_eq!(parse(&with_what_is_not_looked_at), Ok(Request::Nothing));
    assert_eq!(
        refusal(
            OldProgram::Registrar,
            &["--mode=kubelet-registration-probe"]
        )
        .1,
        1
    );
}

#[test]
fn settings_that_cannot_work_end_with_1() {
    for (arguments, message) in [
        (
            &[][..],
            "kubelet-registration-path is a required parameter; give the plugin's socket as the kubelet sees it",
        ),
        (
            &[PATH, "--health-port=1", "--http-endpoint=:1"],
            "only one of --health-port and --http-endpoint can be set",
        ),
        (
            &[PATH, "--csi-address="],
            "csi-address is wrong: endpoint is empty; give a socket, as in unix:///run/csi/csi.sock",
        ),
        (
            &["--kubelet-registration-path=k/csi.sock"],
            "kubelet-registration-path is wrong: endpoint \"k/csi.sock\" is a relative path; did you mean \
             unix:///k/csi.sock",
        ),
        (
            &[PATH, "--http-endpoint=localhost"],
            "http-endpoint is wrong: \"localhost\" has no port; write HOST:PORT, or :PORT for all addresses",
        ),
        (
            &[PATH, "--health-port=70000"],
            "health-port is wrong: \":70000\" has the port \"70000\"; a port is a number from 0 to 65535",
        ),
        (
            &[PATH, "--plugin-registration-path=registration"],
            "plugin-registration-path \"registration\" is no absolute path",
        ),
        (
            &[PATH, "--timeout=0"],
            "timeout leaves no time at all; give some, as in 3s",
        ),
        (
            &[PATH, "--timeout=-1s"],
            "timeout leaves no time at all; give some, as in 3s",
        ),
    ] {
        assert_eq!(
            refusal(OldProgram::Registrar, arguments),
            (message.to_owned(), 1)
        );
    }
}

#[test]
fn values_that_cannot_be_read_end_with_2() {
    for (argument, message) in [
        (
            "--timeout=5",
            "invalid value \"5\" for flag -timeout: no duration; write it with units, as in 500ms, 3s or 1m30s",
        ),
        (
            "--timeout=9999999h",
            "invalid value \"9999999h\" for flag -timeout: too long a duration; the limit is about 292 years",
        ),
        (
            "--health-port=http",
            "invalid value \"http\" for flag -health-port: no whole number in decimal, without leading zeros",
        ),
        (
            "--health-port=010",
            "invalid value \"010\" for flag -health-port: no whole number in decimal, without leading zeros",
        ),
        (
            "--version=maybe",
            "invalid boolean value \"maybe\" for -version: neither true nor false",
        ),
        (
            "--probe-timeout=3s",
            "flag provided but not defined: -probe-timeout",
        ),
    ] {
        assert_eq!(
            refusal(OldProgram::Registrar, &[argument]),
            (message.to_owned(), 2)
        );
    }
}

#[test]
fn it_ends_as_the_original_does() {
    for (ending, registrar, liveness_probe) in [
        (Ending::Done, 0, 0),
        (Ending::Usage, 2, 2),
        (Ending::Settings, 1, 1),
        (Ending::Http, 1, 0),
        (Ending::Refused, 1, 1),
        (Ending::Terminated, 0, 143),
    ] {
        assert_eq!(
            ending.exit_code(OldProgram::Registrar),
            registrar,
            "{ending:?}"
        );
        assert_eq!(
            ending.exit_code(OldProgram::LivenessProbe),
            liveness_probe,
            "{ending:?}"
        );
    }
}
