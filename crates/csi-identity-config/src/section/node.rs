//! `node`: the answer to NodeGetInfo, named as on the wire.

use csi_identity::{MaxVolumes, NodeInfo, Topology, TopologyError, TopologyKey, TopologyValue};

use crate::error::{Flaws, Problem};
use crate::fields::Fields;
use crate::outline::{Key, Section, Shape};
use crate::tree::Entry;
use crate::value::Value;

pub(super) const NODE: Key = Key::optional(
    "node",
    Shape::Section(&SECTION),
    "{node_id: node-1}",
    "The node this instance runs on: the answer to NodeGetInfo. With it a kubelet can register the plugin.",
);

const SECTION: Section = Section::new("node", &[&NODE_ID, &MAX_VOLUMES, &TOPOLOGY]);

const NODE_ID: Key = Key::required(
    "node_id",
    Shape::Text,
    "node-1",
    "How the plugin's Controller service knows this node; 1 to 256 bytes.",
);

const MAX_VOLUMES: Key = Key::optional(
    "max_volumes_per_node",
    Shape::Whole(0, i64::MAX),
    "16",
    "How many volumes may be published to this node; 0, the default, leaves it to the orchestrator.",
);

const TOPOLOGY: Key = Key::optional(
    "accessible_topology",
    Shape::Section(&TOPOLOGY_SECTION),
    "{segments: {topology.disk.example.org/zone: z1}}",
    "Where the node is, if volumes are not reachable from everywhere.",
);

const TOPOLOGY_SECTION: Section = Section::new("accessible_topology", &[&SEGMENTS]);

const SEGMENTS: Key = Key::required(
    "segments",
    Shape::TextByKey { at_least: 1 },
    "{topology.disk.example.org/zone: z1}",
    "Keys of one prefix and their values.",
);

pub(super) fn read(value: Value<'_>, flaws: &mut Flaws) -> Option<NodeInfo> {
    let fields = Fields::of(&SECTION, value, flaws)?;
    let node_id = fields.required(&NODE_ID, flaws, Value::parse);
    let max_volumes = fields.optional(&MAX_VOLUMES, flaws, |value, flaws| {
        let number: i64 = value.whole(0, i64::MAX, flaws)?;
        value.accept(MaxVolumes::try_from(number), flaws)
    });
    let topology = fields.optional(&TOPOLOGY, flaws, |value, flaws| {
        Fields::of(&TOPOLOGY_SECTION, value, flaws)?.required(&SEGMENTS, flaws, segments)
    });
    Some(NodeInfo {
        node_id: node_id?,
        max_volumes_per_node: max_volumes.unwrap_or_default(),
        accessible_topology: topology,
    })
}

fn segments(value: Value<'_>, flaws: &mut Flaws) -> Option<Topology> {
    let texts = value.texts(flaws)?;
    // Each key and value on its own first, so that the place of a bad one is known.
    let bad = texts
        .iter()
        .filter(|(entry, text)| !segment_is_sound(value, entry, text, flaws))
        .count();
    if bad > 0 {
        return None;
    }
    let pairs = texts.iter().map(|(entry, text)| (&*entry.key, *text));
    let reason = match Topology::from_pairs(pairs) {
        Ok(topology) => return Some(topology),
        Err(reason) => reason,
    };
    let second = match &reason {
        TopologyError::SameKey { second, .. } | TopologyError::MixedPrefixes { second, .. } => {
            Some(second.as_str())
        }
        _ => None,
    };
    let place = texts
        .iter()
        .find(|(entry, _)| Some(&*entry.key) == second)
        .map_or(value.node.at, |(entry, _)| entry.at);
    flaws.add(place, Problem::bad_value(value.key.name, &reason));
    None
}

fn segment_is_sound(value: Value<'_>, entry: &Entry, text: &str, flaws: &mut Flaws) -> bool {
    let key = entry.key.parse::<TopologyKey>();
    if let Err(reason) = &key {
        flaws.add(entry.at, Problem::bad_value(value.key.name, reason));
    }
    let segment = value.at(&entry.value);
    segment
        .accept(text.parse::<TopologyValue>(), flaws)
        .is_some()
        && key.is_ok()
}
