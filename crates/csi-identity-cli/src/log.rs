use std::io::IsTerminal;

use clap::ValueEnum;
use tracing::Level;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// How the log is written: for people, or as one JSON object a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    #[default]
    Text,
    Json,
}

/// Logs to standard error: our own crates at info (a quiet command: warn), debug or trace, the rest at warn or debug.
pub(crate) fn install(verbose: u8, quiet: bool, format: LogFormat) {
    let (ours, others) = match verbose {
        0 if quiet => (Level::WARN, Level::WARN),
        0 => (Level::INFO, Level::WARN),
        1 => (Level::DEBUG, Level::WARN),
        _ => (Level::TRACE, Level::DEBUG),
    };
    let filter = Targets::new()
        .with_target("csi_identity", ours)
        .with_target("csi_endpoint", ours)
        .with_target("csi_health", ours)
        .with_target("csi_kubelet", ours)
        .with_target("csi_registration", ours)
        .with_default(others);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let lines = match format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry()
        .with(lines.with_filter(filter))
        .init();
}
