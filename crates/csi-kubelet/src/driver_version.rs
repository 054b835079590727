use std::fmt;

/// A version of the registration interface as a kubelet reads one: two or more numbers with dots between them.
///
/// It is lenient (apimachinery `pkg/util/version`): white space and a `v` before it and any text behind it do not count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DriverVersion(Vec<u32>);

/// The only one that kubelets speak.
const MAJOR: u32 = 1;

impl DriverVersion {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim_start();
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut numbers = Vec::new();
        let mut rest = text;
        loop {
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            let (digits, behind) = rest.split_at(end);
            if digits.is_empty() {
                break;
            }
            if numbers.is_empty() && digits.len() > 1 && digits.starts_with('0') {
                return None;
            }
            numbers.push(digits.parse().ok()?);
            match behind.strip_prefix('.') {
                Some(behind) => rest = behind,
                None => break,
            }
        }
        (numbers.len() >= 2).then_some(Self(numbers))
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
    /// What a kubelet says (`csi_plugin.go`), but for the reason behind `err=`, which is in our words.
    pub fn highest(versions: &[String]) -> Result<Self, String> {
        if versions.is_empty() {
            return Err("Plugin returned an empty list for supported versions".to_owned());
        }
        let known = versions.iter().filter_map(|text| Self::parse(text));
        let highest = known.filter(|version| version.0[0] <= MAJOR).max();
        let reason = match highest {
            Some(version) if version.0[0] == MAJOR => return Ok(version),
            Some(version) => format!("the highest is {version}, and it has to be 1.x"),
            None => "none can be read as a version 1.x".to_owned(),
        };
        let quoted: Vec<_> = versions.iter().map(|text| format!("{text:?}")).collect();
        let list = quoted.join(" ");
        Err(format!(
            "None of the versions specified [{list}] are supported. err={reason}"
        ))
    }
}

impl fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<_> = self.0.iter().map(u32::to_string).collect();
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
            (&["boo", "1.0.0"], "1.0.0"),
            (&["1.0.0", "2.0.0"], "1.0.0"),
            (&["1.10.0", "1.1.0"], "1.10.0"),
            (&["0.3.0", "1.0.0"], "1.0.0"),
        ] {
            assert_eq!(highest(versions).as_deref(), Ok(taken), "{versions:?}");
        }
    }

    #[test]
    fn what_is_no_version_1_is_refused_in_the_kubelets_words() {
        let unreadable = "none can be read as a version 1.x";
        for (versions, list, reason) in [
            (&["1"][..], "\"1\"", unreadable),
            (&["01.0"], "\"01.0\"", unreadable),
            (&["2.0.0", "boo"], "\"2.0.0\" \"boo\"", unreadable),
            (&["1.99999999999"], "\"1.99999999999\"", unreadable),
            (
                &["0.3.0"],
                "\"0.3.0\"",
                "the highest is 0.3.0, and it has to be 1.x",
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
