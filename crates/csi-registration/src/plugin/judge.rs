//! What a kubelet or the API server would refuse, and what is only trouble for some.
//!
//! An obstacle is what every cluster refuses, so that it is not worth showing the plugin to a kubelet: before 1.36 it
//! would never ask again. All else is a warning.

use std::path::Path;

use csi_endpoint::Endpoint;
use csi_identity::{
    NodeId, NodeIdError, ObservedCapability, PluginName, ServiceCapability, Topology,
    TopologyError, TopologyKey, TopologyKeyError, TopologyValue, VendorVersion,
};
use csi_proto::csi::v1::{GetPluginInfoResponse, NodeGetInfoResponse, Topology as Segments};

use crate::host_path::registration_socket;
use crate::registrar::socket_name;

/// How long the prefix of a label's key may be for the API server (apimachinery `validation.go`).
const MAX_PREFIX_LEN: usize = 253;

/// Judges GetPluginInfo. The error is an obstacle.
pub(super) fn info(
    info: &GetPluginInfoResponse,
    kubelet_root: Option<&Path>,
    warnings: &mut Vec<String>,
) -> Result<(), String> {
    let name: PluginName = info.name.parse().map_err(|error| {
        format!("GetPluginInfo: {error}; the API server refuses a CSINode with that name")
    })?;
    warnings.extend(
        name.advice()
            .iter()
            .map(|advice| format!("GetPluginInfo: {advice}")),
    );
    match info.vendor_version.parse::<VendorVersion>() {
        Ok(_) => {}
        Err(error) => warnings.push(format!("GetPluginInfo: {error}")),
    }
    if let Some(root) = kubelet_root {
        let socket = registration_socket(root, &socket_name(&info.name));
        let len = socket.as_os_str().len();
        if len > Endpoint::MAX_LEN {
            return Err(format!(
                "GetPluginInfo: the kubelet would have to open {}, which is {len} bytes long, and a socket's path has at \
                 most {}; shorten the name of the plugin or the kubelet's root directory by {} bytes",
                socket.display(),
                Endpoint::MAX_LEN,
                len - Endpoint::MAX_LEN,
            ));
        }
    }
    Ok(())
}

/// Judges NodeGetInfo. The error is an obstacle.
pub(super) fn node(
    node: &NodeGetInfoResponse,
    capabilities: &[ObservedCapability],
    warnings: &mut Vec<String>,
) -> Result<(), String> {
    let id = node.node_id.parse::<NodeId>().map_err(|error| {
        let who = match error {
            NodeIdError::Empty => "a kubelet",
            _ => "the API server",
        };
        format!("NodeGetInfo: {error}; {who} refuses it")
    })?;
    warnings.extend(
        id.advice()
            .iter()
            .map(|advice| format!("NodeGetInfo: {advice}")),
    );
    let max = node.max_volumes_per_node;
    if max < 0 {
        warnings.push(format!(
            "NodeGetInfo: max_volumes_per_node is {max}; a kubelet takes it as no limit, and 0 is the number for that"
        ));
    }
    if let Some(segments) = &node.accessible_topology {
        topology(segments, warnings)?;
    }
    let constrained = ServiceCapability::VolumeAccessibilityConstraints.number();
    let declared = capabilities.contains(&ObservedCapability::Service(constrained));
    let has_segments = node
        .accessible_topology
        .as_ref()
        .is_some_and(|topology| !topology.segments.is_empty());
    match (declared, has_segments) {
        (true, false) => warnings.push(
            "NodeGetInfo: no topology, though VOLUME_ACCESSIBILITY_CONSTRAINTS is declared; volumes will find no topology \
             key on this node"
                .to_owned(),
        ),
        (false, true) => warnings.push(
            "NodeGetInfo: a topology, though VOLUME_ACCESSIBILITY_CONSTRAINTS is not declared; volumes will be scheduled \
             without it"
                .to_owned(),
        ),
        _ => {}
    }
    Ok(())
}

/// The kubelet makes labels of the segments, so the rules are those of labels; what only the specification minds is a warning.
fn topology(topology: &Segments, warnings: &mut Vec<String>) -> Result<(), String> {
    let mut pairs: Vec<_> = topology.segments.iter().collect();
    pairs.sort();
    for (key, value) in &pairs {
        match key.parse::<TopologyKey>() {
            Ok(key) if !key.may_be_set_by_kubelet() => warnings.push(format!(
                "NodeGetInfo: topology key {key} is a label that a kubelet may not set where the admission plugin \
                 NodeRestriction is on; use a prefix of your own"
            )),
            Ok(_) => {}
            Err(TopologyKeyError::PrefixTooLong { len, .. }) if is_label_key(key, len) => {}
            Err(error) => return Err(format!("NodeGetInfo: {error}; the API server refuses such a label")),
        }
        // The API server takes empty ones.
        if let Err(error) = value.parse::<TopologyValue>()
            && !value.is_empty()
        {
            return Err(format!(
                "NodeGetInfo: topology key {key} has a bad value: {error}; the API server refuses such a label"
            ));
        }
    }
    match Topology::from_pairs(pairs) {
        Ok(_) | Err(TopologyError::NoSegments) => {}
        Err(error) => warnings.push(format!("NodeGetInfo: {error} (the specification says so)")),
    }
    Ok(())
}

/// Whether the API server takes a key with a prefix of this length, which is too long for the specification.
fn is_label_key(key: &str, prefix_len: usize) -> bool {
    let (prefix, name) = key.split_once('/').unwrap_or((key, ""));
    // It knows no limit for one part of a prefix, so one that is too long to be looked at here is left to it.
    let mut parts = prefix
        .split('.')
        .filter(|part| part.len() <= TopologyKey::MAX_PART_LEN);
    prefix_len <= MAX_PREFIX_LEN
        && parts.all(|part| format!("{part}/{name}").parse::<TopologyKey>().is_ok())
}

#[cfg(test)]
mod tests;
