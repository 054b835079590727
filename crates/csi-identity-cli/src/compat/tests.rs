mod charts;
mod liveness;
mod registrar;
mod syntax;

use std::ffi::OsString;
use std::time::Duration;

use csi_identity::endpoint::Endpoint;

use super::logging::Logging;
use super::{CompatError, LivenessFlags, Metrics, OldProgram, RegistrarFlags, Request, named};
use crate::log::LogFormat;

fn parse(program: OldProgram, arguments: &[&str]) -> Result<Request, CompatError> {
    program.parse(arguments.iter().map(OsString::from))
}

fn registrar(arguments: &[&str]) -> RegistrarFlags {
    match parse(OldProgram::Registrar, arguments) {
        Ok(Request::Register(flags)) => flags,
        other => panic!("{arguments:?}: {other:?}"),
    }
}

fn liveness(arguments: &[&str]) -> LivenessFlags {
    match parse(OldProgram::LivenessProbe, arguments) {
        Ok(Request::AnswerForHealth(flags)) => flags,
        other => panic!("{arguments:?}: {other:?}"),
    }
}

/// The message with its cause, as the binary prints it, and the exit code.
fn refusal(program: OldProgram, arguments: &[&str]) -> (String, u8) {
    let error = parse(program, arguments).unwrap_err();
    let code = error.exit_code(program);
    (format!("{:#}", anyhow::Error::new(error)), code)
}

fn endpoint(path: &str) -> Endpoint {
    path.parse().unwrap()
}

/// What a registrar does that is told nothing but where the plugin is for the kubelet.
fn plain_registrar() -> RegistrarFlags {
    RegistrarFlags {
        csi_address: endpoint("/run/csi/socket"),
        kubelet_registration_path: endpoint("/k/csi.sock"),
        plugin_registration_path: "/registration".into(),
        timeout: Duration::from_secs(1),
        http_endpoint: None,
        logging: Logging::default(),
        warning: None,
    }
}

/// What a livenessprobe does that is told nothing.
fn plain_liveness() -> LivenessFlags {
    LivenessFlags {
        csi_address: endpoint("/run/csi/socket"),
        probe_timeout: Duration::from_secs(3),
        http_endpoint: ":9808".parse().unwrap(),
        metrics: Metrics::Off,
        logging: Logging::default(),
        warning: None,
    }
}

#[test]
fn the_last_part_of_the_command_says_which_program_is_meant() {
    for (command, program) in [
        ("csi-node-driver-registrar", Some(OldProgram::Registrar)),
        ("/csi-node-driver-registrar", Some(OldProgram::Registrar)),
        ("./bin/node-driver-registrar", Some(OldProgram::Registrar)),
        ("/livenessprobe", Some(OldProgram::LivenessProbe)),
        ("/livenessprobe/csi-identity", None),
        ("livenessprobe2", None),
        ("/", None),
        ("", None),
    ] {
        assert_eq!(named(command.as_ref()), program, "{command}");
    }
    for program in [OldProgram::Registrar, OldProgram::LivenessProbe] {
        assert_eq!(named(program.name().as_ref()), Some(program));
    }
}

#[test]
fn verbosity_and_format_become_ours() {
    for (arguments, verbose, format) in [
        (&["-v=0"][..], 0, LogFormat::Text),
        (&["--v=3"], 0, LogFormat::Text),
        (&["-v", "4"], 1, LogFormat::Text),
        (&["--v=5", "--logging-format=text"], 1, LogFormat::Text),
        (&["--v", "6", "-logging-format", "json"], 2, LogFormat::Json),
        (&["--v=010"], 2, LogFormat::Text),
        (&["--v=9", "--v=1"], 0, LogFormat::Text),
    ] {
        let logging = Logging { verbose, format };
        assert_eq!(liveness(arguments).logging, logging, "{arguments:?}");
        let with_path = [&["--kubelet-registration-path=/k/csi.sock"], arguments].concat();
        assert_eq!(registrar(&with_path).logging, logging, "{arguments:?}");
    }
}

