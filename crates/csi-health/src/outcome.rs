//! What came of one Probe.

use std::time::Duration;

use csi_identity::{CallError, Reason, code_name};
use tonic::Code;

/// What came of one Probe, and how long it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the plugin said, or why it said nothing.
    pub answer: Answer,
    /// From the first attempt to the answer, a second attempt included.
    pub took: Duration,
}

/// What a plugin said to a Probe, or why it said nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// OK, and `ready` is true or unset, which means the same.
    Ready,
    /// OK, and `ready` is false: it is still starting.
    NotReady,
    /// An error.
    Failed {
        /// Its gRPC code.
        code: Code,
        /// Its message; one line.
        message: Reason,
    },
    /// Nothing came in time.
    NoAnswer {
        /// The limit.
        after: Duration,
    },
    /// Nothing came, because there is no connection to the plugin.
    Unreachable {
        /// What is in the way now; one line.
        reason: Reason,
    },
}

/// The kinds of answers that are told apart in log and reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ready,
    NotReady,
    Failed(Code),
    NoAnswer,
    Unreachable,
    /// Everybody who waited had gone before an answer came.
    Abandoned,
}

impl Answer {
    /// Whether the plugin said anything at all; an error is an answer.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        match self {
            Self::Ready | Self::NotReady | Self::Failed { .. } => true,
            Self::NoAnswer { .. } | Self::Unreachable { .. } => false,
        }
    }

    /// The plugin does not implement Probe, or has no identity.
    pub(crate) fn is_unimplemented(&self) -> bool {
        matches!(self, Self::Failed { code, .. } if *code == Code::Unimplemented)
    }

    /// What it is in one line.
    #[must_use]
    pub fn reason(&self) -> Reason {
        match self {
            Self::Ready => Reason::from("the plugin is ready"),
            // The words are those of livenessprobe, which people look for in logs and dashboards.
            Self::NotReady => Reason::from("driver responded but is not ready"),
            Self::Failed { code, message } => {
                Reason::from(format!("{}: {message}", code_name(*code)))
            }
            Self::NoAnswer { after } => {
                Reason::from(format!("the plugin did not answer Probe within {after:?}"))
            }
            Self::Unreachable { reason } => reason.clone(),
        }
    }

    /// The word for it in reports, for example `not_ready`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::NotReady => "not_ready",
            Self::Failed { .. } => "failed",
            Self::NoAnswer { .. } => "no_answer",
            Self::Unreachable { .. } => "unreachable",
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Ready => Kind::Ready,
            Self::NotReady => Kind::NotReady,
            Self::Failed { code, .. } => Kind::Failed(*code),
            Self::NoAnswer { .. } => Kind::NoAnswer,
            Self::Unreachable { .. } => Kind::Unreachable,
        }
    }

    /// The gRPC code of it, as clients in other languages make it: what did not come in time is DEADLINE_EXCEEDED, and
    /// what could not be asked is UNAVAILABLE.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Ready | Self::NotReady => Code::Ok,
            Self::Failed { code, .. } => *code,
            Self::NoAnswer { .. } => Code::DeadlineExceeded,
            Self::Unreachable { .. } => Code::Unavailable,
        }
    }

    /// `limit` is what the caller granted, whatever was left of it for the call.
    pub(crate) fn of(result: Result<Option<bool>, CallError>, limit: Duration) -> Self {
        match result {
            Ok(None | Some(true)) => Self::Ready,
            Ok(Some(false)) => Self::NotReady,
            Err(CallError::Answered(status)) => Self::Failed {
                code: status.code(),
                message: Reason::from(status.message()),
            },
            Err(CallError::TimedOut { .. }) => Self::NoAnswer { after: limit },
            Err(error) => Self::Unreachable {
                reason: Reason::from(error.to_string()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_result_of_a_call_is_one_answer_with_its_word_code_and_reason() {
        let limit = Duration::from_secs(3);
        let left = Duration::from_millis(7);
        let answered = |code, message: &str| CallError::Answered(tonic::Status::new(code, message));
        let cases = [
            (Ok(None), "ready", Code::Ok, "the plugin is ready"),
            (Ok(Some(true)), "ready", Code::Ok, "the plugin is ready"),
            (
                Ok(Some(false)),
                "not_ready",
                Code::Ok,
                "driver responded but is not ready",
            ),
            (
                Err(answered(Code::FailedPrecondition, "NOT_READY:\n disk")),
                "failed",
                Code::FailedPrecondition,
                "FAILED_PRECONDITION: NOT_READY: disk",
            ),
            (
                Err(answered(Code::Unavailable, "")),
                "failed",
                Code::Unavailable,
                "UNAVAILABLE: no reason given",
            ),
            (
                Err(CallError::TimedOut { after: left }),
                "no_answer",
                Code::DeadlineExceeded,
                "the plugin did not answer Probe within 3s",
            ),
            (
                Err(CallError::Connection(tonic::Status::unknown("broken pipe"))),
                "unreachable",
                Code::Unavailable,
                "the connection was lost before the answer came: broken pipe",
            ),
        ];
        for (result, word, code, reason) in cases {
            let answer = Answer::of(result, limit);
            assert_eq!(
                (answer.as_str(), answer.code(), answer.reason().as_str()),
                (word, code, reason)
            );
        }
    }
}
