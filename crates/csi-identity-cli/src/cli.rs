use std::io::Write;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{ArgAction, Parser, Subcommand};

use crate::agent::Agent;
use crate::bench::Bench;
use crate::capabilities::Capabilities;
use crate::compat::Compat;
use crate::config::Config;
use crate::demo::Demo;
use crate::explain::Explain;
use crate::info::Info;
use crate::kubelet::Kubelet;
use crate::log::LogFormat;
use crate::probe::Probe;
use crate::serve::Serve;
use crate::shell::{Completions, Man};
use crate::verdict::{Outcome, Verdict};
use crate::verify::Verify;
use crate::wait_registered::WaitRegistered;

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
    #[command(flatten)]
    Own(Own),
    Compat(Compat),
}

#[derive(Debug, Subcommand)]
enum Own {
    Serve(Box<Serve>),
    Agent(Box<Agent>),
    WaitRegistered(WaitRegistered),
    Info(Info),
    Capabilities(Capabilities),
    Probe(Probe),
    Explain(Explain),
    Kubelet(Kubelet),
    Verify(Box<Verify>),
    Bench(Bench),
    Demo(Demo),
    Config(Config),
    Completions(Completions),
    Man(Man),
}

impl Cli {
    /// Does what was asked for; results go to `out`, all else to standard error.
    pub(crate) fn run(self, out: &mut impl Write) -> ExitCode {
        let Self {
            command,
            verbose,
            log_format,
        } = self;
        let command = match command {
            Command::Own(command) => command,
            // An old program has flags of its own for the log, and exit codes.
            Command::Compat(compat) => return compat.run(out),
        };
        // The demo tells its story on standard output; a log of the same beside it would only be noise.
        let quiet = matches!(command, Own::Demo(_));
        crate::log::install(verbose, quiet, log_format);
        Outcome(block_on(command.run(out))).into()
    }
}

impl Own {
    async fn run(self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        match self {
            Self::Serve(serve) => serve.run().await,
            Self::Agent(agent) => agent.run().await,
            Self::WaitRegistered(wait) => wait.run(out).await,
            Self::Info(info) => info.run(out).await,
            Self::Capabilities(capabilities) => capabilities.run(out).await,
            Self::Probe(probe) => probe.run(out).await,
            Self::Explain(explain) => explain.run(out).await,
            Self::Kubelet(kubelet) => kubelet.run(out).await,
            Self::Verify(verify) => verify.run(out).await,
            Self::Bench(bench) => bench.run(out).await,
            Self::Demo(demo) => demo.run(out).await,
            Self::Config(config) => config.run(out),
            Self::Completions(completions) => completions.run(out),
            Self::Man(man) => man.run(out),
        }
    }
}

/// Runs what is asynchronous on this thread.
pub(crate) fn block_on(
    running: impl Future<Output = anyhow::Result<Verdict>>,
) -> anyhow::Result<Verdict> {
    // One thread is enough for a node's handful of clients, and the smallest in memory and latency.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    runtime.block_on(running)
}
