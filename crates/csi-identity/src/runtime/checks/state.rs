//! What the results of one check add up to.

use crate::{CheckPolicy, Reason};

/// What is thought of a check, from its results so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum CheckVerdict {
    /// Nothing yet: neither threshold was ever reached.
    Unknown,
    /// All is well.
    Passing,
    /// Something is wrong.
    Failing {
        /// What the last failure said.
        reason: Reason,
    },
}

/// The results of one check, and the verdict they add up to.
///
/// A verdict changes when as many results in a row as the policy's threshold say so, the first verdict included: with a
/// `success_threshold` of 1, the default, a single success makes a new check passing, while a first failure leaves it
/// unknown until `failure_threshold` is reached. While a check is failing its reason is that of the latest failure.
#[derive(Clone, Debug)]
pub(super) struct CheckState {
    failure_threshold: u32,
    success_threshold: u32,
    verdict: CheckVerdict,
    /// The results in a row that are alike, up to now.
    successes: u32,
    failures: u32,
    last_failure: Option<Reason>,
}

impl CheckState {
    /// A check that has never run.
    pub(super) fn new(policy: &CheckPolicy) -> Self {
        Self {
            failure_threshold: policy.failure_threshold,
            success_threshold: policy.success_threshold,
            verdict: CheckVerdict::Unknown,
            successes: 0,
            failures: 0,
            last_failure: None,
        }
    }

    /// Takes a result in, and says whether the verdict became another one; another reason for failing is no other verdict.
    pub(super) fn record(&mut self, result: Result<(), Reason>) -> bool {
        match result {
            Ok(()) => {
                self.failures = 0;
                self.successes = self.successes.saturating_add(1);
                self.successes >= self.success_threshold && self.become_passing()
            }
            Err(reason) => {
                self.successes = 0;
                self.failures = self.failures.saturating_add(1);
                self.last_failure = Some(reason.clone());
                (self.failures >= self.failure_threshold || self.is_failing())
                    && self.become_failing(reason)
            }
        }
    }

    /// What is thought of the check now.
    pub(super) fn verdict(&self) -> &CheckVerdict {
        &self.verdict
    }

    /// What keeps the check from passing, for people; nothing when it does.
    pub(super) fn complaint(&self) -> Option<String> {
        match (&self.verdict, &self.last_failure) {
            (CheckVerdict::Passing, _) => None,
            (CheckVerdict::Failing { reason }, _) => Some(reason.to_string()),
            (CheckVerdict::Unknown, _) if self.successes > 0 => Some(format!(
                "passed {} of {} times",
                self.successes, self.success_threshold
            )),
            (CheckVerdict::Unknown, Some(reason)) => Some(format!(
                "failed {} of {} times: {reason}",
                self.failures, self.failure_threshold
            )),
            (CheckVerdict::Unknown, None) => Some("not checked yet".to_owned()),
        }
    }

    fn is_failing(&self) -> bool {
        matches!(self.verdict, CheckVerdict::Failing { .. })
    }

    fn become_passing(&mut self) -> bool {
        let changed = self.verdict != CheckVerdict::Passing;
        self.verdict = CheckVerdict::Passing;
        changed
    }

    fn become_failing(&mut self, reason: Reason) -> bool {
        let changed = !self.is_failing();
        self.verdict = CheckVerdict::Failing { reason };
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckState, CheckVerdict};
    use crate::{CheckPolicy, Reason};

    fn state(failure_threshold: u32, success_threshold: u32) -> CheckState {
        CheckState::new(&CheckPolicy {
            failure_threshold,
            success_threshold,
            ..CheckPolicy::default()
        })
    }

    /// `+` is a success, any other character a failure that gives it as its reason.
    fn after(mut state: CheckState, results: &str) -> (String, String) {
        let mut changes = String::new();
        for result in results.chars() {
            let changed = state.record(if result == '+' {
                Ok(())
            } else {
                Err(Reason::from(result.to_string()))
            });
            changes.push(if changed { '!' } else { '.' });
        }
        let verdict = match state.verdict() {
            CheckVerdict::Unknown => "unknown".to_owned(),
            CheckVerdict::Passing => "passing".to_owned(),
            CheckVerdict::Failing { reason } => format!("failing {reason}"),
        };
        (changes, verdict)
    }

    #[test]
    fn a_verdict_changes_when_a_threshold_is_reached_in_a_row() {
        for (failures, successes, results, changes, verdict) in [
            (3, 1, "", "", "unknown"),
            (3, 1, "+", "!", "passing"),
            (3, 1, "a", ".", "unknown"),
            (3, 1, "ab", "..", "unknown"),
            (3, 1, "abc", "..!", "failing c"),
            (3, 1, "ab+ab", "..!..", "passing"),
            (3, 1, "+++", "!..", "passing"),
            (3, 1, "+abc", "!..!", "failing c"),
            (3, 1, "abc+", "..!!", "passing"),
            (1, 1, "a+b", "!!!", "failing b"),
            (1, 3, "++", "..", "unknown"),
            (1, 3, "+++", "..!", "passing"),
            (1, 3, "a++", "!..", "failing a"),
            (1, 3, "a+++", "!..!", "passing"),
            (2, 2, "a+b+", "....", "unknown"),
        ] {
            assert_eq!(
                after(state(failures, successes), results),
                (changes.to_owned(), verdict.to_owned()),
                "{failures} {successes} {results:?}"
            );
        }
    }

    #[test]
    fn a_failing_check_gives_its_latest_reason_even_after_a_success_that_did_not_count() {
        for (results, verdict) in [("abcd", "failing d"), ("abc+d", "failing d")] {
            assert_eq!(after(state(3, 2), results).1, verdict, "{results}");
        }
    }

    #[test]
    fn what_keeps_a_check_from_passing_is_said() {
        for (results, complaint) in [
            (&[][..], Some("not checked yet")),
            (&[Err("a")], Some("failed 1 of 2 times: a")),
            (&[Err("a"), Ok(())], Some("passed 1 of 2 times")),
            (&[Err("a"), Err("b")], Some("b")),
            (&[Ok(()), Ok(())], None),
            (&[Ok(()), Ok(()), Err("a")], None),
        ] {
            let mut state = state(2, 2);
            for result in results {
                state.record(result.map_err(Reason::from));
            }
            assert_eq!(state.complaint().as_deref(), complaint, "{results:?}");
        }
    }
}
