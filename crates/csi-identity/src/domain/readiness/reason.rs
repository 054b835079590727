//! The reason a plugin gives: one line of bounded length, whatever it was made from.

use std::fmt;
use std::sync::Arc;

/// Why a plugin is not ready: one line of at most [`Reason::MAX_LEN`] bytes, cheap to clone.
///
/// It goes into a gRPC status message, log lines and HTTP answers. White space and control characters become single
/// spaces, what is too long is cut and ends with `…`, and nothing at all becomes `no reason given`.
///
/// ```
/// use csi_identity::Reason;
///
/// assert_eq!(Reason::from("array 7:\n  connection refused\n").as_str(), "array 7: connection refused");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reason(Arc<str>);

impl Reason {
    /// How many bytes a reason may have: 1 KiB, the ellipsis included.
    pub const MAX_LEN: usize = 1024;

    /// The reason as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        const ELLIPSIS: &str = "…";
        let mut line = String::with_capacity(text.len().min(Self::MAX_LEN));
        for word in text
            .split(|c: char| c.is_whitespace() || c.is_control())
            .filter(|word| !word.is_empty())
        {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
            if line.len() > Self::MAX_LEN {
                line.truncate(line.floor_char_boundary(Self::MAX_LEN - ELLIPSIS.len()));
                line.push_str(ELLIPSIS);
                break;
            }
        }
        if line.is_empty() {
            line.push_str("no reason given");
        }
        Self(line.into())
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl AsRef<str> for Reason {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Reason;

    #[test]
    fn a_reason_is_one_line() {
        for (text, reason) in [
            ("disk is full", "disk is full"),
            (" a\r\n\tb\u{2028}c\0d ", "a b c d"),
            ("", "no reason given"),
            (" \n", "no reason given"),
        ] {
            assert_eq!(Reason::from(text).as_str(), reason, "{text:?}");
        }
    }

    #[test]
    fn a_reason_over_the_limit_is_cut_between_characters() {
        let fits = "x".repeat(1024);
        assert_eq!(Reason::from(fits.as_str()).as_str(), fits);
        assert_eq!(
            Reason::from("x".repeat(1025)).as_str(),
            format!("{}…", "x".repeat(1021))
        );
        assert_eq!(
            Reason::from("ä".repeat(513)).as_str(),
            format!("{}…", "ä".repeat(510))
        );
        assert_eq!(
            Reason::from(format!("{fits} y")).as_str(),
            format!("{}…", "x".repeat(1021))
        );
    }

    proptest! {
        #[test]
        fn any_text_becomes_a_bounded_line_and_stays_it(text in prop_oneof![any::<String>(), "[ \\nä🦀x]{0,600}"]) {
            let reason = Reason::from(text);
            prop_assert!((1..=Reason::MAX_LEN).contains(&reason.as_str().len()));
            prop_assert!(!reason.as_str().contains(char::is_control));
            prop_assert_eq!(Reason::from(reason.as_str()), reason);
        }
    }
}
