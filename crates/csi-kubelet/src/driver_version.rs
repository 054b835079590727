use std::cmp::Ordering;
use std::fmt;

use crate::go_text::quote;

/// A version of the registration interface as a kubelet reads one: two or more numbers with dots between them.
///
/// It is lenient (apimachinery `pkg/util/version`): white space and a `v` before it and any text behind it do not count, and zeros
/// at the end make no difference.
#[derive(Clone, Debug)]
pub struct DriverVersion(Vec<u64>);

/// The only one that kubelets speak.
const MAJOR: u64 = 1;

impl DriverVersion {
    /// Reads one, or says why not in the words of apimachinery.
    fn parse(text: &str) -> Result<Self, String> {
        let quoted = quote(text);
        let number = text.trim_start_matches(['\t', '\n', '\x0c', '\r', ' ']);
        let mut rest = number.strip_prefix('v').unwrap_or(number);
        // Whatever is behind the numbers does not count, if it is on the same line.
        if !rest.starts_with(|c: char| c.is_ascii_digit()) || rest.contains('\n') {
            return Err(format!("could not parse {quoted} as version"));
        }
        let mut parts = Vec::new();
        loop {
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            let (digits, behind) = rest.split_at(end);
            if digits.is_empty() {
                break;
            }
            parts.push(digits);
            match behind.strip_prefix('.') {
                Some(behind) => rest = behind,
                None => break,
            }
        }
        if parts.len() < 2 {
            return Err(format!("illegal version string {quoted}"));
        }
        if parts[0].len() > 1 && parts[0].starts_with('0') {
            let first = quote(parts[0]);
            return Err(format!(
                "illegal zero-prefixed version component {first} in {quoted}"
            ));
        }
        let numbers = parts.into_iter().map(|digits| {
            // Of digits alone, so it is too big.
            digits.parse().map_err(|_too_big| {
                let part = quote(digits);
                format!(
                    "illegal non-numeric version component {part} in {quoted}: strconv.ParseUint: parsing {part}: value out of range"
                )
            })
        });
        numbers.collect::<Result<_, _>>().map(Self)
    }

    /// The highest of these that a kubelet speaks. What cannot be read does not count, nor what is newer.
    ///
    /// ```
    /// use csi_kubelet::DriverVersion;
    ///
    /// let offered = ["1.0.0".to_owned(), "2.0.0".to_owned()];
    /// assert_eq!(DriverVersion::highest(&offered)?.to_string(), "1.0.0");
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What a kubelet says (`csi_plugin.go`; apimachinery `HighestSupportedVersion`, the wording of 1.29 and later).
    pub fn highest(versions: &[String]) -> Result<Self, String> {
        if versions.is_empty() {
            return Err("Plugin returned an empty list for supported versions".to_owned());
        }
        let mut highest: Option<Self> = None;
        let mut unread = None;
        // Read from the end, so that of several reasons the first in the list is told.
        for text in versions.iter().rev() {
            match Self::parse(text) {
                Ok(version) if version.0[0] > MAJOR => {}
                Ok(version) if highest.as_ref().is_some_and(|known| *known >= version) => {}
                Ok(version) => highest = Some(version),
                Err(reason) => unread = Some(reason),
            }
        }
        let reason = match highest {
            Some(version) if version.0[0] == MAJOR => return Ok(version),
            Some(version) => {
                format!("highest supported version reported is {version}, must be v1.x")
            }
            None => {
                let list = versions.join(" ");
                let unread = unread.as_deref().unwrap_or("<nil>");
                format!(
                    "could not find a highest supported version from versions ([{list}]) reported: {unread}"
                )
            }
        };
        let quoted: Vec<_> = versions.iter().map(|text| quote(text)).collect();
        let list = quoted.join(" ");
        Err(format!(
            "None of the versions specified [{list}] are supported. err={reason}"
        ))
    }

    fn significant(&self) -> &[u64] {
        let end = self.0.iter().rposition(|number| *number != 0);
        &self.0[..end.map_or(0, |last| last + 1)]
    }
}

