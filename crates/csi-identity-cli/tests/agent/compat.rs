//! The program under the names of the two it takes the place of.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::program::{Ran, Running, csi_identity, isolate, temporary_folder};

pub(crate) const REGISTRAR: &str = "csi-node-driver-registrar";
pub(crate) const LIVENESSPROBE: &str = "livenessprobe";

/// A link of this name to the program, in this folder.
pub(crate) fn link(folder: &Path, name: &str) -> Command {
    let link = folder.join(name);
    if !link.is_symlink() {
        symlink(env!("CARGO_BIN_EXE_csi-identity"), &link).unwrap();
    }
    let mut command = Command::new(link);
    isolate(&mut command);
    command
}

/// How it ends by a link of this name, and by the subcommand; both have to be the same.
fn ended(name: &str, arguments: &[&str]) -> Ran {
    let folder = temporary_folder();
    let by_link = Running::spawn(link(folder.path(), name).args(arguments)).finish();
    let mut command = csi_identity(["compat", name, "--"]);
    let by_command = Running::spawn(command.args(arguments)).finish();
    let here = format!("{}/", folder.path().display());
    assert_eq!(by_link.stdout.replace(&here, ""), by_command.stdout);
    assert_eq!(
        (by_link.code, &by_link.stderr),
        (by_command.code, &by_command.stderr)
    );
    by_command
}

const PATH: &str = "--kubelet-registration-path=/k/csi.sock";

#[test]
fn what_is_asked_for_and_done_ends_with_0() {
    for name in [REGISTRAR, LIVENESSPROBE] {
        for flag in ["-h", "--help"] {
            let ran = ended(name, &[flag]);
            assert_eq!((ran.code, &*ran.stdout), (0, ""));
            let start = format!("Usage of {name}:\n  -csi-address value\n");
            assert!(ran.stderr.starts_with(&start), "{}", ran.stderr);
        }
    }
    let version = format!("{REGISTRAR} v{}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(ended(REGISTRAR, &["--version"]), Ran::quiet(0, &version));
    let probe = [PATH, "--mode=kubelet-registration-probe"];
    assert_eq!(ended(REGISTRAR, &probe), Ran::quiet(0, ""));
}

#[test]
fn a_command_line_that_is_not_understood_ends_with_2_and_the_flags() {
    for (name, arguments, error) in [
        (
            REGISTRAR,
            &["--csi-adress=/csi/csi.sock"][..],
            "flag provided but not defined: -csi-adress",
        ),
        (
            LIVENESSPROBE,
            &["--version"],
            "flag provided but not defined: -version",
        ),
        (
            LIVENESSPROBE,
            &["--csi-address"],
            "flag needs an argument: -csi-address",
        ),
        (
            LIVENESSPROBE,
            &["--probe-timeout=3"],
            "invalid value \"3\" for flag -probe-timeout: no duration; write it with units, as in 500ms, 3s or 1m30s",
        ),
        (
            REGISTRAR,
            &["--enable-pprof=yes"],
            "invalid boolean value \"yes\" for -enable-pprof: neither true nor false",
        ),
    ] {
        let ran = ended(name, arguments);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{arguments:?}");
        let start = format!("{error}\nUsage of {name}:\n");
        assert!(ran.stderr.starts_with(&start), "{}", ran.stderr);
    }
}

#[test]
fn a_command_line_that_cannot_be_carried_out_ends_with_1_and_a_message() {
    for (name, arguments, error) in [
        (
            REGISTRAR,
            &["--csi-address=/csi/csi.sock"][..],
            "kubelet-registration-path is a required parameter; give the plugin's socket as the kubelet sees it",
        ),
        (
            REGISTRAR,
            &[PATH, "--health-port=80", "--http-endpoint=:80"],
            "only one of --health-port and --http-endpoint can be set",
        ),
        (
            REGISTRAR,
            &[PATH, "--plugin-registration-path=registration"],
            "plugin-registration-path \"registration\" is no absolute path",
        ),
        (
            REGISTRAR,
            &["--kubelet-registration-path=/k/plugins_registry/a.io/csi.sock"],
            "error: /k/plugins_registry/a.io/csi.sock is inside plugins_registry, where a kubelet takes every socket for a \
             registration socket; put the plugin's own socket under plugins/<name of the plugin>",
        ),
        (
            LIVENESSPROBE,
            &["--probe-timeout=0s"],
            "probe-timeout leaves no time at all; give some, as in 3s",
        ),
        (
            LIVENESSPROBE,
            &["--logging-format=yaml"],
            "logging-format \"yaml\" is neither text nor json",
        ),
    ] {
        let expected = Ran::error(1, &format!("{error}\n"));
        assert_eq!(ended(name, arguments), expected, "{arguments:?}");
    }
}

#[test]
fn no_other_name_is_taken_for_one_of_them() {
    let ran = Running::spawn(&mut csi_identity(["compat", "csi-provisioner", "--"])).finish();
    assert_eq!((ran.code, &*ran.stdout), (2, ""));
    assert!(
        ran.stderr.contains(
            "'csi-provisioner' for '<NAME>': write csi-node-driver-registrar or livenessprobe"
        ),
        "{}",
        ran.stderr
    );
}
