//! The rules, by theme.

use crate::{Caller, Evidence, Exchange, Observation, Rule, Socket};

mod authority;
mod behaviour;
mod capabilities;
mod endpoint;
mod expansion;
mod identity;
mod node_info;
mod presence;
mod probe;
mod process;
mod reality;
mod sanity;
mod services;
mod status;
mod wire;

#[cfg(test)]
mod tests;

static ALL: [&[Rule]; 15] = [
    presence::RULES,
    identity::RULES,
    capabilities::RULES,
    reality::RULES,
    expansion::RULES,
    services::RULES,
    probe::RULES,
    node_info::RULES,
    status::RULES,
    wire::RULES,
    authority::RULES,
    behaviour::RULES,
    endpoint::RULES,
    process::RULES,
    sanity::RULES,
];

/// All rules, in the order of their themes.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    ALL.into_iter().flatten()
}

/// The rule of this id.
#[must_use]
pub fn rule(id: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.id == id)
}

const REGISTRAR: Caller = Caller::Kubernetes("node-driver-registrar");
const LIVENESSPROBE: Caller = Caller::Kubernetes("livenessprobe");
const SIDECARS: Caller = Caller::Kubernetes("the external sidecars");
const PROVISIONER: Caller = Caller::Kubernetes("external-provisioner");
const ATTACHER: Caller = Caller::Kubernetes("external-attacher");
const RESIZER: Caller = Caller::Kubernetes("external-resizer");
const HEALTH_MONITOR: Caller = Caller::Kubernetes("external-health-monitor");
const SNAPSHOT_METADATA: Caller = Caller::Kubernetes("external-snapshot-metadata");
const KUBELET: Caller = Caller::Kubernetes("kubelet");
const OLD_KUBELET: Caller = Caller::Kubernetes("kubelet to 1.25");
const API_SERVER: Caller = Caller::Kubernetes("the API server");
const NOMAD: Caller = Caller::Nomad;
const CSC: Caller = Caller::Other("csc");
const GRPC_C: Caller = Caller::Other("gRPC in Python, C++, Ruby and Java");
const GRPC: Caller = Caller::Other("every gRPC client");

/// What speaks against each socket, if anything does.
fn each(seen: &Observation, against: impl Fn(&Socket) -> Option<String>) -> Vec<Evidence> {
    each_with(seen, |name, socket| {
        against(socket).map(|text| Evidence::new(name, text))
    })
}

fn each_with(
    seen: &Observation,
    against: impl Fn(&'static str, &Socket) -> Option<Evidence>,
) -> Vec<Evidence> {
    seen.sockets()
        .filter_map(|(name, socket)| against(name, socket))
        .collect()
}

/// The same for the plugin socket alone, which is the one that a kubelet asks; what a controller says of nodes is nobody's
/// business.
fn on_node(seen: &Observation, against: impl Fn(&Socket) -> Option<String>) -> Vec<Evidence> {
    on_node_with(seen, |name, socket| {
        against(socket).map(|text| Evidence::new(name, text))
    })
}

fn on_node_with(
    seen: &Observation,
    against: impl Fn(&'static str, &Socket) -> Option<Evidence>,
) -> Vec<Evidence> {
    let first = seen.sockets().next();
    first
        .and_then(|(name, socket)| against(name, socket))
        .into_iter()
        .collect()
}

/// What speaks against each call, each text once for a socket.
fn each_call(seen: &Observation, against: impl Fn(&Exchange) -> Option<Evidence>) -> Vec<Evidence> {
    let mut all = Vec::<Evidence>::new();
    for (name, socket) in seen.sockets() {
        for exchange in socket.exchanges() {
            let Some(mut evidence) = against(exchange) else {
                continue;
            };
            evidence.socket = name;
            evidence.seen = format!("{}: {}", exchange.method, evidence.seen);
            let is_there = |one: &Evidence| one.socket == name && one.seen == evidence.seen;
            if !all.iter().any(is_there) {
                all.push(evidence);
            }
        }
    }
    all
}

/// A time in a report.
fn seconds(time: std::time::Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