impl Ord for DriverVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        self.significant().cmp(other.significant())
    }
}

impl PartialOrd for DriverVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for DriverVersion {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for DriverVersion {}

impl fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<_> = self.0.iter().map(u64::to_string).collect();
        f.pad(&numbers.join("."))
    }
}

#[cfg(test)]
mod tests {
    use super::DriverVersion;

    fn highest(versions: &[&str]) -> Result<String, String> {
        let versions: Vec<_> = versions.iter().map(|&text| text.to_owned()).collect();
        DriverVersion::highest(&versions).map(|version| version.to_string())
    }

    #[test]
    fn the_highest_readable_version_1_is_taken() {
        for (versions, taken) in [
            (&["1.0.0"][..], "1.0.0"),
            (&["1.0"], "1.0"),
            (&[" v1.2.3"], "1.2.3"),
            (&["1.0.0foo"], "1.0.0"),
            (&["1.0.0-alpha"], "1.0.0"),
            (&["1.00"], "1.0"),
            (&["1.9999999999.1"], "1.9999999999.1"),
            (&["boo", "1.0.0"], "1.0.0"),
            (&["1.0.0", "2.0.0"], "1.0.0"),
            (&["1.10.0", "1.1.0"], "1.10.0"),
            (&["0.3.0", "1.0.0"], "1.0.0"),
        ] {
            assert_eq!(highest(versions).as_deref(), Ok(taken), "{versions:?}");
        }
    }

    #[test]
    fn zeros_at_the_end_make_no_difference() {
        let [short, long, other] =
            ["1.0", "1.0.0", "1.0.1"].map(|text| DriverVersion::parse(text).unwrap());
        assert!(short == long && long < other);
        assert_eq!(highest(&["1.0", "1.0.0"]).as_deref(), Ok("1.0.0"));
        assert_eq!(highest(&["1.0.0", "1.0"]).as_deref(), Ok("1.0"));
    }

    #[test]
    fn what_is_no_version_1_is_refused_in_the_kubelets_words() {
        let none = |list: &str, reason: &str| {
            format!(
                "could not find a highest supported version from versions ([{list}]) reported: {reason}"
            )
        };
        for (versions, list, reason) in [
            (
                &["1"][..],
                "\"1\"",
                none("1", "illegal version string \"1\""),
            ),
            (
                &["1..0"],
                "\"1..0\"",
                none("1..0", "illegal version string \"1..0\""),
            ),
            (
                &["01.0"],
                "\"01.0\"",
                none(
                    "01.0",
                    "illegal zero-prefixed version component \"01\" in \"01.0\"",
                ),
            ),
            (&["2.0.0"], "\"2.0.0\"", none("2.0.0", "<nil>")),
            (
                &["2.0.0", "boo", "1"],
                "\"2.0.0\" \"boo\" \"1\"",
                none("2.0.0 boo 1", "could not parse \"boo\" as version"),
            ),
            (
                &["1.0\n\u{1}"],
                "\"1.0\\n\\x01\"",
                none("1.0\n\u{1}", "could not parse \"1.0\\n\\x01\" as version"),
            ),
            (
                &["1.18446744073709551616"],
                "\"1.18446744073709551616\"",
                none(
                    "1.18446744073709551616",
                    "illegal non-numeric version component \"18446744073709551616\" in \"1.18446744073709551616\": strconv.ParseUint: \
                     parsing \"18446744073709551616\": value out of range",
                ),
            ),
            (
                &["0.3.0"],
                "\"0.3.0\"",
                "highest supported version reported is 0.3.0, must be v1.x".to_owned(),
            ),
        ] {
            let expected =
                format!("None of the versions specified [{list}] are supported. err={reason}");
            assert_eq!(highest(versions), Err(expected));
        }
        assert_eq!(
            highest(&[]),
            Err("Plugin returned an empty list for supported versions".to_owned())
        );
    }
}
