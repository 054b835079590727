use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, anyhow, bail};
use csi_identity::endpoint::{Endpoint, SocketMode};
use csi_identity::{
    BuildError, Check, KeyValue, Manifest, NodeInfo, OfferError, OfferedService, Plugin,
    PluginInfo, Readiness, ReadinessPolicy, Topology, VolumeExpansion, WhileStarting,
};
use csi_identity_config::Configuration;

use super::flags::Flags;

/// What a plugin is, by file and flags together.
#[derive(Debug)]
pub(crate) struct Settings {
    endpoint: Option<Endpoint>,
    info: PluginInfo,
    offered: BTreeSet<OfferedService>,
    expansion: BTreeSet<VolumeExpansion>,
    node: Option<NodeInfo>,
    checks: Vec<Check>,
    fixed_probe: Option<bool>,
    policy: ReadinessPolicy,
    gate_on_readiness: bool,
    pub(super) socket_mode: SocketMode,
    pub(super) socket_group: Option<u32>,
    pub(super) allow_uids: Option<Vec<u32>>,
}

impl Settings {
    /// Puts the flags over the file.
    pub(crate) fn of(file: Configuration, flags: Flags) -> anyhow::Result<Self> {
        let Configuration {
            endpoint,
            plugin_info,
            offered,
            expansion,
            node,
            checks,
            readiness,
            fixed_probe,
            gate_on_readiness,
            socket,
        } = file;
        let Flags {
            endpoint: endpoint_flag,
            name,
            vendor_version,
            manifest,
            capabilities,
            expansion: expansion_flags,
            node_id,
            topology,
            max_volumes,
            startup_timeout,
            while_starting,
            gate_on_readiness: gate_flag,
            allow_uids,
            socket_mode,
            socket_group,
        } = flags;
        let info = info(plugin_info, name, vendor_version, manifest)?;
        let node = match (node_id, node) {
            (Some(node_id), Some(node)) => Some(NodeInfo { node_id, ..node }),
            (Some(node_id), None) => Some(NodeInfo::new(node_id)),
            (None, node) => node,
        };
        let node = match node {
            Some(mut node) => {
                if let Some(max_volumes) = max_volumes {
                    node.max_volumes_per_node = max_volumes;
                }
                node.accessible_topology = merged(node.accessible_topology, topology)?;
                Some(node)
            }
            None if max_volumes.is_some() => bail!("--max-volumes is of a node; add --node-id"),
            None if !topology.is_empty() => bail!("--topology is of a node; add --node-id"),
            None => None,
        };
        let policy = ReadinessPolicy {
            startup_limit: startup_timeout.or(readiness.startup_limit),
            while_starting: while_starting.unwrap_or(readiness.while_starting),
        };
        if fixed_probe == Some(false) {
            require_no_error(&policy)?;
        }
        Ok(Self {
            endpoint: endpoint_flag.or(endpoint),
            info,
            offered: replaced(offered, capabilities),
            expansion: replaced(expansion, expansion_flags),
            node,
            checks,
            fixed_probe,
            policy,
            gate_on_readiness: gate_flag || gate_on_readiness,
            socket_mode: socket_mode.or(socket.mode).unwrap_or_default(),
            socket_group: socket_group.or(socket.group),
            allow_uids: if allow_uids.is_empty() {
                socket.allow_uids
            } else {
                Some(allow_uids)
            },
        })
    }

    pub(crate) fn endpoint(&self) -> anyhow::Result<&Endpoint> {
        let missing = "no endpoint is given; add --endpoint, the environment variable CSI_ENDPOINT or endpoint in the \
                       configuration file";
        self.endpoint.as_ref().context(missing)
    }

    /// The readiness that nothing will change: a fixed one, or ready where nothing is checked.
    pub(crate) fn readiness_by_hand(&self) -> Option<Readiness> {
        match self.fixed_probe {
            Some(true) => Some(Readiness::Ready),
            Some(false) => Some(Readiness::starting("the configuration says so")),
            None => self.checks.is_empty().then_some(Readiness::Ready),
        }
    }

