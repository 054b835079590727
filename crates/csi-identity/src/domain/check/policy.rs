use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How often and how patiently something is checked, and what its failure means.
///
/// The defaults are an interval of 5 s, a timeout of 1 s, three failures, one success and [`OnFailure::Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckPolicy {
    /// From the beginning of one run to that of the next.
    pub interval: Duration,
    /// How long a run may take; one that takes longer has failed.
    pub timeout: Duration,
    /// How many failures in a row make a check failing.
    pub failure_threshold: u32,
    /// How many successes in a row make a check passing, the first time and after a failure alike.
    pub success_threshold: u32,
    /// What Probe answers while the check is failing.
    pub on_failure: OnFailure,
}

/// What the failure of a check means once the plugin has been ready.
///
/// Parses from `error` and `not_ready`. Before the plugin has been ready for the first time either means that it is
/// still starting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnFailure {
    /// The plugin is broken: Probe fails, and whoever watches it may restart the plugin.
    #[default]
    Error,
    /// The plugin waits: Probe answers `ready=false`. For backends whose outage no restart cures.
    NotReady,
}

/// Why a text is no [`OnFailure`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} does not say what a failure means; write error or not_ready")]
pub struct OnFailureError {
    text: String,
}

/// Why a [`CheckPolicy`] cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckPolicyError {
    /// Runs would follow each other without pause.
    #[error("interval is zero; give the time between two runs, for example 5s")]
    ZeroInterval,
    /// Runs would be too rare to say anything.
    #[error(
        "interval {interval:?} is over the limit of {:?}; give a shorter one",
        CheckPolicy::MAX_INTERVAL
    )]
    LongInterval {
        /// The interval.
        interval: Duration,
    },
    /// No run could succeed.
    #[error("timeout is zero; give the time a run may take, for example 1s")]
    ZeroTimeout,
    /// A run could go on when the next is due.
    #[error(
        "timeout {timeout:?} is longer than the interval {interval:?}; make the timeout at most {interval:?} or the \
         interval at least {timeout:?}"
    )]
    LongTimeout {
        /// The timeout.
        timeout: Duration,
        /// The interval.
        interval: Duration,
    },
    /// No number of failures could be it.
    #[error(
        "failure_threshold is 0; it must be at least 1, which takes the first failure seriously"
    )]
    ZeroFailureThreshold,
    /// No number of successes could be it.
    #[error("success_threshold is 0; it must be at least 1, which believes the first success")]
    ZeroSuccessThreshold,
}

impl CheckPolicy {
    /// The longest interval: a day.
    pub const MAX_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

    /// Whether the policy can be kept.
    ///
    /// # Errors
    ///
    /// Where the interval or the timeout is zero, the interval is over its limit, the timeout is longer than the interval,
    /// or a threshold is 0; the first of these that is found.
    pub fn validate(&self) -> Result<(), CheckPolicyError> {
        use CheckPolicyError as E;
        let Self {
            interval,
            timeout,
            failure_threshold,
            success_threshold,
            on_failure: _,
        } = *self;
        if interval.is_zero() {
            Err(E::ZeroInterval)
        } else if interval > Self::MAX_INTERVAL {
            Err(E::LongInterval { interval })
        } else if timeout.is_zero() {
            Err(E::ZeroTimeout)
        } else if timeout > interval {
            Err(E::LongTimeout { timeout, interval })
        } else if failure_threshold == 0 {
            Err(E::ZeroFailureThreshold)
        } else if success_threshold == 0 {
            Err(E::ZeroSuccessThreshold)
        } else {
            Ok(())
        }
    }
}

impl Default for CheckPolicy {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(5),
            timeout: Duration::from_secs(1),
            failure_threshold: 3,
            success_threshold: 1,
            on_failure: OnFailure::default(),
        }
    }
}

impl FromStr for OnFailure {
    type Err = OnFailureError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "error" => Ok(Self::Error),
            "not_ready" => Ok(Self::NotReady),
            _ => Err(OnFailureError {
                text: text.to_owned(),
            }),
        }
    }
}

impl fmt::Display for OnFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Error => "error",
            Self::NotReady => "not_ready",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{CheckPolicy, OnFailure};

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_defaults_and_the_limits_can_be_kept() {
        let policy = CheckPolicy::default();
        for policy in [
            policy,
            CheckPolicy {
                timeout: policy.interval,
                failure_threshold: 1,
                ..policy
            },
            CheckPolicy {
                interval: CheckPolicy::MAX_INTERVAL,
                ..policy
            },
        ] {
            assert_eq!(policy.validate(), Ok(()), "{policy:?}");
        }
    }

    #[test]
    fn each_broken_rule_has_its_message() {
        let policy = CheckPolicy::default();
        for (policy, message) in [
            (
                CheckPolicy {
                    interval: Duration::ZERO,
                    ..policy
                },
                "interval is zero; give the time between two runs, for example 5s",
            ),
            (
                CheckPolicy {
                    interval: CheckPolicy::MAX_INTERVAL + SECOND,
                    ..policy
                },
                "interval 86401s is over the limit of 86400s; give a shorter one",
            ),
            (
                CheckPolicy {
                    timeout: Duration::ZERO,
                    ..policy
                },
                "timeout is zero; give the time a run may take, for example 1s",
            ),
            (
                CheckPolicy {
                    timeout: 6 * SECOND,
                    ..policy
                },
                "timeout 6s is longer than the interval 5s; make the timeout at most 5s or the interval at least 6s",
            ),
            (
                CheckPolicy {
                    failure_threshold: 0,
                    ..policy
                },
                "failure_threshold is 0; it must be at least 1, which takes the first failure seriously",
            ),
            (
                CheckPolicy {
                    success_threshold: 0,
                    ..policy
                },
                "success_threshold is 0; it must be at least 1, which believes the first success",
            ),
        ] {
            assert_eq!(policy.validate().unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn the_meaning_of_a_failure_has_two_names() {
        for meaning in [OnFailure::Error, OnFailure::NotReady] {
            assert_eq!(meaning.to_string().parse(), Ok(meaning));
        }
        let error = "notready".parse::<OnFailure>().unwrap_err();
        assert_eq!(
            error.to_string(),
            r#""notready" does not say what a failure means; write error or not_ready"#
        );
    }
}
