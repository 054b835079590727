use std::time::Duration;

use anyhow::{Context as _, anyhow};
use csi_identity::endpoint::{BindOptions, Endpoint, Limits, ServeOptions, SocketMode, Stopped};
use csi_identity::{
    BuildError, KeyValue, Manifest, MaxVolumes, NodeId, NodeInfo, OfferError, OfferedService,
    Plugin, PluginName, Readiness, Topology, VendorVersion, VolumeExpansion,
};
use humantime::format_duration;

use crate::duration;
use crate::id;
use crate::signals::StopSignals;
use crate::verdict::Verdict;

/// Serve a plugin's Identity on a Unix socket, to every client that real clusters have.
///
/// With --node-id a kubelet can register it too: NodeGetInfo and NodeGetCapabilities are answered.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  csi-identity serve -e unix:///run/csi/csi.sock --name disk.acme.io --vendor-version 1.2.3 \\
    --capability CONTROLLER_SERVICE --node-id node-1

SIGTERM or SIGINT stops it: Probe says not ready, calls in flight have the grace period, the socket is removed.

Exit codes:
  0    stopped
  2    could not start: usage, or the socket cannot be bound
  130  stopped by a second signal")]
pub(crate) struct Serve {
    /// Socket to serve on: unix:///abs, unix:/abs or /abs.
    #[arg(short, long, env = "CSI_ENDPOINT", value_name = "ENDPOINT")]
    endpoint: Endpoint,
    /// Name of the plugin, in reverse-domain form.
    #[arg(long)]
    name: PluginName,
    /// Version of the plugin, by its vendor's count.
    #[arg(long, value_name = "VERSION")]
    vendor_version: VendorVersion,
    /// A fact about the plugin; may be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    manifest: Vec<KeyValue>,
    /// What the plugin offers, in this or in another of its instances; may be given several times: CONTROLLER_SERVICE,
    /// NODE_SERVICE, GROUP_CONTROLLER_SERVICE, SNAPSHOT_METADATA_SERVICE, VOLUME_ACCESSIBILITY_CONSTRAINTS.
    #[arg(long = "capability", value_name = "NAME")]
    capabilities: Vec<OfferedService>,
    /// How the plugin can expand volumes, online or offline; may be given twice.
    #[arg(long, value_name = "MODE")]
    expansion: Vec<VolumeExpansion>,
    /// Id of the node it runs on, 1 to 256 bytes; without it no NodeGetInfo is answered.
    #[arg(long, value_name = "ID")]
    node_id: Option<NodeId>,
    /// A topology segment of that node, which --node-id names; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", requires = "node_id")]
    topology: Vec<KeyValue>,
    /// How many volumes that node, which --node-id names, can have; 0 leaves it to the orchestrator.
    #[arg(
        long,
        value_name = "N",
        requires = "node_id",
        allow_negative_numbers = true
    )]
    max_volumes: Option<MaxVolumes>,
    /// Number of a user that may connect; may be given several times. Everyone by default, as far as the socket's mode goes.
    #[arg(long = "allow-uid", value_parser = id::user, value_name = "UID", allow_negative_numbers = true)]
    allow_uids: Vec<u32>,
    /// Permissions of the socket, in octal, as in 0660.
    #[arg(long, value_name = "MODE", default_value_t)]
    socket_mode: SocketMode,
    /// Number of the socket's group.
    #[arg(long, value_parser = id::group, value_name = "GID", allow_negative_numbers = true)]
    socket_group: Option<u32>,
    /// Serve grpc.health.v1 too.
    #[arg(long)]
    grpc_health: bool,
    /// How long calls in flight may go on after the first signal.
    #[arg(long, default_value = "10s", value_parser = duration::parse, value_name = "DURATION")]
    grace: Duration,
}

impl Serve {
    pub(crate) async fn run(self) -> anyhow::Result<Verdict> {
        let Self {
            endpoint,
            name,
            vendor_version,
            manifest,
            capabilities,
            expansion,
            node_id,
            topology,
            max_volumes,
            allow_uids,
            socket_mode,
            socket_group,
            grpc_health,
            grace,
        } = self;
        let manifest = Manifest::from_pairs(manifest.into_iter().map(KeyValue::into_parts))
            .context("--manifest")?;
        let mut builder = Plugin::builder(name, vendor_version)
            .manifest(manifest)
            .served_elsewhere(capabilities)
            .expansion(expansion)
            .grpc_health(grpc_health);
        if let Some(node_id) = node_id {
            builder = builder.node_info(node_info(node_id, topology, max_volumes)?);
        }
        let plugin = builder.build().map_err(in_flags)?;
        for advice in plugin.advice() {
            tracing::warn!("{advice}");
        }
        for advice in endpoint.advice() {
            tracing::warn!("{advice}");
        }
        if socket_mode.bits() & 0o200 == 0 {
            tracing::warn!(
                "socket mode {socket_mode} does not let the socket's owner connect; modes are octal, as in 0660"
            );
        }
        let readiness = plugin.readiness();

        let mut signals = StopSignals::listen()?;
        let bound = plugin.bind(
            &endpoint,
            &BindOptions {
                mode: socket_mode,
                group: socket_group,
            },
        )?;
        readiness.set(Readiness::Ready);
        tracing::info!(%endpoint, "serving");

        let allow_uids = (!allow_uids.is_empty()).then_some(allow_uids);
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
                    tracing::warn!(
                        "connections were still open after {grace} and have been cut, with the calls on them"
                    );
                }
                Ok(Verdict::Pass)
            }
            () = signals.next() => Ok(Verdict::Aborted),
        }
    }
}

/// The same error, with the names that things have on the command line.
fn in_flags(error: BuildError) -> anyhow::Error {
    match error {
        BuildError::Offer(OfferError::TopologyWithoutKeys) => anyhow!(
            "--capability VOLUME_ACCESSIBILITY_CONSTRAINTS and --node-id need the topology of that node; add --topology \
             KEY=VALUE, or leave the capability out"
        ),
        other => other.into(),
    }
}

fn node_info(
    node_id: NodeId,
    topology: Vec<KeyValue>,
    max_volumes: Option<MaxVolumes>,
) -> anyhow::Result<NodeInfo> {
    let mut node = NodeInfo::new(node_id);
    node.max_volumes_per_node = max_volumes.unwrap_or_default();
    if !topology.is_empty() {
        let pairs = topology.into_iter().map(KeyValue::into_parts);
        node.accessible_topology = Some(Topology::from_pairs(pairs).context("--topology")?);
    }
    Ok(node)
}
