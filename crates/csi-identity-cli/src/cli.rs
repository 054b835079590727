use std::io::Write;

use anyhow::Context as _;
use clap::{ArgAction, Parser, Subcommand};

use crate::capabilities::Capabilities;
use crate::demo::Demo;
use crate::info::Info;
use crate::probe::Probe;
use crate::serve::Serve;
use crate::verdict::{Outcome, Verdict};

/// Serve, ask and try the Identity service of CSI storage plugins.
#[derive(Debug, Parser)]
#[command(name = "csi-identity", version, propagate_version = true, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Log more, on standard error; twice for the transport too.
    #[arg(short, long, global = true, action = ArgAction::Count, display_order = 900)]
    verbose: u8,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    done, or the plugin is ready
  1    the plugin is not ready, or answered with an error
  2    could not find out or could not start: usage, configuration, connection
  130  stopped by a second signal";

#[derive(Debug, Subcommand)]
enum Command {
    Serve(Serve),
    Info(Info),
    Capabilities(Capabilities),
    Probe(Probe),
    Demo(Demo),
}

impl Cli {
    /// Does what was asked for; results go to `out`, all else to standard error.
    pub(crate) fn run(self, out: &mut impl Write) -> Outcome {
        let Self { command, verbose } = self;
        // The demo tells its story on standard output; a log of the same beside it would only be noise.
        let quiet = matches!(command, Command::Demo(_));
        crate::log::install(verbose, quiet);
        Outcome(run(command, out))
    }
}

fn run(command: Command, out: &mut impl Write) -> anyhow::Result<Verdict> {
    // One thread is enough for a node's handful of clients, and the smallest in memory and latency.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    runtime.block_on(async {
        match command {
            Command::Serve(serve) => serve.run().await,
            Command::Info(info) => info.run(out).await,
            Command::Capabilities(capabilities) => capabilities.run(out).await,
            Command::Probe(probe) => probe.run(out).await,
            Command::Demo(demo) => demo.run(out).await,
        }
    })
}
