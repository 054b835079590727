//! `csi-identity`: serve, ask and try the Identity service of CSI storage plugins.

mod ask;
mod capabilities;
mod cli;
mod config;
mod demo;
mod duration;
mod id;
mod info;
mod log;
mod output;
mod probe;
mod reaper;
mod serve;
mod shell;
mod signals;
mod usage;
mod verdict;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let mut out = output::WhileRead::new(std::io::stdout().lock());
    match cli::Cli::try_parse() {
        Ok(cli) => cli.run(&mut out).into(),
        Err(error) => usage::report(error),
    }
}
