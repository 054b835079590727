//! What csi-sanity 5.4 says of the Identity service, its slips included: for who wants to compare.
//!
//! It asks through grpc-go, which takes a field of the wrong type for an unknown one, and refuses texts that are not UTF-8.

use csi_identity::{NameConsumer, ObservedCapability};

use super::each_with;
use crate::wire::{Flaw, Message, flaws};
use crate::{Connection, Evidence, Exchange, Method, Observation, Rule, Socket, Theme};

const THEME: Theme = Theme::Sanity;

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: "csi-test 5.4, pkg/sanity/identity.go, GetPluginCapabilities should return appropriate capabilities",
        why: "csi-sanity fails. It also fails capabilities of a newer specification, which are allowed (its slip).",
        go: "see CSI-ID-002, CSI-ID-030, CSI-ID-031 and CSI-ID-032",
        rust: "see CSI-ID-002, CSI-ID-030, CSI-ID-031 and CSI-ID-032",
        check: |seen| {
            verdict(seen, Method::GET_PLUGIN_CAPABILITIES, |call| {
                let all = call.capabilities()?;
                let bad = all.into_iter().find(|one| one.known().is_none())?;
                Some(match bad {
                    ObservedCapability::Empty => "an empty capability".to_owned(),
                    other => other.to_string(),
                })
            })
        },
        ..Rule::must(
            "CSI-SANITY-1",
            THEME,
            "csi-sanity passes GetPluginCapabilities",
        )
    },
    Rule {
        clause: "csi-test 5.4, pkg/sanity/identity.go, Probe should return appropriate information",
        why: "csi-sanity fails. Its branch for FAILED_PRECONDITION is never reached, so a plugin that says so fails, though the specification has it for one that is not healthy (its slip); and any value of ready passes.",
        go: "see CSI-ID-003, CSI-ID-060 and CSI-ID-061",
        rust: "see CSI-ID-003, CSI-ID-060 and CSI-ID-061",
        check: |seen| verdict(seen, Method::PROBE, |_| None),
        ..Rule::must("CSI-SANITY-2", THEME, "csi-sanity passes Probe")
    },
    Rule {
        clause: "csi-test 5.4, pkg/sanity/identity.go, GetPluginInfo should return appropriate information",
        why: "csi-sanity fails. It does not look at vendor_version and manifest; its pattern refuses names of one character and names that begin or end with a digit, and takes '_', '\\' and \"..\" (its slips).",
        go: "see CSI-ID-001, CSI-ID-010 to CSI-ID-012 and CSI-ID-017",
        rust: "see CSI-ID-001, CSI-ID-010 to CSI-ID-012 and CSI-ID-017",
        check: |seen| {
            verdict(seen, Method::GET_PLUGIN_INFO, |call| {
                let name = call.plugin_info()?.name;
                (!NameConsumer::CsiSanity.accepts(&name)).then(|| format!("the name is {name:?}"))
            })
        },
        ..Rule::must("CSI-SANITY-3", THEME, "csi-sanity passes GetPluginInfo")
    },
];

fn verdict(
    seen: &Observation,
    method: Method,
    against: fn(&Exchange) -> Option<String>,
) -> Vec<Evidence> {
    each_with(seen, |name, socket| {
        if let Some(why) = unconnected(seen, socket) {
            return Some(Evidence::new(name, format!("{method}: {why}")));
        }
        let call = socket.call(method)?;
        let text = match error(call) {
            Some(error) => error,
            None => against(call)?,
        };
        Some(Evidence::new(name, format!("{method}: {text}")))
    })
}

/// Why no call can be made: csi-sanity gives up after a minute, before each of its tests.
fn unconnected(seen: &Observation, socket: &Socket) -> Option<String> {
    if let Connection::NotHttp2(what) = &socket.connection {
        return Some(what.clone());
    }
    let launch = seen.process.as_ref().map(|process| &process.first)?;
    let is_missing = !launch.is_good() && socket.first.is_empty();
    is_missing.then(|| launch.line())
}

/// The error that grpc-go's client has.
fn error(call: &Exchange) -> Option<String> {
    let Some(message) = call.message() else {
        return Some(call.end.line());
    };
    let all = flaws(message, Message::reply_of(call.method)?);
    let fatal = all
        .iter()
        .find(|flaw| matches!(flaw, Flaw::Malformed { .. } | Flaw::NotUtf8 { .. }));
    fatal.map(ToString::to_string)
}
