//! Tests that need a mount namespace of their own.

use std::process::Command;

/// Runs an ignored test of this program again, in a new mount namespace.
///
/// Where the system does not let us have one there is nothing to test, and the reason is printed.
#[expect(clippy::print_stdout, reason = "says why a test is skipped")]
pub(crate) fn run_again(test: &str) {
    let unshare = || {
        let mut command = Command::new("unshare");
        command.arg("--mount");
        command
    };
    let tried = unshare().arg("true").output().unwrap();
    if !tried.status.success() {
        let reason = String::from_utf8_lossy(&tried.stderr);
        println!("skipped {test}: {reason}");
        return;
    }
    let ran = unshare()
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", test])
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{output}");
    assert!(output.contains("1 passed"), "{output}");
}
