//! The capabilities as such: meaning, duplicates, and whether they stay the same.

use csi_identity::ObservedCapability;

use super::{SIDECARS, each, each_with};
use crate::{Controller, Evidence, Exchange, Method, Observation, Rule, Socket, Theme};

const THEME: Theme = Theme::Capabilities;
const PROTO: &str = "CSI csi.proto, PluginCapability";

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: PROTO,
        why: "An entry that holds neither a service nor a volume expansion says nothing; csi-sanity fails it.",
        go: "leave out capabilities whose Type is nil",
        rust: "leave out PluginCapability { r#type: None }; csi_identity::PluginCapabilities cannot hold one",
        implied_by: &["CSI-ID-111"],
        check: |seen| listed(seen, |one| one == ObservedCapability::Empty),
        ..Rule::advice("CSI-ID-030", THEME, "no capability is empty")
    },
    Rule {
        clause: PROTO,
        why: "UNKNOWN is what a number is that nobody set; it carries no meaning, and csi-sanity fails it.",
        go: "set Type in PluginCapability_Service and PluginCapability_VolumeExpansion",
        rust: "set r#type; csi_identity::PluginCapabilities cannot hold UNKNOWN",
        implied_by: &["CSI-ID-111"],
        check: |seen| {
            listed(seen, |one| {
                matches!(
                    one,
                    ObservedCapability::Service(0) | ObservedCapability::VolumeExpansion(0)
                )
            })
        },
        ..Rule::advice("CSI-ID-031", THEME, "no capability is UNKNOWN")
    },
    Rule {
        clause: "CSI csi.proto 1.12, PluginCapability.Service.Type and VolumeExpansion.Type",
        why: "No caller known here reads the number, and csi-sanity fails it. If a newer specification defines it, all is well.",
        go: "use the constants of csi.PluginCapability_Service_Type",
        rust: "use csi_identity::ServiceCapability and VolumeExpansion",
        check: |seen| {
            listed(seen, |one| {
                let is_set = !matches!(
                    one,
                    ObservedCapability::Empty
                        | ObservedCapability::Service(0)
                        | ObservedCapability::VolumeExpansion(0)
                );
                is_set && one.known().is_none()
            })
        },
        ..Rule::advice("CSI-ID-032", THEME, "each capability is one of CSI 1.12")
    },
    Rule {
        clause: PROTO,
        why: "It means no more than once, and is often the trace of a list that grows with each call.",
        go: "build the list in a variable of the function, not by append to one that lives on",
        rust: "csi_identity::PluginCapabilities is a set",
        check: |seen| {
            each(seen, |socket| {
                let all = socket.capabilities()?;
                let twice: Vec<String> = all
                    .iter()
                    .enumerate()
                    .filter(|&(at, one)| all.iter().take(at).any(|before| before == one))
                    .map(|(_, one)| one.to_string())
                    .collect();
                (!twice.is_empty()).then(|| format!("more than once: {}", twice.join(", ")))
            })
        },
        ..Rule::advice("CSI-ID-033", THEME, "no capability is listed twice")
    },
    Rule {
        clause: "CSI spec.md, GetPluginCapabilities",
        why: "It is the same set, so nothing breaks; but whoever compares two answers sees a change where there is none.",
        go: "do not range over a map to build the list",
        rust: "keep them in a BTreeSet or a Vec, not in a HashSet",
        implied_by: &["CSI-ID-035"],
        check: |seen| {
            each(seen, |socket| {
                let mut lists = lists(socket);
                lists.sort();
                lists.dedup();
                let mut sets: Vec<_> = lists.iter().map(|list| sorted(list)).collect();
                sets.dedup();
                (lists.len() > sets.len())
                    .then(|| format!("the same capabilities came in {} orders", lists.len()))
            })
        },
        ..Rule::advice(
            "CSI-ID-034",
            THEME,
            "capabilities come in the same order each time",
        )
    },
    Rule {
        clause: "CSI spec.md, GetPluginCapabilities: instances of one version report the same",
        why: "Callers ask once, when they start, and keep the answer for their life. What they do then depends on when they asked.",
        go: "decide the list when the program starts; it may not depend on the backend's state",
        rust: "decide the list when the program starts; csi_identity derives it from what is served",
        check: |seen| {
            each(seen, |socket| {
                let mut sets: Vec<_> = lists(socket).iter().map(|list| sorted(list)).collect();
                sets.sort();
                sets.dedup();
                match &sets[..] {
                    [one, two, ..] => Some(format!(
                        "{} sets in {} calls, among them [{}] and [{}]",
                        sets.len(),
                        calls(socket),
                        shown(one),
                        shown(two)
                    )),
                    _ => None,
                }
            })
        },
        ..Rule::must(
            "CSI-ID-035",
            THEME,
            "the capabilities are the same each time",
        )
    },
    Rule {
        clause: "CSI spec.md, GetPluginCapabilities: instances of one version report the same, whatever they serve",
        why: "A caller may ask any instance. A node plugin that leaves out CONTROLLER_SERVICE has Nomad and others believe that no controller is needed.",
        go: "one function for the list, used by the controller's and the node's program",
        rust: "csi_identity::Offer::served_elsewhere adds what another instance serves",
        check: |seen| {
            let Controller::Other(other) = &seen.controller else {
                return Vec::new();
            };
            let versions = (seen.plugin.plugin_info(), other.plugin_info());
            let is_one_version = matches!(versions, (Some(one), Some(two)) if one.vendor_version == two.vendor_version);
            match (seen.plugin.capabilities(), other.capabilities()) {
                (Some(one), Some(two)) if is_one_version && sorted(&one) != sorted(&two) => {
                    vec![Evidence::new(
                        "",
                        format!(
                            "the plugin socket says [{}], the controller socket [{}], both in the same version",
                            shown(&one),
                            shown(&two)
                        ),
                    )]
                }
                _ => Vec::new(),
            }
        },
        ..Rule::must(
            "CSI-ID-036",
            THEME,
            "both sockets have the same capabilities",
        )
    },
    Rule {
        clause: "CSI csi.proto 1.12, ControllerServiceCapability, NodeServiceCapability and GroupControllerServiceCapability",
        why: "An entry without a meaning says nothing, and csi-sanity fails it. Often it is a constant of the wrong service.",
        go: "set Rpc.Type in each entry, to a constant of the same service",
        rust: "set rpc.r#type in each entry, to a constant of the same service",
        implied_by: &["CSI-ID-111"],
        check: |seen| {
            each_with(seen, |name, socket| {
                let (method, number) = OTHERS.into_iter().find_map(|(method, last)| {
                    let all = socket.rpcs(method)?;
                    let bad = all
                        .into_iter()
                        .find(|number| !(1..=last).contains(number))?;
                    Some((method, bad))
                })?;
                let message = socket.call(method)?.message()?;
                Some(
                    Evidence::new(name, format!("{method} lists the number {number}"))
                        .with_bytes(method, message),
                )
            })
        },
        ..Rule::advice(
            "CSI-ID-037",
            THEME,
            "each capability of another service is one of CSI 1.12",
        )
    },
    Rule {
        clause: "csi-lib-utils 0.24 (rpc/common.go): capabilities are asked once, when a sidecar starts",
        why: "A caller that asks in the wrong moment exits, and its Pod restarts.",
        go: "answer from memory; return no error that depends on the backend",
        rust: "answer from memory; return no error that depends on the backend",
        implied_by: &["CSI-ID-067"],
        check: |seen| {
            each(seen, |socket| {
                let bad = |method| {
                    let repeated = socket.repeated.get(&method)?;
                    socket.call(method)?.message()?;
                    let failed = repeated
                        .ends
                        .iter()
                        .find(|one| one.exchange.message().is_none())?;
                    Some(format!(
                        "{method}: {} of {} calls failed, the first time call {}: {}",
                        failed.calls.len(),
                        repeated.times,
                        failed.calls.first()?,
                        failed.exchange.end.line()
                    ))
                };
                let all: Vec<_> = [Method::GET_PLUGIN_INFO, Method::GET_PLUGIN_CAPABILITIES]
                    .into_iter()
                    .filter_map(bad)
                    .collect();
                (!all.is_empty()).then(|| all.join("; "))
            })
        },
        ..Rule::breaks(
            "CSI-ID-038",
            THEME,
            &[SIDECARS],
            "GetPluginInfo and GetPluginCapabilities do not fail now and then",
        )
    },
];

