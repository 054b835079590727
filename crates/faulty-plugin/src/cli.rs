use std::error::Error;
use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::iter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use faulty_plugin::{Ended, FAULTS, Fault, Plugin, Service, faults_markdown, run};
use tokio::signal::unix::{SignalKind, signal};

/// A CSI plugin for tests that has one fault.
///
/// Without a fault it is a good plugin, with the Identity and Node services.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Socket to listen on: unix:///absolute/path.
    #[arg(
        short,
        long,
        env = "CSI_ENDPOINT",
        value_name = "ENDPOINT",
        required_unless_present_any = ["list", "page"]
    )]
    endpoint: Option<String>,
    /// The fault to have.
    #[arg(short, long, value_name = "NAME")]
    fault: Option<Fault>,
    /// Services to have beside Identity and Node, and to declare.
    #[arg(long, value_name = "SERVICE", value_enum, value_delimiter = ',')]
    serve: Vec<Optional>,
    /// Show all faults and end.
    #[arg(long)]
    list: bool,
    /// Show all faults as a page, with csi-sanity's verdicts from this file if it is there, and end.
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  stopped by SIGTERM or SIGINT
  1  ended by its fault
  2  could not start";

/// A service that is not there if nothing is said.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Optional {
    Controller,
    GroupController,
    SnapshotMetadata,
}

impl Cli {
    pub(crate) fn run(self) -> ExitCode {
        let Self {
            endpoint,
            fault,
            serve,
            list,
            page,
        } = self;
        let ended = match (page, endpoint) {
            (Some(verdicts), _) => show_page(&verdicts).map(|()| Ended::Asked),
            (None, Some(endpoint)) if !list => {
                let plugin = fault.map_or_else(Plugin::default, Plugin::from);
                let plugin = serve
                    .into_iter()
                    .map(Service::from)
                    .fold(plugin, Plugin::serving);
                block_on(plugin, &endpoint)
            }
            _ => show().map(|()| Ended::Asked).map_err(Into::into),
        };
        match ended {
            Ok(Ended::Asked) => ExitCode::SUCCESS,
            Ok(Ended::Died) => ExitCode::from(1),
            Err(error) => {
                let causes = iter::successors(Some(&*error as &dyn Error), |&error| error.source());
                let causes: Vec<_> = causes.map(ToString::to_string).collect();
                // Standard error is gone if this fails, so nobody could be told.
                let _ = writeln!(io::stderr(), "error: {}", causes.join(": "));
                ExitCode::from(2)
            }
        }
    }
}

impl From<Optional> for Service {
    fn from(service: Optional) -> Self {
        match service {
            Optional::Controller => Self::Controller,
            Optional::GroupController => Self::GroupController,
            Optional::SnapshotMetadata => Self::SnapshotMetadata,
        }
    }
}

/// A line for each fault: its name, what it does wrong, and what that breaks.
fn show() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let width = FAULTS.iter().map(|fault| fault.name().len()).max();
    let width = width.unwrap_or_default();
    for fault in FAULTS {
        let (does, breaks) = (fault.does(), fault.breaks());
        writeln!(out, "{fault:width$}  It {does} ({breaks}).")?;
    }
    out.flush()
}

/// What `docs/faults.md` is.
fn show_page(verdicts: &Path) -> Result<(), Box<dyn Error>> {
    let read = match fs::read_to_string(verdicts) {
        // It takes another program to make it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read,
    };
    let cannot = |error: &dyn fmt::Display| format!("cannot read {}: {error}", verdicts.display());
    let text = read.map_err(|error| cannot(&error))?;
    let page = faults_markdown(&text).map_err(|error| cannot(&error))?;
    io::stdout().lock().write_all(page.as_bytes())?;
    Ok(())
}

fn block_on(plugin: Plugin, endpoint: &str) -> Result<Ended, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let shutdown = async {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        };
        Ok(run(plugin, endpoint, shutdown).await?)
    })
}
