use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use super::{OldProgram, parse, refusal, registrar};
use crate::compat::Request;

#[test]
fn dashes_equals_signs_and_order_are_as_in_go() {
    for arguments in [
        &["--csi-address=/a/b.sock", "--timeout=2s"][..],
        &["-csi-address", "/a/b.sock", "-timeout", "2s"],
        &[
            "--timeout",
            "1h",
            "--csi-address=/x.sock",
            "--timeout=2s",
            "-csi-address=/a/b.sock",
        ],
    ] {
        let read = registrar(&[&["--kubelet-registration-path=/k/csi.sock"], arguments].concat());
        assert_eq!(read.csi_address.path_text(), "/a/b.sock", "{arguments:?}");
        assert_eq!(read.timeout.as_secs(), 2, "{arguments:?}");
    }
}

#[test]
fn a_value_is_whatever_follows() {
    let (message, code) = refusal(
        OldProgram::Registrar,
        &["--kubelet-registration-path", "--timeout=5s"],
    );
    assert!(message.starts_with("kubelet-registration-path is wrong: endpoint \"--timeout=5s\""));
    assert_eq!(code, 1);
}

#[test]
fn flags_end_at_two_dashes_and_before_the_first_word() {
    for end in ["--", "-", "word", ""] {
        let read = registrar(&["--kubelet-registration-path=/k/csi.sock", end, "--nope"]);
        assert!(read.warning.is_some(), "{end:?}");
    }
}

#[test]
fn what_is_no_flag_of_the_program_ends_with_2_and_the_list_of_flags() {
    for (arguments, message) in [
        (&["--nope"][..], "flag provided but not defined: -nope"),
        (&["-V=5"], "flag provided but not defined: -V"),
        (
            &["--csi_address=/a"],
            "flag provided but not defined: -csi_address",
        ),
        (&["---v=5"], "bad flag syntax: ---v=5"),
        (&["-=5"], "bad flag syntax: -=5"),
        (&["--=5"], "bad flag syntax: --=5"),
        (&["--csi-address"], "flag needs an argument: -csi-address"),
        (
            &["--logtostderr=maybe"],
            "invalid boolean value \"maybe\" for -logtostderr: neither true nor false",
        ),
        (
            &["--v=-1"],
            "invalid value \"-1\" for flag -v: no whole number in decimal from 0 to 2147483647",
        ),
        (
            &["--v=5000000000"],
            "invalid value \"5000000000\" for flag -v: no whole number in decimal from 0 to 2147483647",
        ),
        (
            &["--v="],
            "invalid value \"\" for flag -v: no whole number in decimal from 0 to 2147483647",
        ),
    ] {
        for program in [OldProgram::Registrar, OldProgram::LivenessProbe] {
            assert_eq!(refusal(program, arguments), (message.to_owned(), 2));
            assert!(parse(program, arguments).unwrap_err().shows_usage());
        }
    }
}

#[test]
fn an_argument_that_is_not_utf8_is_named() {
    let arguments = [OsString::from("-v=1"), OsString::from_vec(vec![b'-', 0xff])];
    let error = OldProgram::LivenessProbe.parse(arguments).unwrap_err();
    assert_eq!(
        error.to_string(),
        "argument \"-\\xFF\" is not UTF-8, as all text here has to be"
    );
    assert_eq!(error.exit_code(OldProgram::LivenessProbe), 2);
}

#[test]
fn a_wrong_logging_format_ends_with_1_even_where_the_version_is_asked_for() {
    for program in [OldProgram::Registrar, OldProgram::LivenessProbe] {
        let message = "logging-format \"xml\" is neither text nor json".to_owned();
        assert_eq!(refusal(program, &["--logging-format=xml"]), (message, 1));
        assert!(
            !parse(program, &["--logging-format=xml"])
                .unwrap_err()
                .shows_usage()
        );
    }
    let arguments = &["--version", "--logging-format"];
    assert_eq!(
        parse(OldProgram::Registrar, &arguments[..1]),
        Ok(Request::Version)
    );
    let with_wrong_format = [&arguments[..], &["xml"]].concat();
    assert_eq!(refusal(OldProgram::Registrar, &with_wrong_format).1, 1);
}
