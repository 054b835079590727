use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The name of a check: 1 to 63 letters, digits, `-`, `_` and `.`.
///
/// It stands in the reason that Probe gives and in logs. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckName(Arc<str>);

/// Why a text is no [`CheckName`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckNameError {
    /// There is no text.
    #[error("check name is empty; say what is checked, for example array")]
    Empty,
    /// The name is over the limit.
    #[error("check name {name:?} is {} bytes long, the limit is {}", name.len(), CheckName::MAX_LEN)]
    TooLong {
        /// The name.
        name: String,
    },
    /// A character is not allowed.
    #[error(
        "check name {name:?} has {found:?} at byte {at}; allowed are ASCII letters, digits, '-', '_' and '.'"
    )]
    Forbidden {
        /// The name.
        name: String,
        /// The first character that is not allowed.
        found: char,
        /// Where it is, in bytes from the beginning.
        at: usize,
    },
}

impl CheckName {
    /// How many bytes a name may have.
    pub const MAX_LEN: usize = 63;

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CheckName {
    type Err = CheckNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        use CheckNameError as E;
        let name = || text.to_owned();
        if text.is_empty() {
            return Err(E::Empty);
        }
        if text.len() > Self::MAX_LEN {
            return Err(E::TooLong { name: name() });
        }
        let forbidden = |&(_, c): &(usize, char)| !(c.is_ascii_alphanumeric() || "-_.".contains(c));
        match text.char_indices().find(forbidden) {
            Some((at, found)) => Err(E::Forbidden {
                name: name(),
                found,
                at,
            }),
            None => Ok(Self(text.into())),
        }
    }
}

impl fmt::Display for CheckName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::CheckName;

    #[test]
    fn a_name_is_letters_digits_and_three_signs() {
        for text in ["a", "array-7_b.Pool", "-", "0", &"x".repeat(63)] {
            assert_eq!(text.parse::<CheckName>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn each_broken_rule_has_its_message() {
        let long = "x".repeat(64);
        for (text, message) in [
            (
                "",
                "check name is empty; say what is checked, for example array",
            ),
            (
                &*long,
                &*format!("check name {long:?} is 64 bytes long, the limit is 63"),
            ),
            (
                "my array",
                r#"check name "my array" has ' ' at byte 2; allowed are ASCII letters, digits, '-', '_' and '.'"#,
            ),
            (
                "ä",
                r#"check name "ä" has 'ä' at byte 0; allowed are ASCII letters, digits, '-', '_' and '.'"#,
            ),
        ] {
            assert_eq!(text.parse::<CheckName>().unwrap_err().to_string(), message);
        }
    }
}
