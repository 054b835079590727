//! The services a configuration may name.

use std::fmt;
use std::str::FromStr;

use super::capability::{ServiceCapability, VolumeExpansion};
use super::nearest::nearest;

/// A service that a plugin can say it offers.
///
/// That is every [`ServiceCapability`] and the Node service, for which the wire has no capability: it may be named, is
/// shown in reports and is never sent. Parses from the exact wire name.
///
/// ```
/// use csi_identity::OfferedService;
///
/// let node: OfferedService = "NODE_SERVICE".parse()?;
/// assert_eq!(node.capability(), None);
///
/// let error = "controller-service".parse::<OfferedService>().unwrap_err();
/// assert_eq!(error.to_string(), "\"controller-service\" is no service; did you mean CONTROLLER_SERVICE?");
/// # Ok::<(), csi_identity::OfferedServiceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum OfferedService {
    /// `csi.v1.Controller`.
    ControllerService,
    /// `csi.v1.Node`.
    NodeService,
    /// `csi.v1.GroupController`.
    GroupControllerService,
    /// `csi.v1.SnapshotMetadata`.
    SnapshotMetadataService,
    /// No service of its own: volumes may not be reachable from every node.
    VolumeAccessibilityConstraints,
}

/// Why a text is no [`OfferedService`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OfferedServiceError {
    /// It is the wire's UNKNOWN.
    #[error("service UNKNOWN carries no meaning and is never sent; leave it out")]
    Unknown,
    /// It is a volume expansion.
    #[error("{text:?} is no service but a volume expansion; name it there")]
    Expansion {
        /// The text.
        text: String,
    },
    /// It resembles a name.
    #[error("{text:?} is no service; did you mean {nearest}?")]
    Misspelt {
        /// The text.
        text: String,
        /// The name it resembles.
        nearest: &'static str,
    },
    /// It resembles nothing.
    #[error(
        "{text:?} is no service; known are CONTROLLER_SERVICE, NODE_SERVICE, GROUP_CONTROLLER_SERVICE, \
         SNAPSHOT_METADATA_SERVICE and VOLUME_ACCESSIBILITY_CONSTRAINTS"
    )]
    Unrecognised {
        /// The text.
        text: String,
    },
}

impl OfferedService {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::ControllerService,
        Self::NodeService,
        Self::GroupControllerService,
        Self::SnapshotMetadataService,
        Self::VolumeAccessibilityConstraints,
    ];

    /// The name in a configuration, which is the wire's where the wire has one.
    #[must_use]
    pub const fn wire_name(self) -> &'static str {
        match (self, self.capability()) {
            (_, Some(capability)) => capability.wire_name(),
            (_, None) => "NODE_SERVICE",
        }
    }

    /// What is sent for it; nothing for the Node service.
    #[must_use]
    pub const fn capability(self) -> Option<ServiceCapability> {
        match self {
            Self::ControllerService => Some(ServiceCapability::ControllerService),
            Self::NodeService => None,
            Self::GroupControllerService => Some(ServiceCapability::GroupControllerService),
            Self::SnapshotMetadataService => Some(ServiceCapability::SnapshotMetadataService),
            Self::VolumeAccessibilityConstraints => {
                Some(ServiceCapability::VolumeAccessibilityConstraints)
            }
        }
    }

    /// The gRPC service that provides it; none for the accessibility constraints.
    #[must_use]
    pub const fn grpc_service(self) -> Option<&'static str> {
        match self {
            Self::ControllerService => Some("csi.v1.Controller"),
            Self::NodeService => Some("csi.v1.Node"),
            Self::GroupControllerService => Some("csi.v1.GroupController"),
            Self::SnapshotMetadataService => Some("csi.v1.SnapshotMetadata"),
            Self::VolumeAccessibilityConstraints => None,
        }
    }

    /// The offer that a gRPC service stands for, by its full name such as `csi.v1.Node`.
    #[must_use]
    pub fn from_grpc_service(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|service| service.grpc_service() == Some(name))
    }
}

