//! The name of a plugin: what it must look like, and who is stricter than that.

mod advice;
mod consumer;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use advice::NameAdvice;
pub use consumer::NameConsumer;

/// The unique name of a CSI plugin, for example `disk.example.org`.
///
/// Having one is proof that the text passed every naming rule, so no caller checks it again: 1 to 63 bytes,
/// dot-separated labels of ASCII letters, digits and inner dashes, none empty. That is what the CSI specification asks
/// for (GetPluginInfo) and what the Kubernetes API server takes for a CSINode or a PersistentVolume. Such a name is
/// safe as one element of a file path. [`PluginName::advice`] tells what stricter callers will make of it.
///
/// ```
/// use csi_identity::PluginName;
///
/// let name: PluginName = "disk.acme-storage.io".parse()?;
/// assert_eq!(name.as_str(), "disk.acme-storage.io");
/// assert!(name.advice().is_empty());
///
/// let error = "my_disk.acme-storage.io".parse::<PluginName>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "plugin name has '_' at byte 2; allowed are ASCII letters, digits, '-' and '.'; write '-' in its place",
/// );
/// # Ok::<(), csi_identity::PluginNameError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PluginName(Box<str>);

/// Why a text is no [`PluginName`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PluginNameError {
    /// There is no text.
    #[error("plugin name is empty; take one under a domain you own, such as disk.example.org")]
    Empty,
    /// The text is over the limit.
    #[error(
        "plugin name is {len} bytes long, the limit is {}",
        PluginName::MAX_LEN
    )]
    TooLong {
        /// Its length in bytes.
        len: usize,
    },
    /// A character is not allowed anywhere.
    #[error("plugin name has {found:?} at byte {at}; allowed are ASCII letters, digits, '-' and '.'{}", remedy(*found))]
    Forbidden {
        /// The first such character.
        found: char,
        /// Where it begins, in bytes from the start.
        at: usize,
    },
    /// A dot is first or last, or follows another dot.
    #[error("plugin name has an empty label at byte {at}; remove the extra '.'")]
    EmptyLabel {
        /// Where the label would begin, in bytes from the start.
        at: usize,
    },
    /// A label begins with a dash.
    #[error(
        "plugin name has the label {label:?}, which begins with '-' at byte {at}; begin it with a letter or digit"
    )]
    LeadingDash {
        /// The label.
        label: String,
        /// Where the dash is, in bytes from the start.
        at: usize,
    },
    /// A label ends with a dash.
    #[error(
        "plugin name has the label {label:?}, which ends with '-' at byte {at}; end it with a letter or digit"
    )]
    TrailingDash {
        /// The label.
        label: String,
        /// Where the dash is, in bytes from the start.
        at: usize,
    },
}

impl PluginName {
    /// How many bytes a name may have.
    pub const MAX_LEN: usize = 63;

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What the name will run into although it is legal; empty for a name that suits everybody.
    #[must_use]
    pub fn advice(&self) -> Vec<NameAdvice> {
        NameAdvice::on(self)
    }
}

impl AsRef<str> for PluginName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PluginName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for PluginName {
    type Err = PluginNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        use PluginNameError as E;
        if text.is_empty() {
            return Err(E::Empty);
        }
        if text.len() > Self::MAX_LEN {
            return Err(E::TooLong { len: text.len() });
        }
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
        if let Some((at, found)) = text.char_indices().find(|&(_, c)| !allowed(c)) {
            return Err(E::Forbidden { found, at });
        }
        let mut at = 0;
        for label in text.split('.') {
            if label.is_empty() {
                return Err(E::EmptyLabel { at });
            }
            if label.starts_with('-') {
                return Err(E::LeadingDash {
                    label: label.to_owned(),
                    at,
                });
            }
            if label.ends_with('-') {
                return Err(E::TrailingDash {
                    label: label.to_owned(),
                    at: at + label.len() - 1,
                });
            }
            at += label.len() + 1;
        }
        Ok(Self(text.into()))
    }
}

/// What to do about a forbidden character, where that is obvious.
fn remedy(found: char) -> &'static str {
    match found {
        '_' => "; write '-' in its place",
        c if c.is_whitespace() => "; remove it",
        _ => "",
    }
}
