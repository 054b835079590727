use std::fmt;

use crate::{
    CapabilityAdvice, NameAdvice, NodeIdAdvice, NodeInfo, Offer, PluginName, Topology,
    TopologyAdvice, VendorVersion, VersionAdvice,
};

/// Something in a plugin that is legal and yet trouble for some caller.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginAdvice {
    /// On its name.
    Name(NameAdvice),
    /// On its version.
    Version(VersionAdvice),
    /// On its capabilities.
    Capability(CapabilityAdvice),
    /// On the id of the node it runs on.
    NodeId(NodeIdAdvice),
    /// On the topology of that node.
    Topology(TopologyAdvice),
}

impl PluginAdvice {
    pub(super) fn on(
        name: &PluginName,
        vendor_version: &VendorVersion,
        offer: &Offer,
        node: Option<&NodeInfo>,
    ) -> Vec<Self> {
        let topology = node.and_then(|node| node.accessible_topology.as_ref());
        let name = name.advice().into_iter().map(Self::Name);
        let version = vendor_version.advice().into_iter().map(Self::Version);
        let capability = offer.advice().into_iter().map(Self::Capability);
        let node_id = node
            .and_then(|node| node.node_id.advice())
            .map(Self::NodeId);
        let topology = topology.into_iter().flat_map(Topology::advice);
        name.chain(version)
            .chain(capability)
            .chain(node_id)
            .chain(topology.map(Self::Topology))
            .collect()
    }
}

impl fmt::Display for PluginAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(advice) => advice.fmt(f),
            Self::Version(advice) => advice.fmt(f),
            Self::Capability(advice) => advice.fmt(f),
            Self::NodeId(advice) => advice.fmt(f),
            Self::Topology(advice) => advice.fmt(f),
        }
    }
}
