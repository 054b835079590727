//! A `key=value` pair as it is typed on a command line.

use std::fmt;
use std::str::FromStr;

/// One `key=value` pair from a command line, for a manifest or a topology.
///
/// The first `=` splits; the value may be empty and may hold more of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyValue {
    key: String,
    value: String,
}

/// Why a text is no [`KeyValue`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyValueError {
    /// There is no `=` in it.
    #[error("{text:?} has no '='; write it as key=value")]
    NoEqualsSign {
        /// The whole text.
        text: String,
    },
    /// Nothing stands before the first `=`.
    #[error("{text:?} has nothing before the '='; write it as key=value")]
    NoKey {
        /// The whole text.
        text: String,
    },
}

impl KeyValue {
    /// What stands before the first `=`; never empty.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What stands after the first `=`; may be empty.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Key and value, to build a map from.
    #[must_use]
    pub fn into_parts(self) -> (String, String) {
        (self.key, self.value)
    }
}

impl FromStr for KeyValue {
    type Err = KeyValueError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            None => Err(KeyValueError::NoEqualsSign {
                text: text.to_owned(),
            }),
            Some(("", _)) => Err(KeyValueError::NoKey {
                text: text.to_owned(),
            }),
            Some((key, value)) => Ok(Self {
                key: key.to_owned(),
                value: value.to_owned(),
            }),
        }
    }
}

impl fmt::Display for KeyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key, self.value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::KeyValue;

    #[test]
    fn the_first_equals_sign_splits() {
        for (text, key, value) in [
            ("a=b", "a", "b"),
            ("a=", "a", ""),
            ("a=b=c", "a", "b=c"),
            ("a b= c", "a b", " c"),
        ] {
            let pair: KeyValue = text.parse().unwrap();
            assert_eq!((pair.key(), pair.value()), (key, value), "{text:?}");
        }
    }

    #[test]
    fn a_text_that_is_no_pair_is_told_what_would_be_right() {
        for (text, message) in [
            ("", r#""" has no '='; write it as key=value"#),
            ("url", r#""url" has no '='; write it as key=value"#),
            (
                "=x",
                r#""=x" has nothing before the '='; write it as key=value"#,
            ),
        ] {
            assert_eq!(text.parse::<KeyValue>().unwrap_err().to_string(), message);
        }
    }

    proptest! {
        #[test]
        fn what_parses_is_printed_unchanged(text in "\\PC*=\\PC*") {
            if let Ok(pair) = text.parse::<KeyValue>() {
                prop_assert_eq!(pair.to_string(), text);
            }
        }
    }
}
