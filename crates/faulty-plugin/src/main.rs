//! `faulty-plugin`: a CSI plugin for tests that has one fault.

mod cli;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    cli::Cli::parse().run()
}
