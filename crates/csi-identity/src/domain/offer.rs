//! From what a plugin really offers to the capabilities it reports.

mod advice;

use std::collections::BTreeSet;

use super::capability::{PluginCapabilities, PluginCapability, ServiceCapability, VolumeExpansion};
use super::offered_service::OfferedService;

pub use advice::CapabilityAdvice;

/// What a plugin offers, all its instances taken together.
///
/// Capabilities are derived from it, not declared: a service that is served cannot be forgotten. An instance that serves
/// only the Node service still reports what its Controller instance offers, so that is said in `served_elsewhere`.
///
/// ```
/// use csi_identity::{NodeTopology, Offer};
///
/// let mut offer = Offer::serving(["csi.v1.Identity", "csi.v1.Controller", "csi.v1.Node"]);
/// offer.node_topology = NodeTopology::Present;
/// assert_eq!(offer.capabilities()?.to_string(), "CONTROLLER_SERVICE, VOLUME_ACCESSIBILITY_CONSTRAINTS");
/// # Ok::<(), csi_identity::OfferError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// What this instance serves.
    pub served_here: BTreeSet<OfferedService>,
    /// What some instance of the plugin serves, whether or not this one does too.
    pub served_elsewhere: BTreeSet<OfferedService>,
    /// In which states volumes can be expanded.
    pub expansion: BTreeSet<VolumeExpansion>,
    /// Whether NodeGetInfo of this instance reports a topology.
    pub node_topology: NodeTopology,
    /// Which services have the EXPAND_VOLUME capability; `None` where that is not known.
    pub expand_volume: Option<ExpandVolume>,
}

/// Whether NodeGetInfo of this instance reports an accessible topology.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NodeTopology {
    /// It reports none.
    #[default]
    Absent,
    /// It reports one, so the plugin has accessibility constraints.
    Present,
    /// The plugin's own Node service decides when it is asked.
    Unknown,
}

/// Which services have the EXPAND_VOLUME capability, anywhere among the plugin's instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExpandVolume {
    /// ControllerGetCapabilities lists it.
    pub controller: bool,
    /// NodeGetCapabilities lists it.
    pub node: bool,
}

/// Why an [`Offer`] has no truthful capabilities.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OfferError {
    /// Accessibility constraints are offered where a node without topology is served.
    ///
    /// Kubernetes would then find no topology key on the node and provision nothing.
    #[error(
        "VOLUME_ACCESSIBILITY_CONSTRAINTS is offered and the Node service is served here, but the node has no \
         topology; give it an accessible_topology or drop the constraints"
    )]
    TopologyWithoutKeys,
}

