//! What a legal plugin name will run into all the same.

use std::fmt;

use super::{NameConsumer, PluginName};

/// One thing that speaks against a legal [`PluginName`].
///
/// Nothing here stops a plugin. Tools show it as a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameAdvice {
    /// There is no dot in it, so it is no domain name and collides easily.
    NoDot,
    /// It lies in a domain reserved for documentation and tests (RFC 2606, RFC 6761).
    Placeholder {
        /// The reserved domain.
        domain: &'static str,
    },
    /// It has upper-case letters.
    UpperCase {
        /// The same name in lower case.
        lower: String,
    },
    /// A label begins with a digit, which RFC 1035 section 2.3.1 does not allow.
    LabelBeginsWithDigit {
        /// The first such label.
        label: String,
    },
    /// It is one character long, or its first or last character is no letter.
    NoLetterAtAnEnd,
    /// There is a dash before the first dot.
    DashInFirstLabel {
        /// The first label.
        label: String,
    },
}

impl NameAdvice {
    /// The caller that will refuse the name for this reason, if it is more than a matter of taste.
    #[must_use]
    pub fn consumer(&self) -> Option<NameConsumer> {
        match self {
            Self::Placeholder { .. } => None,
            Self::UpperCase { .. } => Some(NameConsumer::CsiDriverObject),
            Self::LabelBeginsWithDigit { .. } => Some(NameConsumer::Rfc1035),
            Self::NoLetterAtAnEnd => Some(NameConsumer::CsiSanity),
            Self::NoDot | Self::DashInFirstLabel { .. } => Some(NameConsumer::Gocsi),
        }
    }

    pub(super) fn on(name: &PluginName) -> Vec<Self> {
        let text = name.as_str();
        let first_label = text.split_once('.').map(|(first, _)| first);
        let lower = text.to_ascii_lowercase();
        let mut advice = Vec::new();
        if first_label.is_none() {
            advice.push(Self::NoDot);
        }
        if let Some(domain) = placeholder(&lower) {
            advice.push(Self::Placeholder { domain });
        }
        if lower != text {
            advice.push(Self::UpperCase { lower });
        }
        if let Some(label) = text
            .split('.')
            .find(|label| label.starts_with(|c: char| c.is_ascii_digit()))
        {
            advice.push(Self::LabelBeginsWithDigit {
                label: label.to_owned(),
            });
        }
        let letter = |c: char| c.is_ascii_alphabetic();
        if text.len() < 2 || !text.starts_with(letter) || !text.ends_with(letter) {
            advice.push(Self::NoLetterAtAnEnd);
        }
        if let Some(label) = first_label.filter(|label| label.contains('-')) {
            advice.push(Self::DashInFirstLabel {
                label: label.to_owned(),
            });
        }
        advice
    }
}

impl fmt::Display for NameAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDot => f.write_str(
                "the name has no dot: other plugins may choose it too, and gocsi's validator refuses it; \
                 put it under a domain you own",
            ),
            Self::Placeholder { domain } => {
                write!(f, "the name lies in {domain}, which is reserved for documentation and tests; use a domain you own")
            }
            Self::UpperCase { lower } => write!(
                f,
                "the name has upper-case letters: Kubernetes refuses it for a CSIDriver object, and Lease names made \
                 from it are invalid; use {lower}",
            ),
            Self::LabelBeginsWithDigit { label } => {
                write!(f, "the label {label:?} begins with a digit: RFC 1035 wants a letter there")
            }
            Self::NoLetterAtAnEnd => {
                f.write_str("csi-sanity fails the name: it wants two characters or more, with a letter first and last")
            }
            Self::DashInFirstLabel { label } => {
                write!(f, "gocsi's validator refuses the name: it takes no dash in the first label, here {label:?}")
            }
        }
    }
}

/// The reserved domain that a lower-case name lies in, written either way round.
fn placeholder(name: &str) -> Option<&'static str> {
    const TOP_LEVEL: [&str; 4] = ["example", "invalid", "localhost", "test"];
    const SECOND_LEVEL: [(&str, &str); 3] = [
        ("example.com", "com.example"),
        ("example.net", "net.example"),
        ("example.org", "org.example"),
    ];
    let under = |domain: &str| {
        name.strip_suffix(domain)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let above = |domain: &str| {
        name.strip_prefix(domain)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    SECOND_LEVEL
        .into_iter()
        .find(|&(domain, reversed)| under(domain) || above(reversed))
        .map(|(domain, _)| domain)
        .or_else(|| TOP_LEVEL.into_iter().find(|domain| under(domain)))
}
