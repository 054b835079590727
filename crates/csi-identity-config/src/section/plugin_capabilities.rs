//! `plugin_capabilities`: the answer to GetPluginCapabilities of all instances, in the forms that people write it.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use csi_identity::{OfferedService, OfferedServiceError, VolumeExpansion};

use crate::error::{Flaws, Problem};
use crate::fields::Fields;
use crate::outline::{Key, Section, Shape};
use crate::value::Value;

pub(super) const PLUGIN_CAPABILITIES: Key = Key::optional(
    "plugin_capabilities",
    Shape::Section(&SECTION),
    "{capabilities: [CONTROLLER_SERVICE]}",
    "What the plugin offers, all its instances taken together: the answer to GetPluginCapabilities.",
);

const SECTION: Section = Section::new("plugin_capabilities", &[&CAPABILITIES]);

const CAPABILITIES: Key = Key::optional(
    "capabilities",
    Shape::List(
        &Shape::Either(&[Shape::Word(SERVICES), Shape::Section(&CAPABILITY)]),
        0,
    ),
    "[CONTROLLER_SERVICE]",
    "The capabilities, each once, as the wire has them or by the name of the service alone.",
);

const CAPABILITY: Section = Section {
    exactly_one_of: &[&SERVICE, &VOLUME_EXPANSION, &CONSTRAINTS],
    ..Section::new("a capability", &[&SERVICE, &VOLUME_EXPANSION, &CONSTRAINTS])
};

const SERVICE: Key = Key::optional(
    "service",
    Shape::Section(&SERVICE_SECTION),
    "{type: CONTROLLER_SERVICE}",
    "A service that some instance of the plugin serves.",
);

const SERVICE_SECTION: Section = Section::new("service", &[&SERVICE_TYPE]);

const SERVICE_TYPE: Key = Key::required(
    "type",
    Shape::Word(SERVICES),
    "CONTROLLER_SERVICE",
    "The service. NODE_SERVICE says that csi.v1.Node is served; it is never sent, since the wire has no such value.",
);

/// The names of all [`OfferedService`]s.
const SERVICES: &[&str] = &[
    "CONTROLLER_SERVICE",
    "NODE_SERVICE",
    "GROUP_CONTROLLER_SERVICE",
    "SNAPSHOT_METADATA_SERVICE",
    "VOLUME_ACCESSIBILITY_CONSTRAINTS",
];

const VOLUME_EXPANSION: Key = Key::optional(
    "volume_expansion",
    Shape::Section(&EXPANSION_SECTION),
    "{type: ONLINE}",
    "A state in which volumes can be expanded.",
);

const EXPANSION_SECTION: Section = Section::new("volume_expansion", &[&EXPANSION_TYPE]);

const EXPANSION_TYPE: Key = Key::required(
    "type",
    Shape::Word(&["ONLINE", "OFFLINE", "online", "offline"]),
    "ONLINE",
    "ONLINE is while the volume is published to a node, OFFLINE while it is not.",
);

const CONSTRAINTS: Key = Key::optional(
    "volume_accessibility_constraints",
    Shape::Section(&CONSTRAINTS_SECTION),
    "{required: true}",
    "Whether volumes may be unreachable from some nodes; sent as VOLUME_ACCESSIBILITY_CONSTRAINTS.",
);

const CONSTRAINTS_SECTION: Section =
    Section::new("volume_accessibility_constraints", &[&CONSTRAINTS_REQUIRED]);

const CONSTRAINTS_REQUIRED: Key = Key::required(
    "required",
    Shape::Boolean,
    "true",
    "True declares the constraints; false declares nothing.",
);

/// One item of the list.
#[derive(Clone, Copy, PartialEq)]
enum Offered {
    Service(OfferedService),
    Expansion(VolumeExpansion),
    /// Constraints that are not required.
    Nothing,
}

/// The services and the expansions that are offered.
pub(super) type Capabilities = (BTreeSet<OfferedService>, BTreeSet<VolumeExpansion>);

