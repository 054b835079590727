//! From readiness to the answer on the wire.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::{Readiness, Reason};

/// How readiness is told to those who probe.
///
/// ```
/// use std::time::Duration;
///
/// use csi_identity::{ProbeAnswer, Readiness, ReadinessPolicy};
///
/// let policy = ReadinessPolicy { startup_limit: Some(Duration::from_secs(120)), ..ReadinessPolicy::default() };
/// let starting = Readiness::starting("waiting for the array");
/// assert_eq!(policy.answer(&starting, Duration::from_secs(5)), ProbeAnswer::Ready(false));
/// assert_eq!(
///     policy.answer(&starting, Duration::from_secs(120)),
///     ProbeAnswer::Failed { message: "NOT_READY: not ready within 120s of the start: waiting for the array".to_owned() },
/// );
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ReadinessPolicy {
    /// How long the plugin may be starting before that counts as a failure; `None` waits for ever.
    pub startup_limit: Option<Duration>,
    /// What a plugin that is starting answers.
    pub while_starting: WhileStarting,
}

/// What a plugin that is starting answers to Probe.
///
/// Parses from `not_ready` and `error`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WhileStarting {
    /// OK with `ready` false: callers wait. This is what the CSI specification has in mind.
    #[default]
    NotReady,
    /// An error, as from a broken plugin: Kubernetes sidecars exit and are restarted.
    Error,
}

/// Why a text is no [`WhileStarting`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} says nothing about the time of starting; write not_ready or error")]
pub struct WhileStartingError {
    text: String,
}

/// The answer to Probe.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ProbeAnswer {
    /// The call succeeds, and `ready` is set to this.
    Ready(bool),
    /// The call fails with FAILED_PRECONDITION.
    Failed {
        /// The status message: `NOT_READY: ` and the reason, never empty.
        message: String,
    },
}

impl ReadinessPolicy {
    /// What Probe answers for this readiness, `age` after the plugin started.
    #[must_use]
    pub fn answer(&self, readiness: &Readiness, age: Duration) -> ProbeAnswer {
        match (&*self.effective(readiness, age), self.while_starting) {
            (Readiness::Ready, _) => ProbeAnswer::Ready(true),
            (Readiness::Starting { .. }, WhileStarting::NotReady) => ProbeAnswer::Ready(false),
            (Readiness::Starting { reason }, WhileStarting::Error)
            | (Readiness::NotReady { reason }, _) => ProbeAnswer::Failed {
                message: format!("NOT_READY: {reason}"),
            },
        }
    }

    /// The readiness that counts, `age` after the plugin started: from the start-up limit on, starting is a failure.
    #[must_use]
    pub fn effective<'a>(&self, readiness: &'a Readiness, age: Duration) -> Cow<'a, Readiness> {
        match (readiness, self.startup_limit) {
            (Readiness::Starting { reason }, Some(limit)) if age >= limit => {
                let reason =
                    Reason::from(format!("not ready within {limit:?} of the start: {reason}"));
                Cow::Owned(Readiness::NotReady { reason })
            }
            _ => Cow::Borrowed(readiness),
        }
    }
}

impl FromStr for WhileStarting {
    type Err = WhileStartingError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "not_ready" => Ok(Self::NotReady),
            "error" => Ok(Self::Error),
            _ => Err(WhileStartingError {
                text: text.to_owned(),
            }),
        }
    }
}

impl fmt::Display for WhileStarting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotReady => "not_ready",
            Self::Error => "error",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ProbeAnswer, Readiness, ReadinessPolicy, Reason, WhileStarting};

    const LIMIT: Duration = Duration::from_millis(1500);
    const BEFORE: Duration = Duration::from_millis(1499);

    fn failed(message: &str) -> ProbeAnswer {
        ProbeAnswer::Failed {
            message: message.to_owned(),
        }
    }

    #[test]
    fn starting_waits_or_fails_as_the_policy_says_and_the_rest_is_fixed() {
        let limit = |startup_limit, while_starting| ReadinessPolicy {
            startup_limit,
            while_starting,
        };
        let waiting = limit(None, WhileStarting::NotReady);
        let erring = limit(None, WhileStarting::Error);
        let limited = limit(Some(LIMIT), WhileStarting::NotReady);
        let limited_erring = limit(Some(LIMIT), WhileStarting::Error);
        let starting = Readiness::starting("r");
        let broken = Readiness::not_ready("r");
        let late = failed("NOT_READY: not ready within 1.5s of the start: r");
        for (policy, readiness, age, answer) in [
            (waiting, &starting, Duration::MAX, ProbeAnswer::Ready(false)),
            (
                waiting,
                &Readiness::Ready,
                Duration::ZERO,
                ProbeAnswer::Ready(true),
            ),
            (waiting, &broken, Duration::ZERO, failed("NOT_READY: r")),
            (erring, &starting, Duration::ZERO, failed("NOT_READY: r")),
            (
                erring,
                &Readiness::Ready,
                Duration::ZERO,
                ProbeAnswer::Ready(true),
            ),
            (erring, &broken, Duration::ZERO, failed("NOT_READY: r")),
            (limited, &starting, BEFORE, ProbeAnswer::Ready(false)),
            (limited, &starting, LIMIT, late.clone()),
            (
                limited,
                &Readiness::Ready,
                Duration::MAX,
                ProbeAnswer::Ready(true),
            ),
            (limited, &broken, Duration::MAX, failed("NOT_READY: r")),
            (limited_erring, &starting, BEFORE, failed("NOT_READY: r")),
            (limited_erring, &starting, LIMIT, late),
        ] {
            assert_eq!(
                policy.answer(readiness, age),
                answer,
                "{policy:?} {readiness} {age:?}"
            );
        }
    }

    #[test]
    fn by_default_starting_is_waited_for_without_limit() {
        let policy = ReadinessPolicy::default();
        assert_eq!(
            (policy.startup_limit, policy.while_starting),
            (None, WhileStarting::NotReady)
        );
    }

    #[test]
    fn a_reason_stays_within_its_limit_when_the_start_takes_too_long() {
        let policy = ReadinessPolicy {
            startup_limit: Some(LIMIT),
            ..ReadinessPolicy::default()
        };
        let effective = policy
            .effective(&Readiness::starting("x".repeat(Reason::MAX_LEN)), LIMIT)
            .into_owned();
        assert_eq!(
            effective.reason().map(|reason| reason.as_str().len()),
            Some(Reason::MAX_LEN)
        );
    }

    #[test]
    fn the_way_of_starting_has_two_names() {
        for way in [WhileStarting::NotReady, WhileStarting::Error] {
            assert_eq!(way.to_string().parse(), Ok(way));
        }
        let error = "Error".parse::<WhileStarting>().unwrap_err();
        assert_eq!(
            error.to_string(),
            r#""Error" says nothing about the time of starting; write not_ready or error"#
        );
    }
}