#[test]
fn all_that_has_no_effect_is_in_one_warning() {
    for (arguments, warning) in [
        (
            &[
                "--logtostderr",
                "--alsologtostderr=false",
                "--skip_headers=false",
            ][..],
            None,
        ),
        (&["--automaxprocs=false", "--log-text-split-stream=0"], None),
        (
            &["--logtostderr=false"],
            Some("no effect here: -logtostderr"),
        ),
        (
            &[
                "--vmodule=a=1",
                "-log_dir",
                "/tmp",
                "--automaxprocs",
                "--vmodule=b=2",
            ],
            Some("no effect here: -vmodule, -log_dir, -automaxprocs"),
        ),
        (
            &["--log_file_max_size=1", "start", "--v=5"],
            Some(
                "no effect here: -log_file_max_size; not read, since \"start\" is no flag: \"start\" and all after it",
            ),
        ),
        (
            &["--", "--v=5"],
            Some("not read, since \"--v=5\" is no flag: \"--v=5\" and all after it"),
        ),
        (&["--"], None),
    ] {
        let read = liveness(arguments);
        assert_eq!(read.warning.as_deref(), warning, "{arguments:?}");
        assert_eq!(read.logging, Logging::default(), "{arguments:?}");
    }
}

#[test]
fn every_flag_of_klog_and_of_component_base_is_taken() {
    // By the help of klog 2.140 and component-base 0.36.
    for switch in [
        "add_dir_header",
        "alsologtostderr",
        "automaxprocs",
        "legacy_stderr_threshold_behavior",
        "log-json-split-stream",
        "log-text-split-stream",
        "logtostderr",
        "one_output",
        "skip_headers",
        "skip_log_headers",
    ] {
        let off = format!("--{switch}=F");
        assert!(
            refusal(OldProgram::LivenessProbe, &[&off, "--nope"])
                .0
                .ends_with("-nope")
        );
        // The next argument is no value of a switch.
        assert_eq!(
            liveness(&[&format!("-{switch}"), "-v=5"]).logging.verbose,
            1,
            "{switch}"
        );
    }
    for flag in [
        "alsologtostderrthreshold",
        "connection-timeout",
        "feature-gates",
        "log-flush-frequency",
        "log-json-info-buffer-size",
        "log-text-info-buffer-size",
        "log_backtrace_at",
        "log_dir",
        "log_file",
        "log_file_max_size",
        "stderrthreshold",
        "vmodule",
    ] {
        let read = liveness(&[&format!("-{flag}"), "x", "-v=5"]);
        assert_eq!(read.warning, Some(format!("no effect here: -{flag}")));
        assert_eq!(read.logging.verbose, 1, "{flag}");
    }
}

#[test]
fn the_list_of_flags_names_each_of_them() {
    for (program, own) in [
        (
            OldProgram::Registrar,
            &[
                "csi-address",
                "enable-pprof",
                "health-port",
                "http-endpoint",
                "kubelet-registration-path",
                "mode",
                "plugin-registration-path",
                "timeout",
                "version",
            ][..],
        ),
        (
            OldProgram::LivenessProbe,
            &[
                "csi-address",
                "health-port",
                "http-endpoint",
                "metrics-address",
                "metrics-path",
                "probe-timeout",
            ],
        ),
    ] {
        let usage = program.usage();
        assert!(usage.starts_with(&format!(
            "Usage of {}:\n  -csi-address value\n",
            program.name()
        )));
        for name in own.iter().chain(&["v", "logging-format", "vmodule"]) {
            assert!(usage.contains(&format!("\n  -{name}")), "{name} in {usage}");
        }
        for help in ["-h", "--help", "--help=x"] {
            assert_eq!(parse(program, &["-v=5", help, "--nope"]), Ok(Request::Help));
        }
    }
}
