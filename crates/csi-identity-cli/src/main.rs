//! `csi-identity`: serve, ask and try the Identity service of CSI storage plugins.

mod agent;
mod ask;
mod bench;
mod capabilities;
mod cli;
mod compat;
mod config;
mod demo;
mod duration;
mod explain;
mod id;
mod info;
mod kubelet;
mod log;
mod output;
mod probe;
mod reaper;
mod serve;
mod shell;
mod signals;
mod trace_file;
mod usage;
mod verdict;
mod verify;
mod wait_registered;
mod whole_file;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let mut out = output::WhileRead::new(std::io::stdout().lock());
    let mut arguments = std::env::args_os();
    let command = arguments.next().unwrap_or_default();
    if let Some(program) = compat::named(&command) {
        return compat::run(program, command.as_ref(), arguments, &mut out);
    }
    match cli::Cli::try_parse() {
        Ok(cli) => cli.run(&mut out),
        Err(error) => usage::report(error),
    }
}
