use std::fmt;

use crate::{CapabilityAdvice, NameAdvice, TopologyAdvice, NodeIdAdvice, VersionAdvice};

/// Something in a plugin that is legal and yet trouble for some caller.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginAdvice {
    /// Of its name.
    Name(NameAdvice),
    /// Of its version.
    Version(VersionAdvice),
    /// Of its capabilities.
    Capability(CapabilityAdvice),
    /// Of the node it runs on.
    NodeId(NodeIdAdvice),
    /// Of the topology of that node.
    Topology(TopologyAdvice),
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
