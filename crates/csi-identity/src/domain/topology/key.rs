//! The key of a topology segment.

use std::fmt;
use std::str::FromStr;

use super::super::dns;
use super::is_label_text;

/// The key of a topology segment: a name, with or without a domain of the vendor and `/` before it.
///
/// The name has 1 to 63 letters, digits and inner `-`, `_` and `.`; the prefix is a lower-case domain name of at most 63
/// characters (CSI specification, Topology). Letter case counts for equality here, though not for the specification.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopologyKey {
    text: Box<str>,
    /// Where the `/` is.
    slash: Option<usize>,
}

/// Why a text is no [`TopologyKey`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyKeyError {
    /// There is no name.
    #[error("topology key {key:?} has no name; write it as prefix/name or name")]
    NoName {
        /// The key.
        key: String,
    },
    /// The name is over the limit.
    #[error(
        "topology key {key:?} has a name of {len} characters, the limit is {}",
        TopologyKey::MAX_PART_LEN
    )]
    NameTooLong {
        /// The key.
        key: String,
        /// The length of the name.
        len: usize,
    },
    /// The name has a character that it may not have, or not there.
    #[error(
        "topology key {key:?} has a bad name; allowed are letters, digits, '-', '_' and '.', with a letter or digit at \
         both ends"
    )]
    BadName {
        /// The key.
        key: String,
    },
    /// The prefix is over the limit.
    #[error(
        "topology key {key:?} has a prefix of {len} characters, the limit is {}",
        TopologyKey::MAX_PART_LEN
    )]
    PrefixTooLong {
        /// The key.
        key: String,
        /// The length of the prefix.
        len: usize,
    },
    /// The prefix is no lower-case domain name.
    #[error(
        "topology key {key:?} has a bad prefix; it must be a lower-case domain name such as disk.example.org"
    )]
    BadPrefix {
        /// The key.
        key: String,
    },
}

impl TopologyKey {
    /// How many characters the name may have, and the prefix too.
    pub const MAX_PART_LEN: usize = 63;

    /// The whole key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What stands before the `/`.
    #[must_use]
    pub fn prefix(&self) -> Option<&str> {
        self.slash.and_then(|slash| self.text.get(..slash))
    }

    /// Whether the specification takes both for one key.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.text.eq_ignore_ascii_case(&other.text)
    }

    /// Whether the admission plugin NodeRestriction lets a kubelet put this label on its Node.
    ///
    /// Domains of Kubernetes are closed but for the ones in `pkg/kubelet/apis/well_known_labels.go` (read at 1.36).
    #[must_use]
    pub fn may_be_set_by_kubelet(&self) -> bool {
        const KEYS: [&str; 11] = [
            "kubernetes.io/hostname",
            "kubernetes.io/os",
            "kubernetes.io/arch",
            "topology.kubernetes.io/zone",
            "topology.kubernetes.io/region",
            "failure-domain.beta.kubernetes.io/zone",
            "failure-domain.beta.kubernetes.io/region",
            "node.kubernetes.io/instance-type",
            "beta.kubernetes.io/instance-type",
            "beta.kubernetes.io/os",
            "beta.kubernetes.io/arch",
        ];
        let Some(prefix) = self.prefix() else {
            return true;
        };
        let under = |domain: &str| {
            prefix
                .strip_suffix(domain)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let closed = under("kubernetes.io") || under("k8s.io");
        !closed
            || KEYS.contains(&self.as_str())
            || under("kubelet.kubernetes.io")
            || under("node.kubernetes.io")
    }
}

