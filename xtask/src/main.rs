//! Chores of this workspace, run as `cargo xtask <command>`.

mod codegen;

use std::{
    io::{self, Write},
    process::ExitCode,
};

const USAGE: &str = "\
usage: cargo xtask codegen            write crates/csi-proto/src/generated from proto
       cargo xtask codegen --check    only say which of its files differ (exit code 1 if any do)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["codegen"] => codegen::write(&mut io::stdout()).map(|()| ExitCode::SUCCESS),
        ["codegen", "--check"] => {
            codegen::check(&mut io::stdout()).map(|same| ExitCode::from(u8::from(!same)))
        }
        _ => writeln!(io::stderr(), "{USAGE}")
            .map(|()| ExitCode::from(2))
            .map_err(Into::into),
    };
    result.unwrap_or_else(|error| {
        // Standard error is gone as well if this fails, so nobody could be told.
        let _ = writeln!(io::stderr(), "error: {error:#}");
        ExitCode::from(2)
    })
}
