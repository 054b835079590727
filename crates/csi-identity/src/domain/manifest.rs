//! The manifest: what a plugin's vendor wants to say beside name and version.

use std::collections::BTreeMap;
use std::collections::btree_map::{self, Entry};

/// Free key-value pairs about a plugin, in the order of their keys, for example its home page.
///
/// Callers show it and decide nothing by it. Together, keys and values take at most [`Manifest::MAX_BYTES`] (CSI
/// specification, "Size Limits").
///
/// ```
/// use csi_identity::Manifest;
///
/// let manifest = Manifest::from_pairs([("url", "https://disk.example.org")])?;
/// assert_eq!(manifest.get("url"), Some("https://disk.example.org"));
/// # Ok::<(), csi_identity::ManifestError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Manifest(BTreeMap<String, String>);

/// Why some pairs are no [`Manifest`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// A key is empty.
    #[error("manifest has an entry without a key; name it or leave it out")]
    EmptyKey,
    /// Two pairs have the same key.
    #[error("manifest has the key {key:?} twice; keep one of them")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// Keys and values together are over the limit.
    #[error(
        "manifest has {len} bytes of keys and values, the limit is {}",
        Manifest::MAX_BYTES
    )]
    TooLarge {
        /// The bytes of all keys and values.
        len: usize,
    },
}

impl Manifest {
    /// How many bytes all keys and values may have together: 4 KiB.
    pub const MAX_BYTES: usize = 4096;

    /// Builds a manifest from pairs; [`KeyValue::into_parts`](crate::KeyValue::into_parts) makes one of typed text.
    ///
    /// # Errors
    ///
    /// A key is empty or given twice, or all is larger than [`Manifest::MAX_BYTES`].
    pub fn from_pairs<K, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Result<Self, ManifestError>
    where
        K: Into<String>,
        V: Into<String>,
    {
        let mut map = BTreeMap::new();
        for (key, value) in pairs {
            match map.entry(key.into()) {
                Entry::Occupied(entry) => {
                    return Err(ManifestError::DuplicateKey {
                        key: entry.key().clone(),
                    });
                }
                Entry::Vacant(entry) => entry.insert(value.into()),
            };
        }
        Self::try_from(map)
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// All pairs, in the order of their keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// How many pairs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl TryFrom<BTreeMap<String, String>> for Manifest {
    type Error = ManifestError;

    fn try_from(map: BTreeMap<String, String>) -> Result<Self, Self::Error> {
        if map.contains_key("") {
            return Err(ManifestError::EmptyKey);
        }
        let len = map.iter().map(|(key, value)| key.len() + value.len()).sum();
        if len > Self::MAX_BYTES {
            return Err(ManifestError::TooLarge { len });
        }
        Ok(Self(map))
    }
}

impl From<Manifest> for BTreeMap<String, String> {
    fn from(manifest: Manifest) -> Self {
        manifest.0
    }
}

impl IntoIterator for Manifest {
    type Item = (String, String);
    type IntoIter = btree_map::IntoIter<String, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::Manifest;
    use crate::KeyValue;

    #[test]
    fn pairs_are_kept_in_the_order_of_their_keys() {
        let manifest = Manifest::from_pairs([("url", "u"), ("empty", ""), ("a", "1")]).unwrap();
        assert_eq!(
            manifest.iter().collect::<Vec<_>>(),
            [("a", "1"), ("empty", ""), ("url", "u")]
        );
        assert_eq!(
            (manifest.len(), manifest.is_empty(), manifest.get("x")),
            (3, false, None)
        );
    }

    #[test]
    fn command_line_pairs_make_a_manifest() {
        let pair: KeyValue = "url=https://disk.example.org/?a=b".parse().unwrap();
        let manifest = Manifest::from_pairs([pair.into_parts()]).unwrap();
        assert_eq!(manifest.get("url"), Some("https://disk.example.org/?a=b"));
    }

    #[test]
    fn the_limit_counts_the_bytes_of_keys_and_values() {
        let at_limit = "ä".repeat((Manifest::MAX_BYTES - 4) / 2);
        assert!(Manifest::from_pairs([("a", at_limit.as_str()), ("b", "12")]).is_ok());
        let error = Manifest::from_pairs([("a", at_limit.as_str()), ("b", "123")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "manifest has 4097 bytes of keys and values, the limit is 4096"
        );
    }

    #[test]
    fn empty_and_repeated_keys_are_refused() {
        for (pairs, message) in [
            (
                [("", "x"), ("a", "1")],
                "manifest has an entry without a key; name it or leave it out",
            ),
            (
                [("a", "1"), ("a", "1")],
                r#"manifest has the key "a" twice; keep one of them"#,
            ),
        ] {
            assert_eq!(
                Manifest::from_pairs(pairs).unwrap_err().to_string(),
                message
            );
        }
    }
}
