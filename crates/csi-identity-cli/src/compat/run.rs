//! Doing what an old command line asks for.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use csi_health::MetricsPath;
use csi_identity::endpoint::{Channel, ConnectOptions};
use csi_registration::{HostPath, RegistrarOptions};

use super::{Ending, LivenessFlags, Metrics, OldProgram, RegistrarFlags, Request};
use crate::agent::{Companion, Health, Healthz};
use crate::signals::StopSignals;
use crate::verdict::Verdict;

/// What the original grants its own `/healthz` where nothing else is said.
const OWN_GET_INFO: Duration = Duration::from_secs(1);

/// Takes the place of an old program, called as `command`, and ends as it does.
pub(crate) fn run(
    program: OldProgram,
    command: &Path,
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut impl Write,
) -> ExitCode {
    let request = match program.parse(arguments) {
        Ok(request) => request,
        Err(error) => {
            let code = error.exit_code(program);
            let usage = if error.shows_usage() {
                program.usage()
            } else {
                String::new()
            };
            let error = anyhow::Error::from(error);
            tell(&format!("{error:#}\n{usage}"));
            return code.into();
        }
    };
    let ending = match request {
        Request::Help => {
            tell(&program.usage());
            Ending::Done
        }
        Request::Version => {
            let version = env!("CARGO_PKG_VERSION");
            // Whoever asked has gone where it cannot be written.
            let _ = writeln!(out, "{} v{version}", command.display());
            Ending::Done
        }
        Request::Nothing => Ending::Done,
        Request::Register(flags) => {
            crate::log::install(flags.logging.verbose, false, flags.logging.format);
            ended(crate::cli::block_on(register(flags)))
        }
        Request::AnswerForHealth(flags) => {
            crate::log::install(flags.logging.verbose, false, flags.logging.format);
            ended(crate::cli::block_on(answer_for_health(flags)))
        }
    };
    ending.exit_code(program).into()
}

fn tell(text: &str) {
    // Where standard error is closed there is nobody to tell; the exit code still says it.
    let _ = write!(std::io::stderr(), "{text}");
}

fn ended(verdict: anyhow::Result<Verdict>) -> Ending {
    match verdict {
        Ok(Verdict::Pass | Verdict::Aborted) => Ending::Terminated,
        Ok(Verdict::Fail) => Ending::Refused,
        Err(error) => {
            tell(&format!("error: {error:#}\n"));
            Ending::Http
        }
    }
}

async fn register(flags: RegistrarFlags) -> anyhow::Result<Verdict> {
    let RegistrarFlags {
        csi_address,
        kubelet_registration_path,
        plugin_registration_path,
        timeout,
        http_endpoint,
        logging: _,
        warning,
    } = flags;
    warn(warning);
    let host_path: HostPath = kubelet_registration_path.path_text().parse()?;
    let options = RegistrarOptions {
        call_timeout: timeout,
        ..RegistrarOptions::new(csi_address.clone(), host_path, plugin_registration_path)
    };
    let health = Health {
        endpoint: http_endpoint,
        healthz: Healthz::Registration,
        metrics_path: Some(MetricsPath::default()),
        metrics_endpoint: None,
        probe_timeout: timeout.max(OWN_GET_INFO),
    };
    let channel = Channel::new(csi_address, &ConnectOptions::default());
    Companion::new(channel, Some(options), None, health)?
        .run(&mut StopSignals::listen()?)
        .await
}

async fn answer_for_health(flags: LivenessFlags) -> anyhow::Result<Verdict> {
    let LivenessFlags {
        csi_address,
        probe_timeout,
        http_endpoint,
        metrics,
        logging: _,
        warning,
    } = flags;
    warn(warning);
    let (metrics_path, metrics_endpoint) = match metrics {
        Metrics::Off => (None, None),
        Metrics::Beside { path } => (Some(path), None),
        Metrics::Apart { address, path } => (Some(path), Some(address)),
    };
    let health = Health {
        endpoint: Some(http_endpoint),
        healthz: Healthz::Probe,
        metrics_path: metrics_path.map(|path| path.parse()).transpose()?,
        metrics_endpoint,
        probe_timeout,
    };
    let options = ConnectOptions {
        attempt_timeout: probe_timeout,
        ..ConnectOptions::default()
    };
    let channel = Channel::new(csi_address, &options);
    Companion::new(channel, None, None, health)?
        .run(&mut StopSignals::listen()?)
        .await
}

fn warn(warning: Option<String>) {
    if let Some(warning) = warning {
        tracing::warn!("{warning}");
    }
}
