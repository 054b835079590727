//! The domain's values as messages of csi.v1.

use csi_proto::csi::v1 as pb;
use tonic::Status;

use crate::{
    NodeInfo, ObservedCapability, PluginCapabilities, PluginCapability, PluginInfo, ProbeAnswer,
};

pub(super) fn plugin_info(info: &PluginInfo) -> pb::GetPluginInfoResponse {
    let text = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    pb::GetPluginInfoResponse {
        name: info.name.to_string(),
        vendor_version: info.vendor_version.to_string(),
        manifest: info.manifest.iter().map(text).collect(),
    }
}

pub(super) fn plugin_capabilities(
    capabilities: &PluginCapabilities,
) -> pb::GetPluginCapabilitiesResponse {
    pb::GetPluginCapabilitiesResponse {
        capabilities: capabilities.iter().map(plugin_capability).collect(),
    }
}

fn plugin_capability(capability: PluginCapability) -> pb::PluginCapability {
    use pb::plugin_capability::{Service, Type, VolumeExpansion};
    let kind = match capability {
        PluginCapability::Service(service) => Type::Service(Service {
            r#type: service.number(),
        }),
        PluginCapability::VolumeExpansion(expansion) => Type::VolumeExpansion(VolumeExpansion {
            r#type: expansion.number(),
        }),
    };
    pb::PluginCapability { r#type: Some(kind) }
}

impl From<pb::PluginCapability> for ObservedCapability {
    fn from(capability: pb::PluginCapability) -> Self {
        use pb::plugin_capability::Type;
        match capability.r#type {
            Some(Type::Service(service)) => Self::Service(service.r#type),
            Some(Type::VolumeExpansion(expansion)) => Self::VolumeExpansion(expansion.r#type),
            None => Self::Empty,
        }
    }
}

pub(super) fn probe_answer(answer: ProbeAnswer) -> Result<pb::ProbeResponse, Status> {
    match answer {
        // Sidecars wait on ready=false, and go on at ready=true.
        ProbeAnswer::Ready(ready) => Ok(pb::ProbeResponse { ready: Some(ready) }),
        // They exit on any error, and liveness probes restart the plugin. The specification names this code for a plugin
        // that is not healthy, and wants the details empty.
        ProbeAnswer::Failed { message } => Err(Status::failed_precondition(message)),
    }
}

pub(super) fn node_info(node: &NodeInfo) -> pb::NodeGetInfoResponse {
    pb::NodeGetInfoResponse {
        node_id: node.node_id.to_string(),
        max_volumes_per_node: node.max_volumes_per_node.number(),
        accessible_topology: node
            .accessible_topology
            .as_ref()
            .map(|topology| pb::Topology {
                segments: topology
                    .iter()
                    .map(|(key, value)| (key.to_string(), value.to_string()))
                    .collect(),
            }),
    }
}