impl fmt::Display for TopologyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for TopologyKey {
    type Err = TopologyKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        use TopologyKeyError as E;
        let key = || text.to_owned();
        // Only the first slash splits, so that a second one is a bad character of the name.
        let slash = text.find('/');
        let (prefix, name) = text
            .split_once('/')
            .map_or((None, text), |(prefix, name)| (Some(prefix), name));
        if let Some(prefix) = prefix {
            let len = prefix.chars().count();
            if len > Self::MAX_PART_LEN {
                return Err(E::PrefixTooLong { key: key(), len });
            }
            if !dns::is_subdomain(prefix) {
                return Err(E::BadPrefix { key: key() });
            }
        }
        match name.chars().count() {
            0 => Err(E::NoName { key: key() }),
            len if len > Self::MAX_PART_LEN => Err(E::NameTooLong { key: key(), len }),
            _ if !is_label_text(name) => Err(E::BadName { key: key() }),
            _ => Ok(Self {
                text: text.into(),
                slash,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::TopologyKey;

    #[test]
    fn a_key_is_a_name_with_or_without_a_domain() {
        let longest = format!("{0}/{0}", "a".repeat(63));
        for (text, prefix) in [
            ("zone", None),
            ("Z_o.n-E1", None),
            ("0", None),
            ("disk.acme.io/zone", Some("disk.acme.io")),
            ("a/Zone", Some("a")),
            (&longest, Some(&longest[..63])),
        ] {
            let key: TopologyKey = text.parse().unwrap();
            assert_eq!((key.as_str(), key.prefix()), (text, prefix));
        }
    }

    #[test]
    fn each_broken_rule_has_its_message() {
        const NAME: &str = "has a bad name; allowed are letters, digits, '-', '_' and '.', with a letter or digit at both ends";
        const PREFIX: &str =
            "has a bad prefix; it must be a lower-case domain name such as disk.example.org";
        let long = "a".repeat(64);
        for (text, message) in [
            ("", "has no name; write it as prefix/name or name"),
            ("acme.io/", "has no name; write it as prefix/name or name"),
            (&long, "has a name of 64 characters, the limit is 63"),
            (
                &format!("acme.io/{long}"),
                "has a name of 64 characters, the limit is 63",
            ),
            (
                &format!("{long}/zone"),
                "has a prefix of 64 characters, the limit is 63",
            ),
            ("zo ne", NAME),
            ("-zone", NAME),
            ("zone.", NAME),
            ("zöne", NAME),
            (&"ö".repeat(63), NAME),
            ("a/b/c", NAME),
            ("/zone", PREFIX),
            ("Acme.io/zone", PREFIX),
            ("acme..io/zone", PREFIX),
            ("acme-/zone", PREFIX),
            ("ac_me/zone", PREFIX),
            (&format!("{}/zone", "ö".repeat(63)), PREFIX),
        ] {
            let error = text.parse::<TopologyKey>().unwrap_err().to_string();
            assert_eq!(error, format!("topology key {text:?} {message}"));
        }
    }

    #[test]
    fn a_kubelet_may_set_few_labels_in_the_domains_of_kubernetes() {
        for (text, allowed) in [
            ("zone", true),
            ("disk.acme.io/zone", true),
            ("notkubernetes.io/zone", true),
            ("kubernetes.io/hostname", true),
            ("kubernetes.io/os", true),
            ("kubernetes.io/arch", true),
            ("topology.kubernetes.io/zone", true),
            ("topology.kubernetes.io/region", true),
            ("failure-domain.beta.kubernetes.io/zone", true),
            ("failure-domain.beta.kubernetes.io/region", true),
            ("node.kubernetes.io/instance-type", true),
            ("beta.kubernetes.io/instance-type", true),
            ("beta.kubernetes.io/os", true),
            ("beta.kubernetes.io/arch", true),
            ("node.kubernetes.io/anything", true),
            ("sub.kubelet.kubernetes.io/anything", true),
            ("kubernetes.io/zone", false),
            ("topology.kubernetes.io/rack", false),
            ("a.node-restriction.kubernetes.io/x", false),
            ("k8s.io/zone", false),
            ("topology.hostpath.csi.k8s.io/node", false),
        ] {
            assert_eq!(
                text.parse::<TopologyKey>().unwrap().may_be_set_by_kubelet(),
                allowed,
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn what_parses_is_printed_unchanged(text in prop_oneof![any::<String>(), "[a-cA-C1._/-]{1,12}", "[a-z.]{1,9}/[a-z]"]) {
            if let Ok(key) = text.parse::<TopologyKey>() {
                prop_assert_eq!(key.prefix().map_or(0, str::len), text.rfind('/').unwrap_or(0));
                prop_assert_eq!(key.to_string(), text);
            }
        }
    }
}
