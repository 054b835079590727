//! Expansion of volumes: what is declared, and what the controller and the node can.

use csi_identity::ObservedCapability;
use csi_identity::ObservedCapability::VolumeExpansion;

use super::each;
use super::reality::declares;
use crate::{Evidence, Method, Observation, Rule, Theme};

const THEME: Theme = Theme::Reality;

const ONLINE: ObservedCapability = VolumeExpansion(1);
const OFFLINE: ObservedCapability = VolumeExpansion(2);

/// EXPAND_VOLUME of the Controller service and of the Node service.
const CONTROLLER_EXPAND: i32 = 9;
const NODE_EXPAND: i32 = 3;

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: "CSI csi.proto, PluginCapability.VolumeExpansion.ONLINE",
        why: "It says that volumes in use can be expanded, and no service can expand any.",
        go: "implement ControllerExpandVolume or NodeExpandVolume and list EXPAND_VOLUME, or leave ONLINE out",
        rust: "list EXPAND_VOLUME (9 for the controller, 3 for the node), or leave ONLINE out",
        in_guides: true,
        implied_by: &["CSI-ID-055"],
        check: |seen| {
            expansion(seen, ONLINE, |controller, node| {
                Some(!controller? && !node?)
            })
        },
        ..Rule::must(
            "CSI-ID-048",
            THEME,
            "ONLINE expansion comes with EXPAND_VOLUME of the controller or the node",
        )
    },
    Rule {
        clause: "CSI csi.proto, PluginCapability.VolumeExpansion.OFFLINE",
        why: "A volume that is on no node can only be expanded by the controller, which does not list EXPAND_VOLUME.",
        go: "implement ControllerExpandVolume and list EXPAND_VOLUME, or declare ONLINE in place of OFFLINE",
        rust: "list the controller's EXPAND_VOLUME (9), or declare Online in place of Offline",
        in_guides: true,
        check: |seen| expansion(seen, OFFLINE, |controller, _| Some(!controller?)),
        ..Rule::must(
            "CSI-ID-049",
            THEME,
            "OFFLINE expansion comes with EXPAND_VOLUME of the controller",
        )
    },
    Rule {
        clause: "CSI csi.proto, PluginCapability.VolumeExpansion",
        why: "ONLINE says that a volume may be expanded while it is in use, OFFLINE that it may only be expanded while it is not.",
        go: "list the one that is meant: ONLINE if volumes in use can be expanded",
        rust: "list the one that is meant: VolumeExpansion::Online if volumes in use can be expanded",
        check: |seen| {
            each(seen, |socket| {
                let all = socket.capabilities()?;
                (all.contains(&ONLINE) && all.contains(&OFFLINE))
                    .then(|| "both ONLINE and OFFLINE are listed".to_owned())
            })
        },
        ..Rule::advice("CSI-ID-050", THEME, "not both ONLINE and OFFLINE expansion")
    },
    Rule {
        clause: "CSI csi.proto, PluginCapability.VolumeExpansion",
        why: "No caller of Kubernetes or Nomad reads it; an orchestrator that goes by the specification expands no volume.",
        go: "add PluginCapability_VolumeExpansion_ONLINE or _OFFLINE",
        rust: "add VolumeExpansion::Online or VolumeExpansion::Offline",
        implied_by: &["CSI-ID-111"],
        check: |seen| {
            each(seen, |socket| {
                let all = socket.capabilities()?;
                let declares = all.iter().any(|one| matches!(one, VolumeExpansion(_)));
                let can = |method, rpc| socket.rpcs(method).is_some_and(|all| all.contains(&rpc));
                let can = can(Method::CONTROLLER_GET_CAPABILITIES, CONTROLLER_EXPAND)
                    || can(Method::NODE_GET_CAPABILITIES, NODE_EXPAND);
                (can && !declares).then(|| {
                    "EXPAND_VOLUME is listed, and no volume expansion in GetPluginCapabilities"
                        .to_owned()
                })
            })
        },
        ..Rule::advice(
            "CSI-ID-051",
            THEME,
            "EXPAND_VOLUME comes with a volume expansion",
        )
    },
];

/// An expansion that is declared, and speaks against what the controller and the node can.
fn expansion(
    seen: &Observation,
    mode: ObservedCapability,
    is_lie: fn(Option<bool>, Option<bool>) -> Option<bool>,
) -> Vec<Evidence> {
    if !declares(seen, mode) {
        return Vec::new();
    }
    let can = |method: Method, rpc: i32| {
        let mut known = seen
            .sockets()
            .filter_map(|(_, socket)| socket.rpcs(method))
            .peekable();
        if known.peek().is_some() {
            return Some(known.any(|all| all.contains(&rpc)));
        }
        let nowhere = seen
            .sockets()
            .all(|(_, socket)| socket.serves(method) == Some(false));
        (seen.is_whole() && nowhere).then_some(false)
    };
    let controller = can(Method::CONTROLLER_GET_CAPABILITIES, CONTROLLER_EXPAND);
    let node = can(Method::NODE_GET_CAPABILITIES, NODE_EXPAND);
    if is_lie(controller, node) != Some(true) {
        return Vec::new();
    }
    let has = |can: Option<bool>| {
        if can == Some(true) {
            "has"
        } else {
            "does not have"
        }
    };
    vec![Evidence::new(
        "",
        format!(
            "{mode} is declared; the controller {} EXPAND_VOLUME, the node {} it",
            has(controller),
            has(node)
        ),
    )]
}
