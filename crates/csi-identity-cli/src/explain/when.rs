//! What has to be true of a plugin's answers for a rule to apply.

use std::fmt;
use std::time::Duration;

use csi_identity::proto::csi::v1::controller_service_capability::rpc::Type as ControllerRpc;
use csi_identity::proto::csi::v1::node_service_capability::rpc::Type as NodeRpc;
use csi_identity::{
    NameConsumer, NodeId, ObservedCapability, ServiceCapability, TopologyKey, TopologyKeyError,
    TopologyValue,
};

use super::observation::{Answer, Call, End, Observation, Refusal};

/// How long the prefix of a label's key may be for the API server (apimachinery `validation.go`).
const MAX_LABEL_PREFIX_LEN: usize = 253;

/// A condition on a plugin's answers; times are in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    /// No earlier rule applies.
    Otherwise,
    /// The call brings an error, or nothing in this time.
    Fails(Call, u64),
    /// One of the calls brings an error, or all of them together take longer.
    FailTogether(&'static [Call], u64),
    /// The plugin answers the call with an error.
    Error(Call),
    /// The call brought nothing while it was waited for here.
    Silent(Call),
    /// Probe takes longer, or the plugin itself says DEADLINE_EXCEEDED.
    ProbeTimesOut(u64),
    NotReady,
    ReadyUnset,
    NameEmpty,
    NameRefused,
    NodeIdEmpty,
    NodeIdTooLong,
    TopologyRefused,
    NoTopology,
    Topology,
    NegativeMaxVolumes,
    ControllerUnserved,
    NodeUnserved,
    /// The plugin answers the call with anything but UNIMPLEMENTED.
    Served(Call),
    Declares(ServiceCapability),
    Lacks(ServiceCapability),
    DeclaresNoExpansion,
    ControllerCan(ControllerRpc),
    ControllerCannot(ControllerRpc),
    NodeCan(NodeRpc),
    /// The node cannot, or there is no node here.
    NodeCannot(NodeRpc),
    All(&'static [Self]),
    Any(&'static [Self]),
}

impl When {
    /// Whether it is so; nothing if the plugin was not waited for long enough to know.
    ///
    /// What a call has to have brought is never so where it brought nothing: rules on the call itself say what then.
    pub(crate) fn holds(self, seen: &Observation) -> Option<bool> {
        let node_info = seen.node_info.ok();
        let segments = || {
            let topology = node_info.and_then(|node| node.accessible_topology.as_ref());
            topology.is_some_and(|topology| !topology.segments.is_empty())
        };
        let is_unserved = |call| matches!(seen.call(call).end, End::Error(refusal) if refusal.code == Refusal::UNIMPLEMENTED);
        let declares = |service: ServiceCapability| {
            let wanted = ObservedCapability::Service(service.number());
            seen.capabilities.ok().map(|all| all.contains(&wanted))
        };
        let expansion = || {
            let is_one =
                |one: &ObservedCapability| matches!(one, ObservedCapability::VolumeExpansion(1..));
            seen.capabilities.ok().map(|all| all.iter().any(is_one))
        };
        let can = |answer: &Answer<Vec<i32>>, rpc: i32| answer.ok().map(|all| all.contains(&rpc));
        Some(match self {
            Self::Otherwise => true,
            Self::Fails(call, limit) => return fails(seen, &[call], limit),
            Self::FailTogether(calls, limit) => return fails(seen, calls, limit),
            Self::Error(call) => matches!(seen.call(call).end, End::Error(_)),
            Self::Silent(call) => matches!(seen.call(call).end, End::Silent),
            Self::ProbeTimesOut(limit) => match &seen.probe.end {
                End::Error(refusal) if refusal.code == Refusal::DEADLINE_EXCEEDED => true,
                End::Error(_) => false,
                End::Ok(_) | End::Silent => return fails(seen, &[Call::Probe], limit),
            },
            Self::NotReady => seen.probe.ok() == Some(&Some(false)),
            Self::ReadyUnset => seen.probe.ok() == Some(&None),
            Self::NameEmpty => seen.info.ok().is_some_and(|info| info.name.is_empty()),
            Self::NameRefused => seen
                .info
                .ok()
                .is_some_and(|info| !NameConsumer::CsiNode.accepts(&info.name)),
            Self::NodeIdEmpty => node_info.is_some_and(|node| node.node_id.is_empty()),
            Self::NodeIdTooLong => {
                node_info.is_some_and(|node| node.node_id.len() > NodeId::MAX_LEN)
            }
            Self::TopologyRefused => {
                let topology = node_info.and_then(|node| node.accessible_topology.as_ref());
                topology.is_some_and(|topology| {
                    topology
                        .segments
                        .iter()
                        .any(|(key, value)| !is_label(key, value))
                })
            }
            Self::NoTopology => node_info.is_some() && !segments(),
            Self::Topology => segments(),
            Self::NegativeMaxVolumes => node_info.is_some_and(|node| node.max_volumes_per_node < 0),
            Self::ControllerUnserved => is_unserved(Call::ControllerGetCapabilities),
            Self::NodeUnserved => is_unserved(Call::NodeGetInfo),
            Self::Served(call) => !is_unserved(call),
            Self::Declares(service) => declares(service) == Some(true),
            Self::Lacks(service) => declares(service) == Some(false),
            Self::DeclaresNoExpansion => expansion() == Some(false),
            Self::ControllerCan(rpc) => can(&seen.controller, rpc.into()) == Some(true),
            Self::ControllerCannot(rpc) => can(&seen.controller, rpc.into()) == Some(false),
            Self::NodeCan(rpc) => can(&seen.node, rpc.into()) == Some(true),
            Self::NodeCannot(rpc) => {
                can(&seen.node, rpc.into()) == Some(false) || is_unserved(Call::NodeGetCapabilities)
            }
            Self::All(all) => {
                let mut known = Some(true);
                for one in all {
                    match one.holds(seen) {
                        Some(false) => return Some(false),
                        Some(true) => {}
                        None => known = None,
                    }
                }
                return known;
            }
            Self::Any(any) => {
                let mut known = Some(false);
                for one in any {
                    match one.holds(seen) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => known = None,
                    }
                }
                return known;
            }
        })
    }

    /// The same in words, narrowed to what these answers show.
    pub(crate) fn seen(self, seen: &Observation) -> String {
        match self {
            Self::Fails(call, limit) => {
                failure(seen, &[call], limit).unwrap_or_else(|| self.to_string())
            }
            Self::FailTogether(calls, limit) => {
                failure(seen, calls, limit).unwrap_or_else(|| self.to_string())
            }
            Self::Error(call) => {
                failure(seen, &[call], u64::MAX).unwrap_or_else(|| self.to_string())
            }
            Self::ProbeTimesOut(limit) => {
                failure(seen, &[Call::Probe], limit).unwrap_or_else(|| self.to_string())
            }
            Self::Any(any) => match any.iter().find(|one| one.holds(seen) == Some(true)) {
                Some(one) => one.seen(seen),
                None => self.to_string(),
            },
            Self::All(all) => {
                let words: Vec<_> = all.iter().map(|one| one.seen(seen)).collect();
                words.join(", ")
            }
            _ => self.to_string(),
        }
    }
}

/// Whether one of these calls fails, or all of them together take longer than so many seconds.
fn fails(seen: &Observation, calls: &[Call], limit: u64) -> Option<bool> {
    let (mut took, mut is_whole) = (Duration::ZERO, true);
    for &call in calls {
        let answer = seen.call(call);
        took += answer.took;
        match answer.end {
            End::Ok(()) => {}
            End::Error(_) => return Some(true),
            End::Silent => is_whole = false,
        }
    }
    match (took >= Duration::from_secs(limit), is_whole) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    }
}

