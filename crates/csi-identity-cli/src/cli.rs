use std::io::Write;

use anyhow::Context as _;
use clap::{ArgAction, Parser, Subcommand};

use crate::capabilities::Capabilities;
use crate::config::Config;
use crate::demo::Demo;
use crate::info::Info;
use crate::log::LogFormat;
use crate::probe::Probe;
use crate::serve::Serve;
use crate::shell::{Completions, Man};
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
    /// How to write the log; json is one object a line.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        display_order = 901
    )]
    log_format: LogFormat,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    done, or the plugin is ready
  1    the plugin is not ready, or answered with an error
  2    could not find out or could not start: usage, configuration, connection
  130  stopped by a second signal";

#[derive(Debug, Subcommand)]
enum Command {
    Serve(Box<Serve>),
    Info(Info),
    Capabilities(Capabilities),
    Probe(Probe),
    Demo(Demo),
    Config(Config),
    Completions(Completions),
    Man(Man),
}

impl Cli {
    /// Does what was asked for; results go to `out`, all else to standard error.
    pub(crate) fn run(self, out: &mut impl Write) -> Outcome {
        let Self {
            command,
            verbose,
            log_format,
        } = self;
        // The demo tells its story on standard output; a log of the same beside it would only be noise.
        let quiet = matches!(command, Command::Demo(_));
        crate::log::install(verbose, quiet, log_format);
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
            Command::Config(config) => config.run(out),
            Command::Completions(completions) => completions.run(out),
            Command::Man(man) => man.run(out),
        }
    })
}
