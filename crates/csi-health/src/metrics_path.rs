use std::fmt;
use std::str::FromStr;

/// The path under which metrics are served, `/metrics` by default.
///
/// ```
/// use csi_health::MetricsPath;
///
/// let path: MetricsPath = "/internal/metrics".parse()?;
/// assert_eq!(path.as_str(), "/internal/metrics");
/// assert_eq!(
///     "/healthz".parse::<MetricsPath>().unwrap_err().to_string(),
///     "metrics cannot be served under \"/healthz\", which is an endpoint of its own",
/// );
/// # Ok::<(), csi_health::MetricsPathError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricsPath(Box<str>);

/// Why a text is no [`MetricsPath`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetricsPathError {
    /// It does not begin with a slash.
    #[error("metrics path {text:?} must begin with '/', as in /metrics")]
    NotAbsolute {
        /// The text.
        text: String,
    },
    /// It has a character that paths do not have, or not here.
    #[error(
        "metrics path {text:?} has {found:?}; allowed are ASCII letters, digits and any of /-._~"
    )]
    Forbidden {
        /// The text.
        text: String,
        /// The first such character.
        found: char,
    },
    /// Something else is served there.
    #[error("metrics cannot be served under {text:?}, which is an endpoint of its own")]
    Taken {
        /// The text.
        text: String,
    },
}

impl MetricsPath {
    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for MetricsPath {
    fn default() -> Self {
        Self("/metrics".into())
    }
}

impl FromStr for MetricsPath {
    type Err = MetricsPathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let owned = || text.to_owned();
        let is_forbidden = |c: &char| !(c.is_ascii_alphanumeric() || "/-._~".contains(*c));
        if !text.starts_with('/') {
            return Err(MetricsPathError::NotAbsolute { text: owned() });
        }
        if let Some(found) = text.chars().find(is_forbidden) {
            let text = owned();
            return Err(MetricsPathError::Forbidden { text, found });
        }
        if crate::health::ENDPOINTS
            .iter()
            .any(|(path, _)| *path == text)
        {
            return Err(MetricsPathError::Taken { text: owned() });
        }
        Ok(Self(text.into()))
    }
}

impl fmt::Display for MetricsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::MetricsPath;

    #[test]
    fn a_path_is_absolute_plain_and_free() {
        for text in ["/metrics", "/a/b-c.d_e~f", "/metrics/", "/healthz/metrics"] {
            let path: MetricsPath = text.parse().unwrap();
            assert_eq!(path.to_string(), text);
        }
        for (text, message) in [
            ("", "metrics path \"\" must begin with '/', as in /metrics"),
            (
                "metrics",
                "metrics path \"metrics\" must begin with '/', as in /metrics",
            ),
            (
                "/{a}",
                "metrics path \"/{a}\" has '{'; allowed are ASCII letters, digits and any of /-._~",
            ),
            (
                "/",
                "metrics cannot be served under \"/\", which is an endpoint of its own",
            ),
        ] {
            let error = text.parse::<MetricsPath>().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
