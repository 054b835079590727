//! Whether a plugin can work, and why not.

mod policy;
mod reason;

use std::fmt;

pub use policy::{ProbeAnswer, ReadinessPolicy, WhileStarting, WhileStartingError};
pub use reason::Reason;

/// Whether a plugin can work: the three answers that the CSI specification has for Probe.
///
/// Callers treat the two bad ones differently: they wait for a plugin that is starting, and exit or restart it when it
/// is broken. [`ReadinessPolicy::answer`] makes the answer on the wire of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Readiness {
    /// Not yet, or not for now: the plugin has not been ready since it started, or waits again for something that no
    /// restart would bring back.
    Starting {
        /// What it waits for.
        reason: Reason,
    },
    /// It can work.
    Ready,
    /// It is broken, or something it depends on is.
    NotReady {
        /// What is wrong.
        reason: Reason,
    },
}

impl Readiness {
    /// Not yet ready, waiting for what `reason` says.
    pub fn starting(reason: impl Into<Reason>) -> Self {
        Self::Starting {
            reason: reason.into(),
        }
    }

    /// Broken, as `reason` says.
    pub fn not_ready(reason: impl Into<Reason>) -> Self {
        Self::NotReady {
            reason: reason.into(),
        }
    }

    /// Whether this is [`Readiness::Ready`].
    #[must_use]
    pub fn is_ready(&self) -> bool {
        matches!(self, Self::Ready)
    }

    /// Why the plugin is not ready; nothing when it is.
    #[must_use]
    pub fn reason(&self) -> Option<&Reason> {
        match self {
            Self::Ready => None,
            Self::Starting { reason } | Self::NotReady { reason } => Some(reason),
        }
    }
}

/// `ready`, `starting: <reason>` or `not ready: <reason>`.
impl fmt::Display for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready => f.write_str("ready"),
            Self::Starting { reason } => write!(f, "starting: {reason}"),
            Self::NotReady { reason } => write!(f, "not ready: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Readiness;

    #[test]
    fn readiness_reads_as_a_state_and_its_reason() {
        for (readiness, text, ready) in [
            (Readiness::Ready, "ready", true),
            (
                Readiness::starting("loading maps"),
                "starting: loading maps",
                false,
            ),
            (
                Readiness::not_ready("array 7 is down"),
                "not ready: array 7 is down",
                false,
            ),
        ] {
            assert_eq!(readiness.to_string(), text);
            assert_eq!(readiness.is_ready(), ready);
            assert_eq!(readiness.reason().is_none(), ready);
        }
    }
}
