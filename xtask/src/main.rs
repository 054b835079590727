//! Chores of this workspace, run as `cargo xtask <command>`.

mod bench;
mod codegen;
mod http2;
mod interop;
mod layout;
mod table;
mod workspace;

use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::Result;

const USAGE: &str = "\
usage: cargo xtask codegen            write crates/csi-proto/src/generated from proto
       cargo xtask codegen --check    only say which of its files differ (exit code 1 if any do)
       cargo xtask bench [--quick] [--write] [--ours BINARY]
                                      measure csi-identity beside a stock tonic server, and its agent beside sidecars in
                                      Go (exit code 1 if a bound is not met), and write docs/benchmarks.md
       cargo xtask layout             run the program under valgrind, and write which functions are to lie together
for interop/run:
       cargo xtask interop ready SOCKET                 wait until the server there answers
       cargo xtask interop observe SOCKET CLIENT...     show which authority a client sends
       cargo xtask interop errors RESULTS [--write SECTION]
                                      show and judge what they saw of plugins with which something is wrong
       cargo xtask interop report RESULTS [--write SECTIONS]
                                      show and judge what clients saw (exit code 1 if it is not right), and write
                                      docs/interop.md with the sections of the others";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments, &mut io::stdout()) {
        Ok(code) => code,
        Err(error) => {
            // Standard error is gone as well if this fails, so nobody could be told.
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[&str], out: &mut impl Write) -> Result<ExitCode> {
    let verdict = |right: bool| ExitCode::from(u8::from(!right));
    Ok(match arguments {
        ["codegen"] => {
            codegen::write(out)?;
            ExitCode::SUCCESS
        }
        ["codegen", "--check"] => verdict(codegen::check(out)?),
        ["bench", options @ ..] => verdict(bench::run(options, out)?),
        ["layout"] => {
            layout::write(out)?;
            ExitCode::SUCCESS
        }
        ["interop", "ready", socket] => {
            interop::await_ready(Path::new(socket))?;
            ExitCode::SUCCESS
        }
        ["interop", "observe", socket, client @ ..] => {
            writeln!(out, "{}", interop::observe(Path::new(socket), client)?)?;
            ExitCode::SUCCESS
        }
        ["interop", "errors", results] => verdict(interop::errors(Path::new(results), None, out)?),
        ["interop", "errors", results, "--write", section] => {
            let section = Some(Path::new(section));
            verdict(interop::errors(Path::new(results), section, out)?)
        }
        ["interop", "report", results] => verdict(interop::report(Path::new(results), None, out)?),
        ["interop", "report", results, "--write", sections] => {
            let sections = Some(Path::new(sections));
            verdict(interop::report(Path::new(results), sections, out)?)
        }
        _ => {
            writeln!(io::stderr(), "{USAGE}")?;
            ExitCode::from(2)
        }
    })
}