    /// What is legal and probably not meant.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mode = self.socket_mode;
        let advice = self.endpoint.iter().flat_map(Endpoint::advice);
        let mut warnings: Vec<_> = advice.map(|advice| advice.to_string()).collect();
        if mode.bits() & 0o200 == 0 {
            warnings.push(format!(
                "socket mode {mode} does not let the socket's owner connect; modes are octal, as in 0660"
            ));
        }
        warnings
    }

    pub(crate) fn plugin(self, grpc_health: bool) -> anyhow::Result<Plugin> {
        let has_node = self.node.is_some();
        let elsewhere = |service: &OfferedService| {
            service.grpc_service().is_some()
                && !(has_node && *service == OfferedService::NodeService)
        };
        for service in self.offered.iter().copied().filter(elsewhere) {
            tracing::debug!(%service, "offered, and served by another instance than this");
        }
        let PluginInfo {
            name,
            vendor_version,
            manifest,
        } = self.info;
        let mut builder = Plugin::builder(name, vendor_version)
            .manifest(manifest)
            .served_elsewhere(self.offered)
            .expansion(self.expansion)
            .readiness_policy(self.policy)
            .gate_on_readiness(self.gate_on_readiness)
            .grpc_health(grpc_health);
        if !self.checks.is_empty() {
            builder = builder.checks(self.checks);
        }
        if let Some(node) = self.node {
            builder = builder.node_info(node);
        }
        builder.build().map_err(in_flags)
    }
}

/// A flag must not turn a fixed `ready: false` into an error, as no key of the file may.
fn require_no_error(policy: &ReadinessPolicy) -> anyhow::Result<()> {
    let flag = if policy.startup_limit.is_some() {
        "--startup-timeout"
    } else if policy.while_starting == WhileStarting::Error {
        "--while-starting error"
    } else {
        return Ok(());
    };
    bail!(
        "probe: {{ready: false}} in the configuration file answers ready=false for ever and never an error; leave {flag} out, \
         or the key probe"
    )
}

/// The same error, with the names that things have on the command line and in the file.
fn in_flags(error: BuildError) -> anyhow::Error {
    match error {
        BuildError::Offer(OfferError::TopologyWithoutKeys) => anyhow!(
            "VOLUME_ACCESSIBILITY_CONSTRAINTS and a node id need the topology of that node; add --topology KEY=VALUE or \
             node.accessible_topology, or leave the capability out"
        ),
        other => other.into(),
    }
}

fn info(
    file: Option<PluginInfo>,
    name: Option<csi_identity::PluginName>,
    vendor_version: Option<csi_identity::VendorVersion>,
    manifest: Vec<KeyValue>,
) -> anyhow::Result<PluginInfo> {
    let (file_name, file_version, file_manifest) = match file {
        Some(info) => (Some(info.name), Some(info.vendor_version), info.manifest),
        None => Default::default(),
    };
    // Twice the same flag is a mistake; a flag over the file is what flags are for.
    let flags = Manifest::from_pairs(manifest.into_iter().map(KeyValue::into_parts));
    let mut entries = BTreeMap::from(file_manifest);
    entries.extend(BTreeMap::from(flags.context("--manifest")?));
    Ok(PluginInfo {
        name: name
            .or(file_name)
            .context("no name is given; add --name or plugin_info.name")?,
        vendor_version: vendor_version
            .or(file_version)
            .context("no version is given; add --vendor-version or plugin_info.vendor_version")?,
        manifest: Manifest::try_from(entries).context("--manifest")?,
    })
}

fn merged(file: Option<Topology>, flags: Vec<KeyValue>) -> anyhow::Result<Option<Topology>> {
    if flags.is_empty() {
        return Ok(file);
    }
    let flags = Topology::from_pairs(flags.into_iter().map(KeyValue::into_parts));
    let text = |(key, value): (&csi_identity::TopologyKey, &csi_identity::TopologyValue)| {
        (key.to_string(), value.to_string())
    };
    let mut segments: BTreeMap<_, _> = file.iter().flat_map(Topology::iter).map(text).collect();
    segments.extend(flags.context("--topology")?.iter().map(text));
    Ok(Some(Topology::from_pairs(segments).context("--topology")?))
}

fn replaced<T: Ord>(file: BTreeSet<T>, flags: Vec<T>) -> BTreeSet<T> {
    if flags.is_empty() {
        file
    } else {
        flags.into_iter().collect()
    }
}

#[cfg(test)]
mod tests;
