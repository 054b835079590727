use std::path::PathBuf;
use std::time::Duration;

use csi_identity::endpoint::{BindOptions, Channel, ConnectOptions, Limits, ServeOptions, Stopped};
use csi_identity_config::parse_duration;
use humantime::format_duration;
use rustix::process::geteuid;
use tokio::sync::{oneshot, watch};

use crate::agent::{Companion, HealthFlags, Healthz, RegistrationFlags};
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
/// NodeGetCapabilities. With --register this process registers the plugin itself, and with --http-endpoint it answers for its
/// health, as `csi-identity agent` does for other plugins.
#[derive(Debug, clap::Args)]
#[command(
    // The agent registers whenever it is given this path; here that is asked for, and the path alone would do nothing.
    mut_arg("kubelet_registration_path", |path| path.requires("register")),
    override_usage = "\
csi-identity serve [OPTIONS] --endpoint <ENDPOINT> --name <NAME> --vendor-version <VERSION>
       csi-identity serve [OPTIONS] --config <FILE>",
    after_help = "\
Examples:
  csi-identity serve -e unix:///run/csi/csi.sock --name disk.acme.io --vendor-version 1.2.3 \\
    --capability CONTROLLER_SERVICE --node-id node-1
  csi-identity serve --config /etc/csi-identity.yaml --node-id \"$NODE_NAME\"
  csi-identity serve --config /etc/csi-identity.yaml --http-endpoint :9808 --register \\
    --kubelet-registration-path /var/lib/kubelet/plugins/disk.acme.io/csi.sock

SIGTERM or SIGINT stops it: Probe says not ready, calls in flight have the grace period, the socket is removed.

Exit codes:
  0    stopped
  1    the kubelet refused the plugin, with --exit-on-refusal
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
    /// Register the plugin with the kubelet, from this process.
    #[arg(long, requires = "kubelet_registration_path")]
    register: bool,
    #[command(flatten, next_help_heading = "Registration, with --register")]
    registration: RegistrationFlags,
    #[command(flatten, next_help_heading = "Health")]
    health: HealthFlags,
}

impl Serve {
    pub(crate) async fn run(self) -> anyhow::Result<Verdict> {
        let Self {
            config,
            flags,
            grpc_health,
            grace,
            register,
            registration,
            health,
        } = self;
        let configuration = match config {
            Some(file) => crate::config::read(&file)??,
            None => Default::default(),
        };
        let settings = Settings::of(configuration, flags)?;
        let endpoint = settings.endpoint()?.clone();
        let (mode, group) = (settings.socket_mode, settings.socket_group);
        let mut allow_uids = settings.allow_uids.clone();
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
        if register || health.http_endpoint.is_some() {
            // It calls its own socket then.
            if let Some(uids) = &mut allow_uids {
                uids.push(geteuid().as_raw());
            }
        }
        let channel = Channel::new(endpoint.clone(), &ConnectOptions::default());
        // The parser lets its path through with --register only.
        let options = registration.options(&endpoint);
        let health = health.on(Healthz::Probe);
        let companion = Companion::new(channel, options, registration.state_file, health)?;
        let bound = plugin.bind(&endpoint, &BindOptions { mode, group })?;
        if let Some(ready) = ready {
            readiness.set(ready);
        }
        tracing::info!(%endpoint, "serving");

        let limits = Limits {
            allow_uids,
            ..Limits::default()
        };
        let (stop, stopping) = oneshot::channel::<()>();
        let (leave, leaving) = watch::channel(());
        let serving = bound.serve(ServeOptions { limits, grace }, stopping);
        let beside = async move {
            let ended = companion.run_until(leaving).await;
            // The kubelet is told first; the plugin stops when this is over.
            drop(stop);
            ended
        };
        let running = async move {
            tokio::pin!(serving, beside);
            tokio::select! {
                stopped = &mut serving => {
                    let _: Stopped = stopped?;
                    anyhow::bail!("the server ended by itself")
                }
                ended = &mut beside => {
                    if !serving.await?.drained {
                        let grace = format_duration(grace);
                        tracing::warn!("calls were still in flight after {grace} and have been cut");
                    }
                    ended
                }
            }
        };
        let ask = || {
            tracing::info!("stopping");
            drop(leave);
        };
        signals.stop(ask, running).await
    }
}