pub(super) fn read(value: Value<'_>, flaws: &mut Flaws) -> Option<Capabilities> {
    let fields = Fields::of(&SECTION, value, flaws)?;
    fields
        .optional(&CAPABILITIES, flaws, capabilities)
        .or_else(|| Some(Capabilities::default()))
}

fn capabilities(value: Value<'_>, flaws: &mut Flaws) -> Option<Capabilities> {
    let (mut services, mut expansions) = Capabilities::default();
    let mut seen = Vec::new();
    for item in value.items(flaws)? {
        let Some(offered) = capability(item, flaws) else {
            continue;
        };
        match seen.iter().find(|(other, _)| *other == offered) {
            Some(&(_, first)) => {
                let problem = Problem::Duplicate {
                    what: "capability",
                    value: offered.to_string(),
                    first,
                };
                flaws.add(item.node.at, problem);
            }
            None => seen.push((offered, item.node.at)),
        }
        match offered {
            Offered::Service(service) => drop(services.insert(service)),
            Offered::Expansion(expansion) => drop(expansions.insert(expansion)),
            Offered::Nothing => {}
        }
    }
    Some((services, expansions))
}

fn capability(value: Value<'_>, flaws: &mut Flaws) -> Option<Offered> {
    if !value.is_mapping() {
        return service(value, flaws);
    }
    let fields = Fields::of(&CAPABILITY, value, flaws)?;
    let service = fields.optional(&SERVICE, flaws, |value, flaws| {
        Fields::of(&SERVICE_SECTION, value, flaws)?.required(&SERVICE_TYPE, flaws, service)
    });
    let expansion = fields.optional(&VOLUME_EXPANSION, flaws, |value, flaws| {
        let fields = Fields::of(&EXPANSION_SECTION, value, flaws)?;
        let expansion = fields.required(&EXPANSION_TYPE, flaws, Value::word)?;
        Some(Offered::Expansion(expansion))
    });
    let constraints = fields.optional(&CONSTRAINTS, flaws, |value, flaws| {
        let fields = Fields::of(&CONSTRAINTS_SECTION, value, flaws)?;
        let required = fields.required(&CONSTRAINTS_REQUIRED, flaws, Value::boolean)?;
        Some(match required {
            true => Offered::Service(OfferedService::VolumeAccessibilityConstraints),
            false => Offered::Nothing,
        })
    });
    service.or(expansion).or(constraints)
}

fn service(value: Value<'_>, flaws: &mut Flaws) -> Option<Offered> {
    value
        .word(flaws)
        .map(|Service(service)| Offered::Service(service))
}

/// A service; where a text is an expansion instead, the message shows how that is written here.
struct Service(OfferedService);

impl FromStr for Service {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(service) => Ok(Self(service)),
            Err(OfferedServiceError::Expansion { text }) => Err(format!(
                "{text:?} is no service but a volume expansion; write {{volume_expansion: {{type: {}}}}}",
                text.to_uppercase()
            )),
            Err(other) => Err(other.to_string()),
        }
    }
}

impl fmt::Display for Offered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Service(service) => service.fmt(f),
            Self::Expansion(expansion) => write!(f, "volume_expansion {expansion}"),
            Self::Nothing => f.write_str("volume_accessibility_constraints"),
        }
    }
}

#[cfg(test)]
mod tests {
    use csi_identity::{OfferedService, VolumeExpansion};

    use super::{EXPANSION_TYPE, SERVICES};
    use crate::outline::Shape;

    #[test]
    fn the_schema_knows_every_service_and_expansion() {
        assert_eq!(SERVICES, OfferedService::ALL.map(OfferedService::wire_name));
        let Shape::Word(words) = EXPANSION_TYPE.shape else {
            panic!("{:?}", EXPANSION_TYPE.shape);
        };
        let known: Vec<VolumeExpansion> = words.iter().map(|word| word.parse().unwrap()).collect();
        assert_eq!(known[..2], VolumeExpansion::ALL);
        assert_eq!(known[2..], VolumeExpansion::ALL);
    }
}
