//! Those who read a plugin name, each with a rule of its own.

use std::fmt;

use super::super::dns;

/// Someone who reads a plugin name and has a rule for it.
///
/// The rules disagree, and a name that one takes another refuses. [`PluginName`](super::PluginName) is the rule of
/// [`NameConsumer::CsiNode`], without which no plugin works in Kubernetes.
///
/// ```
/// use csi_identity::NameConsumer;
///
/// let refused_by: Vec<_> = NameConsumer::ALL.into_iter().filter(|consumer| !consumer.accepts("Example.com")).collect();
/// assert_eq!(refused_by, [NameConsumer::CsiDriverObject]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NameConsumer {
    /// The characters that the CSI specification lists (GetPluginInfoResponse), taken literally.
    SpecificationText,
    /// The same, with the labels of RFC 1035 section 2.3.1, to which the specification refers.
    Rfc1035,
    /// The Kubernetes API server where a name is stored: CSINode, PersistentVolume, VolumeAttachment
    /// (`ValidateCSIDriverName` in `pkg/apis/core/validation`, the same from 1.16 to 1.36).
    CsiNode,
    /// The API server for the name of a CSIDriver object: lower case, but up to 253 bytes.
    CsiDriverObject,
    /// The API server for `provisioner` of a StorageClass (`validateProvisioner` in `pkg/apis/storage/validation`).
    StorageClass,
    /// The test suite csi-sanity (`pkg/sanity/identity.go` of csi-test 5.4).
    CsiSanity,
    /// The specification validator of gocsi (`middleware/specvalidator`).
    Gocsi,
}

impl NameConsumer {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::SpecificationText,
        Self::Rfc1035,
        Self::CsiNode,
        Self::CsiDriverObject,
        Self::StorageClass,
        Self::CsiSanity,
        Self::Gocsi,
    ];

    /// Whether this consumer takes the text for a plugin name.
    ///
    /// Any text may be asked about, not only legal names: this is for telling what others will say. Text beyond ASCII
    /// counts as refused by all. (The API server lower-cases before it looks, so it takes U+0130 and U+212A, two letters
    /// that turn into `i` and `k`.)
    #[must_use]
    pub fn accepts(self, text: &str) -> bool {
        match self {
            Self::SpecificationText => specification_text(text),
            Self::Rfc1035 => specification_text(text) && text.split('.').all(rfc1035_label),
            Self::CsiNode => text.len() <= 63 && dns::is_subdomain(&text.to_ascii_lowercase()),
            Self::CsiDriverObject => text.len() <= 253 && dns::is_subdomain(text),
            Self::StorageClass => qualified_name(&text.to_ascii_lowercase()),
            Self::CsiSanity => csi_sanity(text),
            Self::Gocsi => gocsi(text),
        }
    }
}

impl fmt::Display for NameConsumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::SpecificationText => "CSI specification",
            Self::Rfc1035 => "RFC 1035",
            Self::CsiNode => "Kubernetes CSINode and PersistentVolume",
            Self::CsiDriverObject => "Kubernetes CSIDriver object",
            Self::StorageClass => "Kubernetes StorageClass",
            Self::CsiSanity => "csi-sanity",
            Self::Gocsi => "gocsi",
        })
    }
}

fn specification_text(text: &str) -> bool {
    let edge = |c: char| c.is_ascii_alphanumeric();
    text.len() <= 63
        && text.starts_with(edge)
        && text.ends_with(edge)
        && text.chars().all(|c| edge(c) || matches!(c, '-' | '.'))
}

/// A label of allowed characters only; its length is bounded by that of the name.
fn rfc1035_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
}

/// The `IsQualifiedName` of Kubernetes: a name, with or without a domain and `/` before it.
fn qualified_name(text: &str) -> bool {
    let name = match text.split_once('/') {
        Some((prefix, _)) if prefix.len() > 253 || !dns::is_subdomain(prefix) => return false,
        Some((_, name)) => name,
        None => text,
    };
    let edge = |c: char| c.is_ascii_alphanumeric();
    name.len() <= 63
        && name.starts_with(edge)
        && name.ends_with(edge)
        && name
            .chars()
            .all(|c| edge(c) || matches!(c, '-' | '_' | '.'))
}

/// Its pattern escapes twice, so that it takes a backslash too, and it wants a letter at both ends.
fn csi_sanity(text: &str) -> bool {
    let edge = |c: char| c.is_ascii_alphabetic();
    (2..=63).contains(&text.len())
        && text.starts_with(edge)
        && text.ends_with(edge)
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '\\'))
}

/// Word characters, a dot, then whatever ends with a word character.
fn gocsi(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.len() <= 63
        && text.split_once('.').is_some_and(|(first, rest)| {
            !first.is_empty()
                && first.chars().all(word)
                && rest.ends_with(word)
                && rest.chars().all(|c| word(c) || matches!(c, '-' | '.'))
        })
}
