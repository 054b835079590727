use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A moment, shown as RFC 3339 in UTC with milliseconds.
///
/// ```
/// use csi_registration::Timestamp;
///
/// let moment: Timestamp = "2026-02-03T04:05:06.789Z".parse()?;
/// assert_eq!(moment.to_string(), "2026-02-03T04:05:06.789Z");
/// # Ok::<(), csi_registration::TimestampError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(SystemTime);

/// Why a text is no [`Timestamp`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{text:?} is no moment; write it as in 2026-02-03T04:05:06.789Z")]
pub struct TimestampError {
    text: String,
    source: humantime::TimestampError,
}

impl Timestamp {
    /// This moment.
    #[must_use]
    pub fn now() -> Self {
        Self(SystemTime::now())
    }

    /// How long ago it was; nothing where the clock has been set back since.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.0.elapsed().unwrap_or_default()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_rfc3339_millis(self.0).fmt(f)
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        humantime::parse_rfc3339(text)
            .map(Self)
            .map_err(|source| TimestampError {
                text: text.to_owned(),
                source,
            })
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn a_text_that_is_no_moment_is_refused() {
        for text in [
            "",
            "yesterday",
            "2026-02-30T00:00:00Z",
            "2026-02-03 04:05:06",
        ] {
            assert_eq!(
                text.parse::<Timestamp>().unwrap_err().to_string(),
                format!("{text:?} is no moment; write it as in 2026-02-03T04:05:06.789Z")
            );
        }
    }
}
