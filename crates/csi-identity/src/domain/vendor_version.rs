//! The version a vendor gives a plugin.

use std::fmt;
use std::str::FromStr;

/// The version of a plugin as its vendor writes it, for example `2.1.0`.
///
/// The CSI specification makes it opaque: any text of 1 to 128 bytes. All instances that report the same version must
/// report the same capabilities. [`VendorVersion::advice`] tells whether it is a semantic version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VendorVersion(Box<str>);

/// Why a text is no [`VendorVersion`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VendorVersionError {
    /// There is no text.
    #[error("vendor version is empty; give one such as 1.0.0")]
    Empty,
    /// The text is over the limit.
    #[error(
        "vendor version is {len} bytes long, the limit is {}",
        VendorVersion::MAX_LEN
    )]
    TooLong {
        /// Its length in bytes.
        len: usize,
    },
}

/// One thing that speaks against a legal [`VendorVersion`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VersionAdvice {
    /// It is no semantic version (SemVer 2.0.0).
    NotSemVer {
        /// The semantic version that was probably meant.
        meant: Option<String>,
    },
    /// The specification validator of gocsi refuses it.
    RefusedByGocsi,
}

impl VendorVersion {
    /// How many bytes a version may have (CSI specification, "Size Limits").
    pub const MAX_LEN: usize = 128;

    /// The version as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is a semantic version; a leading `v` is not part of one.
    ///
    /// Numbers beyond 64 bits count as no semantic version.
    #[must_use]
    pub fn is_semver(&self) -> bool {
        is_semver(&self.0)
    }

    /// What the version will run into although it is legal.
    #[must_use]
    pub fn advice(&self) -> Vec<VersionAdvice> {
        let mut advice = Vec::new();
        if !self.is_semver() {
            let bare = self.0.trim().trim_start_matches(['v', 'V']);
            let meant = ["", ".0", ".0.0"]
                .map(|zeros| format!("{bare}{zeros}"))
                .into_iter()
                .find(|text| is_semver(text));
            advice.push(VersionAdvice::NotSemVer { meant });
        }
        if !gocsi_accepts(&self.0) {
            advice.push(VersionAdvice::RefusedByGocsi);
        }
        advice
    }
}

impl AsRef<str> for VendorVersion {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for VendorVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for VendorVersion {
    type Err = VendorVersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.len() {
            0 => Err(VendorVersionError::Empty),
            len if len > Self::MAX_LEN => Err(VendorVersionError::TooLong { len }),
            _ => Ok(Self(text.into())),
        }
    }
}

impl fmt::Display for VersionAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSemVer { meant: Some(meant) } => write!(f, "the version is no semantic version; write {meant}"),
            Self::NotSemVer { meant: None } => {
                f.write_str("the version is no semantic version; write three numbers, such as 1.0.0")
            }
            Self::RefusedByGocsi => f.write_str(
                "gocsi's validator refuses the version: it takes three numbers, with or without v before and -text after",
            ),
        }
    }
}

fn is_semver(text: &str) -> bool {
    semver::Version::parse(text).is_ok()
}

/// The rule of gocsi's `middleware/specvalidator`.
fn gocsi_accepts(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (numbers, tail) = text
        .split_once('-')
        .map_or((text, None), |(numbers, tail)| (numbers, Some(tail)));
    numbers.split('.').count() == 3
        && numbers
            .split('.')
            .all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        && tail.is_none_or(|tail| !tail.is_empty() && !tail.contains('\n'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{VendorVersion, VendorVersionError, gocsi_accepts};

    #[test]
    fn only_emptiness_and_length_are_refused() {
        let long = "ä".repeat(64);
        for good in ["2.1.0", "v1", "nightly build", "\n", &long] {
            assert_eq!(good.parse::<VendorVersion>().unwrap().as_str(), good);
        }
        for (bad, message) in [
            (
                String::new(),
                "vendor version is empty; give one such as 1.0.0",
            ),
            (
                format!("{long}x"),
                "vendor version is 129 bytes long, the limit is 128",
            ),
        ] {
            assert_eq!(
                bad.parse::<VendorVersion>().unwrap_err().to_string(),
                message
            );
        }
    }

    #[test]
    fn advice_knows_semver_and_gocsi() {
        const GOCSI: &str = "gocsi's validator refuses the version: it takes three numbers, with or without v before and -text after";
        const NO_GUESS: &str =
            "the version is no semantic version; write three numbers, such as 1.0.0";
        let rows: &[(&str, bool, &[&str])] = &[
            ("2.1.0", true, &[]),
            ("2.1.0-rc.1", true, &[]),
            ("2.1.0+build.5", true, &[GOCSI]),
            ("2.1.0-rc.1+build.5", true, &[]),
            (
                "v2.1.0",
                false,
                &["the version is no semantic version; write 2.1.0"],
            ),
            (
                "V2.1.0",
                false,
                &["the version is no semantic version; write 2.1.0", GOCSI],
            ),
            (
                "1.10",
                false,
                &["the version is no semantic version; write 1.10.0", GOCSI],
            ),
            (
                "v3",
                false,
                &["the version is no semantic version; write 3.0.0", GOCSI],
            ),
            (
                " 1.2.3",
                false,
                &["the version is no semantic version; write 1.2.3", GOCSI],
            ),
            ("01.2.3", false, &[NO_GUESS]),
            ("1.2.3-", false, &[NO_GUESS, GOCSI]),
            ("1.2.3.4", false, &[NO_GUESS, GOCSI]),
            ("latest", false, &[NO_GUESS, GOCSI]),
        ];
        for (text, semver, expected) in rows {
            let version: VendorVersion = text.parse().unwrap();
            assert_eq!(version.is_semver(), *semver, "{text:?}");
            let advice: Vec<_> = version.advice().iter().map(ToString::to_string).collect();
            assert_eq!(&advice, expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_of_1_to_128_bytes_comes_back_unchanged(text in any::<String>()) {
            match text.parse::<VendorVersion>() {
                Ok(version) => {
                    let sound = version.is_semver() && gocsi_accepts(&text);
                    prop_assert_eq!(version.advice().is_empty(), sound);
                    prop_assert!((1..=128).contains(&text.len()));
                    prop_assert_eq!(version.to_string(), text);
                }
                Err(VendorVersionError::Empty) => prop_assert_eq!(text, ""),
                Err(VendorVersionError::TooLong { len }) => prop_assert!(len > 128 && len == text.len()),
            }
        }
    }
}