impl Offer {
    /// The offer of an instance that serves these gRPC services, named as `csi.v1.Node` is; others are passed over.
    pub fn serving<'a>(grpc_services: impl IntoIterator<Item = &'a str>) -> Self {
        let served_here = grpc_services
            .into_iter()
            .filter_map(OfferedService::from_grpc_service)
            .collect();
        Self {
            served_here,
            ..Self::default()
        }
    }

    /// Whether any instance serves it.
    #[must_use]
    pub fn includes(&self, service: OfferedService) -> bool {
        self.served_here.contains(&service) || self.served_elsewhere.contains(&service)
    }

    /// The capabilities that every instance of the plugin reports.
    ///
    /// A topology on this node implies VOLUME_ACCESSIBILITY_CONSTRAINTS, as the specification demands (NodeGetInfo).
    ///
    /// # Errors
    ///
    /// The constraints are offered, but the node served here has no topology.
    pub fn capabilities(&self) -> Result<PluginCapabilities, OfferError> {
        if self.includes(OfferedService::VolumeAccessibilityConstraints)
            && self.served_here.contains(&OfferedService::NodeService)
            && self.node_topology == NodeTopology::Absent
        {
            return Err(OfferError::TopologyWithoutKeys);
        }
        let services = self
            .served_here
            .union(&self.served_elsewhere)
            .filter_map(|service| service.capability());
        let derived = (self.node_topology == NodeTopology::Present)
            .then_some(ServiceCapability::VolumeAccessibilityConstraints);
        let expansion = self.expansion.iter().copied().map(PluginCapability::from);
        Ok(services
            .chain(derived)
            .map(PluginCapability::from)
            .chain(expansion)
            .collect())
    }

    /// What in the offer contradicts itself or the specification; empty for a sound one.
    #[must_use]
    pub fn advice(&self) -> Vec<CapabilityAdvice> {
        use CapabilityAdvice as Advice;
        let online = self.expansion.contains(&VolumeExpansion::Online);
        let offline = self.expansion.contains(&VolumeExpansion::Offline);
        // Where the capabilities of the services are not known, a service that is offered may have them.
        let possible = self.expand_volume.unwrap_or(ExpandVolume {
            controller: self.includes(OfferedService::ControllerService),
            node: self.includes(OfferedService::NodeService),
        });
        let stated = self.expand_volume.unwrap_or_default();
        let constraints_derived = self.node_topology == NodeTopology::Present
            && !self.includes(OfferedService::VolumeAccessibilityConstraints)
            && self
                .served_elsewhere
                .contains(&OfferedService::ControllerService);
        [
            (constraints_derived, Advice::TopologyDerived),
            (online && offline, Advice::OnlineAndOffline),
            (
                online && !possible.controller && !possible.node,
                Advice::OnlineWithoutExpander,
            ),
            (
                offline && !possible.controller,
                Advice::OfflineWithoutController,
            ),
            (
                !online && !offline && (stated.controller || stated.node),
                Advice::ExpansionNotStated,
            ),
        ]
        .into_iter()
        .filter_map(|(applies, advice)| applies.then_some(advice))
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::CapabilityAdvice as Advice;
    use super::OfferedService::{
        ControllerService as Controller, NodeService as Node, VolumeAccessibilityConstraints,
    };
    use super::VolumeExpansion::{Offline, Online};
    use super::{ExpandVolume, NodeTopology, Offer, OfferedService, VolumeExpansion};

    fn offer(
        here: &[OfferedService],
        elsewhere: &[OfferedService],
        expansion: &[VolumeExpansion],
    ) -> Offer {
        Offer {
            served_here: here.iter().copied().collect(),
            served_elsewhere: elsewhere.iter().copied().collect(),
            expansion: expansion.iter().copied().collect(),
            ..Offer::default()
        }
    }

    #[test]
    fn capabilities_follow_from_the_services_of_all_instances() {
        let all = [
            "csi.v1.Node",
            "csi.v1.SnapshotMetadata",
            "csi.v1.GroupController",
            "csi.v1.Controller",
        ];
        for (offer, expected) in [
            (Offer::default(), "none"),
            (
                Offer::serving(["csi.v1.Identity", "grpc.health.v1.Health"]),
                "none",
            ),
            (Offer::serving(["csi.v1.Node"]), "none"),
            (
                Offer::serving(all),
                "CONTROLLER_SERVICE, GROUP_CONTROLLER_SERVICE, SNAPSHOT_METADATA_SERVICE",
            ),
            (offer(&[Node], &[Controller], &[]), "CONTROLLER_SERVICE"),
            (
                offer(&[Controller], &[Controller, Node], &[Online]),
                "CONTROLLER_SERVICE, volume expansion ONLINE",
            ),
            (
                offer(&[Controller], &[Node, VolumeAccessibilityConstraints], &[]),
                "CONTROLLER_SERVICE, VOLUME_ACCESSIBILITY_CONSTRAINTS",
            ),
        ] {
            assert_eq!(
                offer.capabilities().unwrap().to_string(),
                expected,
                "{offer:?}"
            );
        }
    }

    #[test]
    fn a_node_topology_implies_the_constraints() {
        let mut offer = offer(&[Node], &[], &[]);
        for (node_topology, expected) in [
            (NodeTopology::Absent, "none"),
            (NodeTopology::Unknown, "none"),
            (NodeTopology::Present, "VOLUME_ACCESSIBILITY_CONSTRAINTS"),
        ] {
            offer.node_topology = node_topology;
            assert_eq!(offer.capabilities().unwrap().to_string(), expected);
        }
    }

    #[test]
    fn constraints_without_a_topology_are_an_error_only_where_the_node_is_served() {
        for declared in [offer(&[Node, VolumeAccessibilityConstraints], &[], &[]), {
            offer(&[Node], &[VolumeAccessibilityConstraints], &[])
        }] {
            let error = declared.capabilities().unwrap_err();
            assert_eq!(
                error.to_string(),
                "VOLUME_ACCESSIBILITY_CONSTRAINTS is offered and the Node service is served here, but the node has \
                 no topology; give it an accessible_topology or drop the constraints",
            );
            for node_topology in [NodeTopology::Present, NodeTopology::Unknown] {
                let known = Offer {
                    node_topology,
                    ..declared.clone()
                };
                assert_eq!(
                    known.capabilities().unwrap().to_string(),
                    "VOLUME_ACCESSIBILITY_CONSTRAINTS"
                );
            }
        }
        assert!(
            offer(&[Controller], &[Node, VolumeAccessibilityConstraints], &[])
                .capabilities()
                .is_ok()
        );
    }

    #[test]
    fn expansion_advice_uses_what_is_known_of_the_services() {
        let expands = |controller, node| Some(ExpandVolume { controller, node });
        for (here, expansion, expand_volume, expected) in [
            (&[Controller][..], &[Online][..], None, &[][..]),
            (&[Node], &[Online], None, &[]),
            (&[Controller, Node], &[Offline], expands(true, false), &[]),
            (&[Controller, Node], &[Online], expands(false, true), &[]),
            (
                &[Controller],
                &[Online, Offline],
                None,
                &[Advice::OnlineAndOffline],
            ),
            (&[], &[Online], None, &[Advice::OnlineWithoutExpander]),
            (
                &[Controller, Node],
                &[Online],
                expands(false, false),
                &[Advice::OnlineWithoutExpander],
            ),
            (
                &[Node],
                &[Offline],
                None,
                &[Advice::OfflineWithoutController],
            ),
            (
                &[Controller, Node],
                &[Offline],
                expands(false, true),
                &[Advice::OfflineWithoutController],
            ),
            (
                &[Controller, Node],
                &[],
                expands(true, false),
                &[Advice::ExpansionNotStated],
            ),
            (
                &[Controller, Node],
                &[],
                expands(false, true),
                &[Advice::ExpansionNotStated],
            ),
            (&[Controller, Node], &[], expands(false, false), &[]),
            (&[Controller, Node], &[], None, &[]),
        ] {
            let offer = Offer {
                expand_volume,
                ..offer(here, &[], expansion)
            };
            assert_eq!(offer.advice(), expected, "{offer:?}");
        }
    }

    #[test]
    fn derived_constraints_are_pointed_out_where_another_instance_must_report_them_too() {
        for (here, elsewhere, node_topology, expected) in [
            (
                &[Node][..],
                &[Controller][..],
                NodeTopology::Present,
                &[Advice::TopologyDerived][..],
            ),
            (&[Node], &[Controller], NodeTopology::Absent, &[]),
            (
                &[Node],
                &[Controller, VolumeAccessibilityConstraints],
                NodeTopology::Present,
                &[],
            ),
            (&[Node, Controller], &[], NodeTopology::Present, &[]),
        ] {
            let offer = Offer {
                node_topology,
                ..offer(here, elsewhere, &[])
            };
            assert_eq!(offer.advice(), expected, "{offer:?}");
        }
    }
}
