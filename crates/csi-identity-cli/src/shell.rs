//! What shells and manual readers want of a command line.

use std::io::Write;

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::verdict::Verdict;

const NAME: &str = "csi-identity";

/// Write a completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  csi-identity completions bash > /etc/bash_completion.d/csi-identity

Exit codes: 0 done, 2 usage")]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Self { shell } = self;
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), NAME, &mut script);
        out.write_all(&script)?;
        Ok(Verdict::Pass)
    }
}

/// Write a manual page, of the program or of one of its commands.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  csi-identity man | man -l -
  csi-identity man serve > csi-identity-serve.1

Exit codes: 0 done, 2 usage")]
pub(crate) struct Man {
    /// One of the commands; the program as a whole by default.
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

impl Man {
    pub(crate) fn run(self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Self { command } = self;
        let mut program = Cli::command();
        program.build();
        let page = match command {
            None => program,
            Some(name) => {
                let found = program.find_subcommand(&name).cloned();
                found.with_context(|| {
                    format!("there is no command {name:?}; see csi-identity --help")
                })?
            }
        };
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text)?;
        out.write_all(&text)?;
        Ok(Verdict::Pass)
    }
}
