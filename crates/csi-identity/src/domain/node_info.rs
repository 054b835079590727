//! What a plugin says of the node it runs on (NodeGetInfo).

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use super::topology::Topology;

/// What a plugin says of the node it runs on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodeInfo {
    /// How the plugin's Controller service knows this node.
    pub node_id: NodeId,
    /// How many volumes of the plugin may be published here.
    pub max_volumes_per_node: MaxVolumes,
    /// Where the node is, if volumes are not reachable from everywhere.
    pub accessible_topology: Option<Topology>,
}

impl NodeInfo {
    /// A node without a limit on volumes and without a topology.
    #[must_use]
    pub fn new(node_id: NodeId) -> Self {
        Self {
            node_id,
            max_volumes_per_node: MaxVolumes::default(),
            accessible_topology: None,
        }
    }
}

/// How a plugin calls a node: any text of 1 to 256 bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(Box<str>);

/// Why a text is no [`NodeId`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeIdError {
    /// There is no text.
    #[error("node id is empty; give the name under which the storage system knows this node")]
    Empty,
    /// The text is over the limit.
    #[error("node id is {len} bytes long, the limit is {}", NodeId::MAX_LEN)]
    TooLong {
        /// Its length in bytes.
        len: usize,
    },
}

/// One thing that speaks against a legal [`NodeId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeIdAdvice {
    /// It is longer than the specification recommends, and than it allowed before CSI 1.4.
    OverRecommended {
        /// Its length in bytes.
        len: usize,
    },
    /// It is longer than CSI 1.4 allowed.
    OverOldLimit {
        /// Its length in bytes.
        len: usize,
    },
}

/// How many volumes may be published to a node; 0 leaves it to the orchestrator.
///
/// A kubelet takes numbers beyond 2147483647 for that number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaxVolumes(i64);

/// Why a number or text is no [`MaxVolumes`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MaxVolumesError {
    /// It is below zero.
    #[error(
        "max volumes per node is {number}; it must be 0 or more, and 0 leaves it to the orchestrator"
    )]
    Negative {
        /// The number.
        number: i64,
    },
    /// It is no number, or too large.
    #[error("max volumes per node is {text:?}, which is not a whole number of at most 64 bits")]
    NotANumber {
        /// The text.
        text: String,
        /// What the parser says.
        source: ParseIntError,
    },
}

impl NodeId {
    /// How many bytes a node id may have (CSI 1.5 and later, and the Kubernetes API server).
    pub const MAX_LEN: usize = 256;
    /// How many bytes a node id should have (CSI specification, NodeGetInfo).
    pub const RECOMMENDED_LEN: usize = 128;
    /// How many bytes CSI 1.4 allowed.
    const OLD_LIMIT: usize = 192;

    /// The node id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What the node id will run into although it is legal.
    #[must_use]
    pub fn advice(&self) -> Option<NodeIdAdvice> {
        match self.0.len() {
            len if len > Self::OLD_LIMIT => Some(NodeIdAdvice::OverOldLimit { len }),
            len if len > Self::RECOMMENDED_LEN => Some(NodeIdAdvice::OverRecommended { len }),
            _ => None,
        }
    }
}

impl AsRef<str> for NodeId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for NodeId {
    type Err = NodeIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.len() {
            0 => Err(NodeIdError::Empty),
            len if len > Self::MAX_LEN => Err(NodeIdError::TooLong { len }),
            _ => Ok(Self(text.into())),
        }
    }
}

impl fmt::Display for NodeIdAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OverRecommended { len } => {
                write!(
                    f,
                    "the node id has {len} bytes: the specification recommends at most 128, the limit before CSI 1.4"
                )
            }
            Self::OverOldLimit { len } => {
                write!(
                    f,
                    "the node id has {len} bytes: CSI 1.4 allowed 192, and the specification recommends at most 128"
                )
            }
        }
    }
}

impl MaxVolumes {
    /// The number on the wire, 0 or more.
    #[must_use]
    pub const fn number(self) -> i64 {
        self.0
    }
}

impl TryFrom<i64> for MaxVolumes {
    type Error = MaxVolumesError;

    fn try_from(number: i64) -> Result<Self, Self::Error> {
        if number < 0 {
            Err(MaxVolumesError::Negative { number })
        } else {
            Ok(Self(number))
        }
    }
}

impl FromStr for MaxVolumes {
    type Err = MaxVolumesError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text
            .parse::<i64>()
            .map_err(|source| MaxVolumesError::NotANumber {
                text: text.to_owned(),
                source,
            })?;
        Self::try_from(number)
    }
}

impl fmt::Display for MaxVolumes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{MaxVolumes, NodeId};

    #[test]
    fn a_node_id_has_1_to_256_bytes_and_long_ones_get_advice() {
        const RECOMMENDED: &str = "the specification recommends at most 128";
        for (len, advice) in [
            (1, None),
            (128, None),
            (
                129,
                Some(format!(
                    "the node id has 129 bytes: {RECOMMENDED}, the limit before CSI 1.4"
                )),
            ),
            (
                192,
                Some(format!(
                    "the node id has 192 bytes: {RECOMMENDED}, the limit before CSI 1.4"
                )),
            ),
            (
                193,
                Some(format!(
                    "the node id has 193 bytes: CSI 1.4 allowed 192, and {RECOMMENDED}"
                )),
            ),
            (
                256,
                Some(format!(
                    "the node id has 256 bytes: CSI 1.4 allowed 192, and {RECOMMENDED}"
                )),
            ),
        ] {
            let id: NodeId = "n".repeat(len).parse().unwrap();
            assert_eq!(
                id.advice().map(|advice| advice.to_string()),
                advice,
                "{len}"
            );
        }
        for (text, message) in [
            (
                "",
                "node id is empty; give the name under which the storage system knows this node",
            ),
            (
                &"ä".repeat(129),
                "node id is 258 bytes long, the limit is 256",
            ),
        ] {
            assert_eq!(text.parse::<NodeId>().unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn max_volumes_is_zero_or_more() {
        for (text, number) in [("0", 0), ("39", 39), ("9223372036854775807", i64::MAX)] {
            assert_eq!(text.parse::<MaxVolumes>().unwrap().number(), number);
        }
        assert_eq!(MaxVolumes::default().number(), 0);
        for (text, message) in [
            (
                "-1",
                "max volumes per node is -1; it must be 0 or more, and 0 leaves it to the orchestrator",
            ),
            (
                "many",
                r#"max volumes per node is "many", which is not a whole number of at most 64 bits"#,
            ),
            (
                "",
                r#"max volumes per node is "", which is not a whole number of at most 64 bits"#,
            ),
            (
                "9223372036854775808",
                r#"max volumes per node is "9223372036854775808", which is not a whole number of at most 64 bits"#,
            ),
        ] {
            assert_eq!(text.parse::<MaxVolumes>().unwrap_err().to_string(), message);
        }
    }

    proptest! {
        #[test]
        fn what_parses_is_printed_and_parses_again(text in any::<String>(), number in any::<i64>()) {
            if let Ok(id) = text.parse::<NodeId>() {
                prop_assert_eq!(id.to_string(), text);
            }
            match MaxVolumes::try_from(number) {
                Ok(max) => prop_assert_eq!(max.to_string().parse(), Ok(max)),
                Err(_) => prop_assert!(number < 0),
            }
        }
    }
}