impl FromStr for OfferedService {
    type Err = OfferedServiceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(service) = Self::ALL
            .into_iter()
            .find(|service| service.wire_name() == text)
        {
            return Ok(service);
        }
        if text.eq_ignore_ascii_case("unknown") {
            return Err(OfferedServiceError::Unknown);
        }
        let text = text.to_owned();
        if VolumeExpansion::ALL
            .iter()
            .any(|expansion| text.eq_ignore_ascii_case(expansion.wire_name()))
        {
            return Err(OfferedServiceError::Expansion { text });
        }
        Err(match nearest(&text, Self::ALL.map(Self::wire_name)) {
            Some(nearest) => OfferedServiceError::Misspelt { text, nearest },
            None => OfferedServiceError::Unrecognised { text },
        })
    }
}

impl fmt::Display for OfferedService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.wire_name())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::OfferedService;
    use crate::ServiceCapability;

    #[test]
    fn every_service_parses_from_its_wire_name() {
        for service in OfferedService::ALL {
            assert_eq!(service.to_string().parse(), Ok(service));
        }
        assert_eq!(OfferedService::NodeService.to_string(), "NODE_SERVICE");
    }

    #[test]
    fn every_capability_can_be_offered_and_only_the_node_service_has_none() {
        let offered: Vec<_> = OfferedService::ALL
            .into_iter()
            .filter_map(OfferedService::capability)
            .collect();
        assert_eq!(offered.len(), 4);
        assert!(
            ServiceCapability::ALL
                .iter()
                .all(|capability| offered.contains(capability))
        );
        assert_eq!(OfferedService::NodeService.capability(), None);
    }

    #[test]
    fn grpc_services_stand_for_what_they_provide() {
        for (name, service) in [
            ("csi.v1.Controller", Some(OfferedService::ControllerService)),
            ("csi.v1.Node", Some(OfferedService::NodeService)),
            (
                "csi.v1.GroupController",
                Some(OfferedService::GroupControllerService),
            ),
            (
                "csi.v1.SnapshotMetadata",
                Some(OfferedService::SnapshotMetadataService),
            ),
            ("csi.v1.Identity", None),
            ("csi.v0.Controller", None),
            ("", None),
        ] {
            assert_eq!(OfferedService::from_grpc_service(name), service, "{name:?}");
        }
    }

    #[test]
    fn other_texts_are_told_what_was_probably_meant() {
        for (text, message) in [
            (
                "UNKNOWN",
                "service UNKNOWN carries no meaning and is never sent; leave it out",
            ),
            (
                "unknown",
                "service UNKNOWN carries no meaning and is never sent; leave it out",
            ),
            (
                "online",
                r#""online" is no service but a volume expansion; name it there"#,
            ),
            (
                "Node-Service",
                r#""Node-Service" is no service; did you mean NODE_SERVICE?"#,
            ),
            (
                "controller",
                r#""controller" is no service; did you mean CONTROLLER_SERVICE?"#,
            ),
            (
                "GROUP_CONTROLER_SERVICE",
                r#""GROUP_CONTROLER_SERVICE" is no service; did you mean GROUP_CONTROLLER_SERVICE?"#,
            ),
            (
                "volume_accessibility_constraint",
                r#""volume_accessibility_constraint" is no service; did you mean VOLUME_ACCESSIBILITY_CONSTRAINTS?"#,
            ),
            (
                " NODE_SERVICE",
                r#"" NODE_SERVICE" is no service; did you mean NODE_SERVICE?"#,
            ),
            (
                "raid",
                "\"raid\" is no service; known are CONTROLLER_SERVICE, NODE_SERVICE, GROUP_CONTROLLER_SERVICE, \
                 SNAPSHOT_METADATA_SERVICE and VOLUME_ACCESSIBILITY_CONSTRAINTS",
            ),
        ] {
            assert_eq!(
                text.parse::<OfferedService>().unwrap_err().to_string(),
                message
            );
        }
    }

    proptest! {
        #[test]
        fn only_the_exact_names_parse(text in prop_oneof![any::<String>(), "[A-Za-z_ -]{0,40}"]) {
            match text.parse::<OfferedService>() {
                Ok(service) => prop_assert_eq!(service.wire_name(), text),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
