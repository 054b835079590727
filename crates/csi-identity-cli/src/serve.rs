use std::path::PathBuf;
use std::time::Duration;

use csi_identity::endpoint::{BindOptions, Limits, ServeOptions, Stopped};
use csi_identity_config::parse_duration;
use humantime::format_duration;

use crate::signals::StopSignals;
use crate::verdict::Verdict;

mod flags;
mod settings;

pub(crate) use flags::Flags;
pub(crate) use settings::Settings;

/// Serve a plugin's Identity on a Unix socket, to every client that real clusters have.
///
/// What a plugin is can be said in a configuration file (see `csi-identity config example`), most of it by flags too. A
/// flag counts before the file: a list replaces the file's, entries of a map are put over the file's.
///
/// With --node-id the calls that a kubelet makes when it registers a plugin are answered too, NodeGetInfo and
/// NodeGetCapabilities. The registration itself is a registrar's work (node-driver-registrar).
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "\
csi-identity serve [OPTIONS] --endpoint <ENDPOINT> --name <NAME> --vendor-version <VERSION>
       csi-identity serve [OPTIONS] --config <FILE>",
    after_help = "\
Examples:
  csi-identity serve -e unix:///run/csi/csi.sock --name disk.acme.io --vendor-version 1.2.3 \\
    --capability CONTROLLER_SERVICE --node-id node-1
  csi-identity serve --config /etc/csi-identity.yaml --node-id \"$NODE_NAME\"

SIGTERM or SIGINT stops it: Probe says not ready, calls in flight have the grace period, the socket is removed.

Exit codes:
  0    stopped
  2    could not start (usage, configuration, socket), or could not remove the socket
  130  stopped by a second signal"
)]
pub(crate) struct Serve {
    /// Configuration file, YAML or JSON; the only place for checks.
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    flags: Flags,
    /// Serve grpc.health.v1 too.
    #[arg(long)]
    grpc_health: bool,
    /// How long calls in flight may go on after the first signal.
    #[arg(long, default_value = "10s", value_parser = parse_duration, value_name = "DURATION")]
    grace: Duration,
}

impl Serve {
    pub(crate) async fn run(self) -> anyhow::Result<Verdict> {
        let Self {
            config,
            flags,
            grpc_health,
            grace,
        } = self;
        let configuration = match config {
            Some(file) => crate::config::read(&file)??,
            None => Default::default(),
        };
        let settings = Settings::of(configuration, flags)?;
        let endpoint = settings.endpoint()?.clone();
        let (mode, group) = (settings.socket_mode, settings.socket_group);
        let allow_uids = settings.allow_uids.clone();
        let ready = settings.readiness_by_hand();
        let warnings = settings.warnings();
        let plugin = settings.plugin(grpc_health)?;
        for advice in plugin.advice() {
            tracing::warn!("{advice}");
        }
        for warning in warnings {
            tracing::warn!("{warning}");
        }
        let readiness = plugin.readiness();

        let _reaping = crate::reaper::start()?;
        let mut signals = StopSignals::listen()?;
        let bound = plugin.bind(&endpoint, &BindOptions { mode, group })?;
        if let Some(ready) = ready {
            readiness.set(ready);
        }
        tracing::info!(%endpoint, "serving");

        let limits = Limits {
            allow_uids,
            ..Limits::default()
        };
        let (stop, stopping) = tokio::sync::oneshot::channel::<()>();
        let serving = bound.serve(ServeOptions { limits, grace }, stopping);
        tokio::pin!(serving);
        tokio::select! {
            stopped = &mut serving => {
                let _: Stopped = stopped?;
                anyhow::bail!("the server ended by itself");
            }
            () = signals.next() => tracing::info!("stopping"),
        }
        // Nobody is left to tell only where the server has ended, which the next lines see.
        drop(stop);
        tokio::select! {
            stopped = &mut serving => {
                if !stopped?.drained {
                    let grace = format_duration(grace);
                    tracing::warn!("calls were still in flight after {grace} and have been cut");
                }
                Ok(Verdict::Pass)
            }
            () = signals.next() => Ok(Verdict::Aborted),
        }
    }
}
