//! Messages in few words.

use std::collections::BTreeMap;

use csi_identity::ObservedCapability;
use csi_proto::csi::v1 as pb;
use csi_proto::csi::v1::controller_service_capability as controller;
use csi_proto::csi::v1::group_controller_service_capability as group_controller;
use csi_proto::csi::v1::node_service_capability as node;
use csi_proto::csi::v1::plugin_capability::Type;
use prost::Message;

/// What an answer to a call says; its bytes where it cannot be read, its size where it has more than was read.
pub(crate) fn shown(path: &str, message: &[u8]) -> String {
    let name = path.rsplit('/').next().unwrap();
    let read = match name {
        "GetPluginInfo" => read(message, info),
        "GetPluginCapabilities" => read(message, capabilities),
        "Probe" => read(message, probe),
        "NodeGetInfo" => read(message, node_info),
        "NodeGetCapabilities" => read(message, node_capabilities),
        "ControllerGetCapabilities" => read(message, controller_capabilities),
        "GroupControllerGetCapabilities" => read(message, group_controller_capabilities),
        "ListSnapshots" => read(message, |answer: &pb::ListSnapshotsResponse| {
            format!("{} snapshots", answer.entries.len())
        }),
        "ServerReflectionInfo" => None,
        _ => panic!("nobody reads answers of {name}"),
    };
    match read {
        Some((text, len)) if len == message.len() => text,
        Some((text, len)) => format!("{text} in {} bytes for {len}", message.len()),
        None => format!("bytes {}", hex(message)),
    }
}

fn read<M: Message + Default>(
    message: &[u8],
    shown: impl FnOnce(&M) -> String,
) -> Option<(String, usize)> {
    let message = M::decode(message).ok()?;
    let len = message.encoded_len();
    Some((shown(&message), len))
}

fn info(info: &pb::GetPluginInfoResponse) -> String {
    let size: usize = info
        .manifest
        .iter()
        .map(|(key, value)| key.len() + value.len())
        .sum();
    format!(
        "{} {}, manifest of {size}",
        cut(&info.name),
        cut(&info.vendor_version)
    )
}

fn capabilities(answer: &pb::GetPluginCapabilitiesResponse) -> String {
    let observed = |capability: &pb::PluginCapability| match capability.r#type {
        Some(Type::Service(service)) => ObservedCapability::Service(service.r#type),
        Some(Type::VolumeExpansion(expansion)) => {
            ObservedCapability::VolumeExpansion(expansion.r#type)
        }
        None => ObservedCapability::Empty,
    };
    let shown = answer
        .capabilities
        .iter()
        .map(|capability| observed(capability).to_string());
    shown.collect::<Vec<_>>().join(", ")
}

fn probe(answer: &pb::ProbeResponse) -> String {
    format!(
        "ready={}",
        answer
            .ready
            .map_or_else(|| "unset".to_owned(), |ready| ready.to_string())
    )
}

fn node_info(info: &pb::NodeGetInfoResponse) -> String {
    let topology = info.accessible_topology.as_ref().map(|topology| {
        let sorted: BTreeMap<_, _> = topology.segments.iter().collect();
        let pairs = sorted
            .iter()
            .map(|(key, value)| format!("{}={}", cut(key), cut(value)));
        pairs.collect::<Vec<_>>().join(" ")
    });
    let topology = topology.unwrap_or_else(|| "no topology".to_owned());
    format!(
        "{} {} [{topology}]",
        cut(&info.node_id),
        info.max_volumes_per_node
    )
}

fn node_capabilities(answer: &pb::NodeGetCapabilitiesResponse) -> String {
    numbers(answer.capabilities.iter().map(|capability| {
        let Some(node::Type::Rpc(rpc)) = capability.r#type else {
            return -1;
        };
        rpc.r#type
    }))
}

fn controller_capabilities(answer: &pb::ControllerGetCapabilitiesResponse) -> String {
    numbers(answer.capabilities.iter().map(|capability| {
        let Some(controller::Type::Rpc(rpc)) = capability.r#type else {
            return -1;
        };
        rpc.r#type
    }))
}

fn group_controller_capabilities(answer: &pb::GroupControllerGetCapabilitiesResponse) -> String {
    numbers(answer.capabilities.iter().map(|capability| {
        let Some(group_controller::Type::Rpc(rpc)) = capability.r#type else {
            return -1;
        };
        rpc.r#type
    }))
}

fn numbers(numbers: impl Iterator<Item = i32>) -> String {
    format!("{:?}", numbers.collect::<Vec<_>>())
}

/// A long text as its beginning and its length.
pub(crate) fn cut(text: &str) -> String {
    if text.len() <= 48 {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(8).collect();
    format!("{beginning}..({})", text.len())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
