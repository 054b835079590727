use anyhow::bail;
use csi_identity::endpoint::{Channel, ConnectOptions, Endpoint};

use crate::signals::StopSignals;
use crate::verdict::Verdict;

mod companion;
mod flags;

pub(crate) use companion::{Companion, Health, Healthz};
pub(crate) use flags::{HealthFlags, RegistrationFlags};

/// Register a plugin with the kubelet, keep it registered, and answer for its health: what node-driver-registrar and
/// livenessprobe do, in one process.
///
/// The plugin may be in any language, and may come later or be restarted. It is asked GetPluginInfo, GetPluginCapabilities,
/// Probe and NodeGetInfo first, and what a kubelet would refuse is said then. A registration socket that was deleted is shown
/// again, a refusal is followed by another socket; nothing but a signal ends it.
///
/// States, the same in log, HTTP, metrics and state file: waiting_for_plugin, waiting_for_kubelet, registered, refused, lost,
/// superseded.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "\
csi-identity agent [OPTIONS] --endpoint <ENDPOINT> --kubelet-registration-path <HOSTPATH>
       csi-identity agent [OPTIONS] --endpoint <ENDPOINT> --http-endpoint <ADDRESS>",
    after_help = "\
Examples:
  csi-identity agent -e /csi/csi.sock --kubelet-registration-path /var/lib/kubelet/plugins/disk.acme.io/csi.sock \\
    --http-endpoint :9808
  csi-identity agent -e /csi/csi.sock --http-endpoint 127.0.0.1:9808    (health alone, as for a controller plugin)

HTTP: /healthz (as livenessprobe), /livez, /readyz, /registrationz, /metrics; ?verbose or Accept: application/json for more.

Exit codes:
  0    stopped
  1    the kubelet refused the plugin, with --exit-on-refusal
  2    could not start: usage, HTTP address
  130  stopped by a second signal"
)]
pub(crate) struct Agent {
    /// Socket of the plugin: unix:///abs, unix:/abs or /abs.
    #[arg(
        short,
        long,
        visible_alias = "csi-address",
        env = "CSI_ENDPOINT",
        value_name = "ENDPOINT"
    )]
    endpoint: Endpoint,
    #[command(flatten)]
    registration: RegistrationFlags,
    #[command(flatten)]
    health: HealthFlags,
}

impl Agent {
    pub(crate) async fn run(self) -> anyhow::Result<Verdict> {
        let Self {
            endpoint,
            registration,
            health,
        } = self;
        let is_idle =
            registration.kubelet_registration_path.is_none() && health.http_endpoint.is_none();
        if is_idle {
            bail!(
                "there is nothing to do; add --kubelet-registration-path to register the plugin, --http-endpoint to answer for \
                 its health, or both"
            );
        }
        for advice in endpoint.advice() {
            tracing::warn!("{advice}");
        }
        let channel = Channel::new(endpoint, &ConnectOptions::default());
        let options = registration.options(channel.endpoint());
        let health = health.on(Healthz::Probe);
        let companion = Companion::new(channel, options, registration.state_file, health)?;
        companion.run(&mut StopSignals::listen()?).await
    }
}
