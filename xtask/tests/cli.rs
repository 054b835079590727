//! Exit codes, as CI relies on them.

use std::{
    io,
    process::{Command, Output},
};

fn xtask(arguments: &[&str]) -> io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(arguments)
        .output()
}

#[test]
fn anything_but_a_known_command_shows_the_usage() {
    for arguments in [
        [].as_slice(),
        &["codgen"],
        &["codegen", "--chek"],
        &["codegen", "--check", "more"],
    ] {
        let output = xtask(arguments).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{arguments:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).starts_with("usage: cargo xtask codegen"),
            "{arguments:?}"
        );
    }
}

#[test]
fn committed_code_is_what_the_protocol_texts_say() {
    let output = xtask(&["codegen", "--check"]).unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert_eq!(output.status.code(), Some(0));
}
