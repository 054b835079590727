//! Where a node is, as far as reaching volumes goes.

mod key;
mod value;

use std::collections::BTreeMap;
use std::fmt;

pub use key::{TopologyKey, TopologyKeyError};
pub use value::{TopologyValue, TopologyValueError};

/// Where a node is: one segment or more, in the order of their keys, for example `topology.disk.acme.io/zone=z1`.
///
/// The keys share one prefix and differ in more than case (CSI specification, Topology). A kubelet copies the segments to
/// labels of its Node; [`Topology::advice`] tells which ones it may not set.
///
/// ```
/// use csi_identity::Topology;
///
/// let topology = Topology::from_pairs([("disk.acme.io/zone", "z1"), ("disk.acme.io/rack", "r7")])?;
/// assert_eq!(topology.to_string(), "disk.acme.io/rack=r7,disk.acme.io/zone=z1");
/// # Ok::<(), csi_identity::TopologyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Topology(BTreeMap<TopologyKey, TopologyValue>);

/// Why some pairs are no [`Topology`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// There is no segment.
    #[error("topology has no segments; give one or leave the topology out")]
    NoSegments,
    /// A text is no key.
    #[error(transparent)]
    Key(#[from] TopologyKeyError),
    /// A text is no value.
    #[error("topology key {key} has a bad value: {reason}")]
    Value {
        /// The key.
        key: TopologyKey,
        /// What is wrong with its value.
        reason: TopologyValueError,
    },
    /// Two keys are the same but for the case of their letters, which the specification ignores.
    #[error(
        "topology keys {first} and {second} are the same; letter case does not count, so keep one of them"
    )]
    SameKey {
        /// The key that came first.
        first: TopologyKey,
        /// The other.
        second: TopologyKey,
    },
    /// Two keys differ in their prefix, or only one has a prefix.
    #[error(
        "topology keys {first} and {second} differ in their prefix; use the same one for all keys"
    )]
    MixedPrefixes {
        /// The key that came first.
        first: TopologyKey,
        /// The other.
        second: TopologyKey,
    },
}

/// One thing that speaks against a legal [`Topology`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TopologyAdvice {
    /// The admission plugin NodeRestriction forbids a kubelet to set this label, so registration would fail.
    ForbiddenLabel {
        /// The key.
        key: TopologyKey,
    },
}

impl Topology {
    /// Builds a topology from pairs; [`KeyValue::into_parts`](crate::KeyValue::into_parts) makes one of typed text.
    ///
    /// # Errors
    ///
    /// There is no pair, a key or value breaks its rules, or two keys are the same or differ in their prefix.
    pub fn from_pairs<K, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Result<Self, TopologyError>
    where
        K: AsRef<str>,
        V: AsRef<str>,
    {
        let mut segments = Vec::<(TopologyKey, TopologyValue)>::new();
        for (key, value) in pairs {
            let second: TopologyKey = key.as_ref().parse()?;
            if let Some((first, _)) = segments.iter().find(|(first, _)| first.is_same(&second)) {
                return Err(TopologyError::SameKey {
                    first: first.clone(),
                    second,
                });
            }
            if let Some((first, _)) = segments
                .first()
                .filter(|(first, _)| first.prefix() != second.prefix())
            {
                return Err(TopologyError::MixedPrefixes {
                    first: first.clone(),
                    second,
                });
            }
            match value.as_ref().parse() {
                Ok(value) => segments.push((second, value)),
                Err(reason) => {
                    return Err(TopologyError::Value {
                        key: second,
                        reason,
                    });
                }
            }
        }
        if segments.is_empty() {
            return Err(TopologyError::NoSegments);
        }
        Ok(Self(segments.into_iter().collect()))
    }

    /// The segments, in the order of their keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&TopologyKey, &TopologyValue)> {
        self.0.iter()
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &TopologyKey) -> Option<&TopologyValue> {
        self.0.get(key)
    }

    /// What the topology will run into in Kubernetes although it is legal.
    #[must_use]
    pub fn advice(&self) -> Vec<TopologyAdvice> {
        let forbidden = self.0.keys().filter(|key| !key.may_be_set_by_kubelet());
        forbidden
            .map(|key| TopologyAdvice::ForbiddenLabel { key: key.clone() })
            .collect()
    }
}

/// The segments as `key=value`, separated by commas.
impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (key, value)) in self.iter().enumerate() {
            let separator = if at == 0 { "" } else { "," };
            write!(f, "{separator}{key}={value}")?;
        }
        Ok(())
    }
}

impl fmt::Display for TopologyAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ForbiddenLabel { key } => write!(
                f,
                "a kubelet may not set the node label {key} (NodeRestriction), so the node would not register; use a \
                 prefix of your own",
            ),
        }
    }
}

/// The rule that names of keys and values share: 1 to 63 characters, letters and digits at both ends.
fn is_label_text(text: &str) -> bool {
    let edge = |c: char| c.is_ascii_alphanumeric();
    text.len() <= 63
        && text.starts_with(edge)
        && text.ends_with(edge)
        && text
            .chars()
            .all(|c| edge(c) || matches!(c, '-' | '_' | '.'))
}

#[cfg(test)]
mod tests {
    use super::Topology;

    #[test]
    fn segments_are_kept_in_the_order_of_their_keys() {
        let topology = Topology::from_pairs([("zone", "z1"), ("Rack", "r.7_a-b")]).unwrap();
        assert_eq!(topology.to_string(), "Rack=r.7_a-b,zone=z1");
        assert_eq!(
            topology
                .get(&"zone".parse().unwrap())
                .map(ToString::to_string)
                .as_deref(),
            Some("z1")
        );
    }

    #[test]
    fn pairs_that_break_a_rule_are_refused() {
        let none: &[(&str, &str)] = &[];
        for (pairs, message) in [
            (
                none,
                "topology has no segments; give one or leave the topology out",
            ),
            (
                &[("a.io/zone", "z1"), ("a.io/Zone", "z2")],
                "topology keys a.io/zone and a.io/Zone are the same; letter case does not count, so keep one of them",
            ),
            (
                &[("zone", "z1"), ("zone", "z1")],
                "topology keys zone and zone are the same; letter case does not count, so keep one of them",
            ),
            (
                &[("a.io/zone", "z1"), ("b.io/rack", "r1")],
                "topology keys a.io/zone and b.io/rack differ in their prefix; use the same one for all keys",
            ),
            (
                &[("a.io/zone", "z1"), ("rack", "r1")],
                "topology keys a.io/zone and rack differ in their prefix; use the same one for all keys",
            ),
            (
                &[("a.io/", "z1")],
                "topology key \"a.io/\" has no name; write it as prefix/name or name",
            ),
            (
                &[("zone", "")],
                "topology key zone has a bad value: \"\" has 0 characters; 1 to 63 are allowed",
            ),
        ] {
            assert_eq!(
                Topology::from_pairs(pairs.iter().copied())
                    .unwrap_err()
                    .to_string(),
                message
            );
        }
    }

    #[test]
    fn advice_names_the_labels_a_kubelet_may_not_set() {
        let topology = Topology::from_pairs([
            ("topology.kubernetes.io/zone", "z"),
            ("topology.kubernetes.io/rack", "r"),
        ]);
        let advice: Vec<_> = topology
            .unwrap()
            .advice()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            advice,
            [
                "a kubelet may not set the node label topology.kubernetes.io/rack (NodeRestriction), so the node would \
              not register; use a prefix of your own"
            ]
        );
        assert!(
            Topology::from_pairs([("disk.acme.io/rack", "r")])
                .unwrap()
                .advice()
                .is_empty()
        );
    }
}