/// The other services, by the method that lists their capabilities, and the last number each has in CSI 1.12.
const OTHERS: [(Method, i32); 3] = [
    (Method::CONTROLLER_GET_CAPABILITIES, 15),
    (Method::NODE_GET_CAPABILITIES, 6),
    (Method::GROUP_CONTROLLER_GET_CAPABILITIES, 1),
];

fn listed(seen: &Observation, is_bad: fn(ObservedCapability) -> bool) -> Vec<Evidence> {
    each_with(seen, |name, socket| {
        let all = socket.capabilities()?;
        let bad: Vec<_> = all.iter().copied().filter(|&one| is_bad(one)).collect();
        let message = socket.call(Method::GET_PLUGIN_CAPABILITIES)?.message()?;
        (!bad.is_empty()).then(|| {
            Evidence::new(name, shown(&bad)).with_bytes(Method::GET_PLUGIN_CAPABILITIES, message)
        })
    })
}

/// Each different list that came.
fn lists(socket: &Socket) -> Vec<Vec<ObservedCapability>> {
    let method = Method::GET_PLUGIN_CAPABILITIES;
    let repeated = socket.repeated.get(&method);
    let repeated = repeated.into_iter().flat_map(|repeated| &repeated.ends);
    let all = socket
        .call(method)
        .into_iter()
        .chain(repeated.map(|one| &one.exchange));
    all.filter_map(Exchange::capabilities).collect()
}

fn calls(socket: &Socket) -> u32 {
    let repeated = socket.repeated.get(&Method::GET_PLUGIN_CAPABILITIES);
    repeated.map_or(0, |repeated| repeated.times) + 1
}

fn sorted(list: &[ObservedCapability]) -> Vec<ObservedCapability> {
    let mut list = list.to_owned();
    list.sort();
    list.dedup();
    list
}

fn shown(list: &[ObservedCapability]) -> String {
    let all: Vec<_> = list.iter().map(ToString::to_string).collect();
    all.join(", ")
}
