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

#[test]
fn results_of_clients_decide_the_exit_code() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("results");
    let path = file.to_str().unwrap();
    let right = r#"{"client":"grpc-go","version":"1.85.0","way":"unix:/","service":"identity","calls_ok":1100,"first_error":null}"#;
    let failed = r#"{"calls_ok":0,"first_error":"reset"}"#;
    for (results, code, part, error) in [
        (
            format!("answered\tlocalhost\t{right}\t{right}\n"),
            0,
            "| identity | answered     | answered",
            "",
        ),
        (
            format!("answered\tlocalhost\t{right}\t{failed}\n"),
            1,
            "grpc-go, unix:/, identity: csi-identity has to answer, but: reset\n",
            "",
        ),
        (
            "nonsense\n".to_owned(),
            2,
            "",
            "error: bad result \"nonsense\": 1 fields, not 4\n",
        ),
    ] {
        std::fs::write(&file, &results).unwrap();
        let output = xtask(&["interop", "report", path]).unwrap();
        assert_eq!(output.status.code(), Some(code), "{results}");
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(shown.contains(part), "{shown}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), error);
    }
}

#[test]
fn bad_options_of_the_benchmark_are_told_before_anything_is_built() {
    for (options, error) in [
        (
            ["bench", "--fast"].as_slice(),
            "error: unknown option \"--fast\", there are --quick, --write and --ours BINARY\n",
        ),
        (
            &["bench", "--ours"],
            "error: --ours needs the path of a binary\n",
        ),
        (
            &["bench", "--quick", "--write"],
            "error: --write needs the whole run, not --quick\n",
        ),
    ] {
        let output = xtask(options).unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), error);
    }
}
