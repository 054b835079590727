//! The value of a topology segment.

use std::fmt;
use std::str::FromStr;

use super::is_label_text;

/// The value of a topology segment: 1 to 63 letters, digits and inner `-`, `_` and `.` (CSI specification, Topology).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopologyValue(Box<str>);

/// Why a text is no [`TopologyValue`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyValueError {
    /// It is empty or over the limit.
    #[error("{value:?} has {} characters; 1 to {} are allowed", value.chars().count(), TopologyValue::MAX_LEN)]
    BadLength {
        /// The text.
        value: String,
    },
    /// A character is not allowed, or not there.
    #[error(
        "{value:?} must be letters, digits, '-', '_' and '.', with a letter or digit at both ends"
    )]
    Forbidden {
        /// The text.
        value: String,
    },
}

impl TopologyValue {
    /// How many characters a value may have.
    pub const MAX_LEN: usize = 63;

    /// The value as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TopologyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for TopologyValue {
    type Err = TopologyValueError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() || text.chars().count() > Self::MAX_LEN {
            return Err(TopologyValueError::BadLength {
                value: text.to_owned(),
            });
        }
        if !is_label_text(text) {
            return Err(TopologyValueError::Forbidden {
                value: text.to_owned(),
            });
        }
        Ok(Self(text.into()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::TopologyValue;

    #[test]
    fn values_have_1_to_63_allowed_characters() {
        const FORBIDDEN: &str =
            "must be letters, digits, '-', '_' and '.', with a letter or digit at both ends";
        let (longest, too_long) = ("z".repeat(63), "z".repeat(64));
        for good in ["z", "1", "Z.o_n-e1", &longest] {
            assert_eq!(good.parse::<TopologyValue>().unwrap().as_str(), good);
        }
        for (bad, message) in [
            ("", "has 0 characters; 1 to 63 are allowed"),
            (&too_long, "has 64 characters; 1 to 63 are allowed"),
            ("-z", FORBIDDEN),
            ("z_", FORBIDDEN),
            ("z z", FORBIDDEN),
            ("z/z", FORBIDDEN),
            (&"ö".repeat(63), FORBIDDEN),
        ] {
            let error = bad.parse::<TopologyValue>().unwrap_err().to_string();
            assert_eq!(error, format!("{bad:?} {message}"));
        }
    }

    proptest! {
        #[test]
        fn what_parses_is_printed_unchanged(text in prop_oneof![any::<String>(), "[a-cA-C1._-]{0,70}"]) {
            if let Ok(value) = text.parse::<TopologyValue>() {
                prop_assert_eq!(value.to_string(), text);
            }
        }
    }
}
