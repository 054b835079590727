use std::io::IsTerminal;

use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Logs to standard error: our own crates at info (a quiet command: warn), debug or trace, the rest at warn or debug.
pub(crate) fn install(verbose: u8, quiet: bool) {
    let (ours, others) = match verbose {
        0 if quiet => (Level::WARN, Level::WARN),
        0 => (Level::INFO, Level::WARN),
        1 => (Level::DEBUG, Level::WARN),
        _ => (Level::TRACE, Level::DEBUG),
    };
    let filter = Targets::new()
        .with_target("csi_identity", ours)
        .with_target("csi_endpoint", ours)
        .with_default(others);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .init();
}
