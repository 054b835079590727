//! What a plugin can do, as the wire knows it.

mod observed;
mod set;

use std::fmt;
use std::str::FromStr;

use super::nearest::nearest;

pub use observed::ObservedCapability;
pub use set::PluginCapabilities;

/// One capability of a plugin.
///
/// The wire's UNKNOWN is no value here: it carries no meaning, so it is never sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PluginCapability {
    /// A service is offered, by this instance of the plugin or another.
    Service(ServiceCapability),
    /// Volumes can be expanded in this way.
    VolumeExpansion(VolumeExpansion),
}

/// A service that a plugin offers (`PluginCapability.Service.Type` of CSI 1.12).
///
/// There is none for the Node service; see [`OfferedService::NodeService`](crate::OfferedService::NodeService).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ServiceCapability {
    /// The plugin has a Controller service; without this, nothing is provisioned.
    ControllerService = 1,
    /// Volumes may not be reachable from every node; without this, no volume gets a node affinity.
    VolumeAccessibilityConstraints = 2,
    /// The plugin has a GroupController service.
    GroupControllerService = 3,
    /// The plugin has a SnapshotMetadata service (alpha in CSI 1.12).
    SnapshotMetadataService = 4,
}

/// In which state a volume can be expanded (`PluginCapability.VolumeExpansion.Type` of CSI 1.12).
///
/// Neither Kubernetes nor Nomad reads it; they go by the EXPAND_VOLUME capabilities of the Controller and Node services.
///
/// Parses from `online` and `offline`, or the wire's upper-case names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum VolumeExpansion {
    /// While it is published to a node.
    Online = 1,
    /// While it is not.
    Offline = 2,
}

/// Why a text is no [`VolumeExpansion`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VolumeExpansionError {
    /// It is the wire's UNKNOWN.
    #[error("volume expansion UNKNOWN carries no meaning and is never sent; leave it out")]
    Unknown,
    /// It resembles a name.
    #[error("{text:?} is no volume expansion; did you mean {nearest}?")]
    Misspelt {
        /// The text.
        text: String,
        /// The name it resembles.
        nearest: &'static str,
    },
    /// It resembles nothing.
    #[error("{text:?} is no volume expansion; it is online or offline")]
    Unrecognised {
        /// The text.
        text: String,
    },
}

impl ServiceCapability {
    /// All of them, by number.
    pub const ALL: [Self; 4] = [
        Self::ControllerService,
        Self::VolumeAccessibilityConstraints,
        Self::GroupControllerService,
        Self::SnapshotMetadataService,
    ];

    /// The number on the wire.
    #[must_use]
    pub const fn number(self) -> i32 {
        self as i32
    }

    /// The capability with this number; none for UNKNOWN (0) and for numbers of a later specification.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|service| service.number() == number)
    }

    /// The name in the specification.
    #[must_use]
    pub const fn wire_name(self) -> &'static str {
        match self {
            Self::ControllerService => "CONTROLLER_SERVICE",
            Self::VolumeAccessibilityConstraints => "VOLUME_ACCESSIBILITY_CONSTRAINTS",
            Self::GroupControllerService => "GROUP_CONTROLLER_SERVICE",
            Self::SnapshotMetadataService => "SNAPSHOT_METADATA_SERVICE",
        }
    }
}

impl VolumeExpansion {
    /// Both, by number.
    pub const ALL: [Self; 2] = [Self::Online, Self::Offline];

    /// The number on the wire.
    #[must_use]
    pub const fn number(self) -> i32 {
        self as i32
    }

    /// The expansion with this number; none for UNKNOWN (0) and for numbers of a later specification.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|expansion| expansion.number() == number)
    }

    /// The name in the specification.
    #[must_use]
    pub const fn wire_name(self) -> &'static str {
        match self {
            Self::Online => "ONLINE",
            Self::Offline => "OFFLINE",
        }
    }
}