/// In what way they failed.
fn failure(seen: &Observation, calls: &[Call], limit: u64) -> Option<String> {
    let error = |&call: &Call| match seen.call(call).end {
        End::Error(refusal) => Some(format!("{} answers {}", call.name(), refusal.name)),
        End::Ok(()) | End::Silent => None,
    };
    let late = || {
        let took: Duration = calls.iter().map(|&call| seen.call(call).took).sum();
        let verb = if calls.len() == 1 { "takes" } else { "take" };
        let late = took >= Duration::from_secs(limit);
        late.then(|| format!("{} {verb} longer than {limit}s", names(calls)))
    };
    calls.iter().find_map(error).or_else(late)
}

fn names(calls: &[Call]) -> String {
    // The health monitor asks one thing three times.
    let mut names: Vec<_> = calls.iter().map(|call| call.name()).collect();
    names.dedup();
    names.join(" + ")
}

/// Whether the API server takes a segment for the label that a kubelet makes of it.
fn is_label(key: &str, value: &str) -> bool {
    let key = match key.parse::<TopologyKey>() {
        Ok(_) => true,
        Err(TopologyKeyError::PrefixTooLong { len, .. }) => len <= MAX_LABEL_PREFIX_LEN,
        Err(_) => false,
    };
    key && (value.is_empty() || value.parse::<TopologyValue>().is_ok())
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match *self {
            Self::Otherwise => "otherwise",
            Self::Fails(call, limit) => {
                return write!(f, "{} fails or takes longer than {limit}s", call.name());
            }
            Self::FailTogether(calls, limit) => {
                return write!(
                    f,
                    "{} fail or take longer than {limit}s together",
                    names(calls)
                );
            }
            Self::Error(call) => return write!(f, "{} answers an error", call.name()),
            Self::Silent(call) => return write!(f, "{} is not answered", call.name()),
            Self::ProbeTimesOut(limit) => {
                return write!(
                    f,
                    "Probe takes longer than {limit}s or answers DEADLINE_EXCEEDED"
                );
            }
            Self::NotReady => "Probe answers ready=false",
            Self::ReadyUnset => "Probe leaves ready unset",
            Self::NameEmpty => "the name is empty",
            Self::NameRefused => "the name is none that a CSINode takes",
            Self::NodeIdEmpty => "node_id is empty",
            Self::NodeIdTooLong => "node_id is longer than 256 bytes",
            Self::TopologyRefused => "a topology segment is no legal label",
            Self::NoTopology => "NodeGetInfo has no topology",
            Self::Topology => "NodeGetInfo has a topology",
            Self::NegativeMaxVolumes => "max_volumes_per_node is negative",
            Self::ControllerUnserved => "no csi.v1.Controller on this socket",
            Self::NodeUnserved => "no csi.v1.Node on this socket",
            Self::Served(call) => return write!(f, "{} is served", call.name()),
            Self::Declares(service) => return write!(f, "{} declared", service.wire_name()),
            Self::Lacks(service) => return write!(f, "no {} declared", service.wire_name()),
            Self::DeclaresNoExpansion => "no volume expansion declared",
            Self::ControllerCan(rpc) => return write!(f, "controller {}", rpc.as_str_name()),
            Self::ControllerCannot(rpc) => return write!(f, "no controller {}", rpc.as_str_name()),
            Self::NodeCan(rpc) => return write!(f, "node {}", rpc.as_str_name()),
            Self::NodeCannot(rpc) => return write!(f, "no node {}", rpc.as_str_name()),
            Self::All(all) => return joined(f, all, ", "),
            Self::Any(any) => return joined(f, any, "; or "),
        };
        f.write_str(text)
    }
}

fn joined(f: &mut fmt::Formatter<'_>, all: &[When], between: &str) -> fmt::Result {
    for (at, one) in all.iter().enumerate() {
        if at > 0 {
            f.write_str(between)?;
        }
        fmt::Display::fmt(one, f)?;
    }
    Ok(())
}
