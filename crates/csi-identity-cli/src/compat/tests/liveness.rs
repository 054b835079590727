use std::time::Duration;

use super::{LivenessFlags, Metrics, OldProgram, endpoint, liveness, plain_liveness, refusal};

#[test]
fn what_is_not_said_is_as_in_the_original() {
    assert_eq!(liveness(&[]), plain_liveness());
}

#[test]
fn each_flag_is_taken() {
    let read = liveness(&[
        "--csi-address=/c/csi.sock",
        "--probe-timeout=500ms",
        "--http-endpoint=[::1]:29653",
        "--metrics-path=/m",
    ]);
    let expected = LivenessFlags {
        csi_address: endpoint("/c/csi.sock"),
        probe_timeout: Duration::from_millis(500),
        http_endpoint: "[::1]:29653".parse().unwrap(),
        metrics: Metrics::Beside {
            path: "/m".to_owned(),
        },
        ..plain_liveness()
    };
    assert_eq!(read, expected);
}

#[test]
fn metrics_are_beside_the_new_address_or_on_their_own() {
    let path = || "/metrics".to_owned();
    for (arguments, address, metrics) in [
        (&["--health-port=1"][..], ":1", Metrics::Off),
        (
            &["--http-endpoint=:2"],
            ":2",
            Metrics::Beside { path: path() },
        ),
        // The default, given, counts as not given.
        (
            &["--http-endpoint=:2", "--health-port=9808"],
            ":2",
            Metrics::Beside { path: path() },
        ),
        (
            &["--metrics-address=localhost:3"],
            ":9808",
            Metrics::Apart {
                address: "localhost:3".parse().unwrap(),
                path: path(),
            },
        ),
    ] {
        let read = liveness(arguments);
        assert_eq!(
            read.http_endpoint,
            address.parse().unwrap(),
            "{arguments:?}"
        );
        assert_eq!(read.metrics, metrics, "{arguments:?}");
    }
}

#[test]
fn settings_that_cannot_work_end_with_1() {
    for (arguments, message) in [
        (
            &["--health-port=1", "--http-endpoint=:1"][..],
            "only one of --health-port and --http-endpoint can be set",
        ),
        (
            &["--metrics-address=:1", "--http-endpoint=:1"],
            "only one of --metrics-address and --http-endpoint can be set",
        ),
        (
            &["--health-port=http"],
            "health-port is wrong: \"0.0.0.0:http\" has the port \"http\"; a port is a number from 0 to 65535",
        ),
        (
            &["--metrics-address=x"],
            "metrics-address is wrong: \"x\" has no port; write HOST:PORT, or :PORT for all addresses",
        ),
        (
            &["--metrics-path=m"],
            "metrics-path \"m\" does not begin with a slash, as in /metrics",
        ),
        (
            &["--probe-timeout=0s"],
            "probe-timeout leaves no time at all; give some, as in 3s",
        ),
        (
            &["--csi-address=unix://csi/csi.sock"],
            "csi-address is wrong: endpoint \"unix://csi/csi.sock\" has an authority, \"csi\", since only two slashes \
             follow unix:; did you mean unix:///csi/csi.sock",
        ),
    ] {
        assert_eq!(
            refusal(OldProgram::LivenessProbe, arguments),
            (message.to_owned(), 1)
        );
    }
}

#[test]
fn flags_of_the_registrar_end_with_2() {
    for flag in ["version", "timeout", "mode", "kubelet-registration-path"] {
        let message = format!("flag provided but not defined: -{flag}");
        assert_eq!(
            refusal(OldProgram::LivenessProbe, &[&format!("--{flag}=1")]),
            (message, 2)
        );
    }
}