impl FromStr for VolumeExpansion {
    type Err = VolumeExpansionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "online" | "ONLINE" => Ok(Self::Online),
            "offline" | "OFFLINE" => Ok(Self::Offline),
            _ if text.eq_ignore_ascii_case("unknown") => Err(VolumeExpansionError::Unknown),
            _ => Err(match nearest(text, ["ONLINE", "OFFLINE"]) {
                Some(nearest) => VolumeExpansionError::Misspelt {
                    text: text.to_owned(),
                    nearest,
                },
                None => VolumeExpansionError::Unrecognised {
                    text: text.to_owned(),
                },
            }),
        }
    }
}

impl fmt::Display for ServiceCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.wire_name())
    }
}

impl fmt::Display for VolumeExpansion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.wire_name())
    }
}

/// A service by its wire name, an expansion as `volume expansion ONLINE`.
impl fmt::Display for PluginCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Service(service) => service.fmt(f),
            Self::VolumeExpansion(expansion) => write!(f, "volume expansion {expansion}"),
        }
    }
}

impl From<ServiceCapability> for PluginCapability {
    fn from(service: ServiceCapability) -> Self {
        Self::Service(service)
    }
}

impl From<VolumeExpansion> for PluginCapability {
    fn from(expansion: VolumeExpansion) -> Self {
        Self::VolumeExpansion(expansion)
    }
}

#[cfg(test)]
mod tests {
    use super::{ServiceCapability, VolumeExpansion};

    #[test]
    fn numbers_and_names_are_those_of_the_wire() {
        let services =
            ServiceCapability::ALL.map(|service| (service.number(), service.to_string()));
        let expected = [
            (1, "CONTROLLER_SERVICE"),
            (2, "VOLUME_ACCESSIBILITY_CONSTRAINTS"),
            (3, "GROUP_CONTROLLER_SERVICE"),
            (4, "SNAPSHOT_METADATA_SERVICE"),
        ];
        assert_eq!(
            services,
            expected.map(|(number, name)| (number, name.to_owned()))
        );
        let expansions =
            VolumeExpansion::ALL.map(|expansion| (expansion.number(), expansion.wire_name()));
        assert_eq!(expansions, [(1, "ONLINE"), (2, "OFFLINE")]);
    }

    #[test]
    fn every_number_finds_its_value_and_no_other_does() {
        for service in ServiceCapability::ALL {
            assert_eq!(
                ServiceCapability::from_number(service.number()),
                Some(service)
            );
        }
        for expansion in VolumeExpansion::ALL {
            assert_eq!(
                VolumeExpansion::from_number(expansion.number()),
                Some(expansion)
            );
        }
        for number in [i32::MIN, -1, 0, 5, i32::MAX] {
            assert_eq!(ServiceCapability::from_number(number), None, "{number}");
        }
        for number in [i32::MIN, -1, 0, 3, i32::MAX] {
            assert_eq!(VolumeExpansion::from_number(number), None, "{number}");
        }
    }

    #[test]
    fn expansions_parse_in_lower_case_and_as_the_wire_has_them() {
        for expansion in VolumeExpansion::ALL {
            assert_eq!(expansion.to_string().parse(), Ok(expansion));
            assert_eq!(expansion.to_string().to_lowercase().parse(), Ok(expansion));
        }
        for (text, message) in [
            (
                "UNKNOWN",
                "volume expansion UNKNOWN carries no meaning and is never sent; leave it out",
            ),
            (
                "Online",
                r#""Online" is no volume expansion; did you mean ONLINE?"#,
            ),
            (
                "ofline",
                r#""ofline" is no volume expansion; did you mean OFFLINE?"#,
            ),
            (
                "yes",
                r#""yes" is no volume expansion; it is online or offline"#,
            ),
            ("", r#""" is no volume expansion; it is online or offline"#),
        ] {
            assert_eq!(
                text.parse::<VolumeExpansion>().unwrap_err().to_string(),
                message
            );
        }
    }
}
