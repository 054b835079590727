use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context as _;
use csi_identity::{CallError, code_name};
use hdrhistogram::Histogram;

/// Longer latencies count as this one.
pub(super) const LONGEST: Duration = Duration::from_secs(60);

/// Digits of a latency that are kept.
const DIGITS: u8 = 3;

/// What became of calls, and how long they took. Its size does not depend on their number.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    outcomes: BTreeMap<Outcome, u64>,
    /// In nanoseconds.
    latencies: Histogram<u64>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    Ok,
    /// The plugin's own error, by the name of its code.
    Error(&'static str),
    TimedOut,
    ConnectionFailed,
}

impl Outcome {
    pub(super) fn of(answer: &Result<(), CallError>) -> Self {
        match answer {
            Ok(()) => Self::Ok,
            Err(CallError::Answered(status)) => Self::Error(code_name(status.code())),
            Err(CallError::TimedOut { .. }) => Self::TimedOut,
            // Whatever else there may be one day is no answer either.
            Err(_) => Self::ConnectionFailed,
        }
    }

    /// The name of the gRPC code; in small letters what is none.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Error(code) => code,
            Self::TimedOut => "timed_out",
            Self::ConnectionFailed => "connection_failed",
        }
    }
}

impl Tally {
    pub(super) fn new() -> anyhow::Result<Self> {
        let longest = u64::try_from(LONGEST.as_nanos())?;
        let latencies = Histogram::new_with_bounds(1, longest, DIGITS)
            .context("cannot make a histogram of latencies")?;
        Ok(Self {
            outcomes: BTreeMap::new(),
            latencies,
        })
    }

    pub(super) fn count(&mut self, outcome: Outcome, latency: Duration) {
        *self.outcomes.entry(outcome).or_default() += 1;
        // How soon a connection fails says nothing of how soon the plugin answers.
        if outcome != Outcome::ConnectionFailed {
            let nanoseconds = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
            self.latencies.saturating_record(nanoseconds);
        }
    }

    pub(super) fn add(&mut self, other: &Self) -> anyhow::Result<()> {
        for (outcome, calls) in &other.outcomes {
            *self.outcomes.entry(*outcome).or_default() += calls;
        }
        self.latencies
            .add(&other.latencies)
            .context("cannot add up latencies")
    }

    pub(super) fn outcomes(&self) -> impl Iterator<Item = (Outcome, u64)> {
        self.outcomes
            .iter()
            .map(|(&outcome, &calls)| (outcome, calls))
    }

    pub(super) fn calls(&self) -> u64 {
        self.outcomes.values().sum()
    }

    pub(super) fn failed_calls(&self) -> u64 {
        self.calls() - self.outcomes.get(&Outcome::Ok).copied().unwrap_or(0)
    }

    /// Calls to which the plugin said something.
    pub(super) fn answered_calls(&self) -> u64 {
        let answered = |&(outcome, _): &(Outcome, u64)| match outcome {
            Outcome::Ok | Outcome::Error(_) => true,
            Outcome::TimedOut | Outcome::ConnectionFailed => false,
        };
        self.outcomes()
            .filter(answered)
            .map(|(_, calls)| calls)
            .sum()
    }

    /// The time in which this share of the calls was done; none where there is no latency at all.
    pub(super) fn quantile(&self, share: f64) -> Option<Duration> {
        let of = || Duration::from_nanos(self.latencies.value_at_quantile(share));
        (!self.latencies.is_empty()).then(of)
    }

    pub(super) fn longest(&self) -> Option<Duration> {
        let longest = || Duration::from_nanos(self.latencies.max());
        (!self.latencies.is_empty()).then(longest)
    }

    pub(super) fn mean(&self) -> Option<Duration> {
        let mean = || Duration::from_secs_f64(self.latencies.mean() / 1e9);
        (!self.latencies.is_empty()).then(mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(calls: &[(Outcome, u64)]) -> Tally {
        let mut tally = Tally::new().unwrap();
        for &(outcome, milliseconds) in calls {
            tally.count(outcome, Duration::from_millis(milliseconds));
        }
        tally
    }

    /// Whether a latency is this one, to three digits.
    fn is_about(latency: Option<Duration>, milliseconds: u64) -> bool {
        let expected = Duration::from_millis(milliseconds);
        latency.is_some_and(|latency| latency.abs_diff(expected) <= expected / 1000)
    }

    #[test]
    fn every_call_is_counted_under_what_became_of_it() {
        let tally = tally(&[
            (Outcome::ConnectionFailed, 1),
            (Outcome::TimedOut, 3000),
            (Outcome::Error("UNKNOWN"), 1),
            (Outcome::Error("ABORTED"), 1),
            (Outcome::Ok, 1),
            (Outcome::Ok, 1),
        ]);
        let outcomes: Vec<_> = tally
            .outcomes()
            .map(|(outcome, calls)| (outcome.name(), calls))
            .collect();
        let expected = [
            ("OK", 2),
            ("ABORTED", 1),
            ("UNKNOWN", 1),
            ("timed_out", 1),
            ("connection_failed", 1),
        ];
        assert_eq!(outcomes, expected);
        assert_eq!(
            (tally.calls(), tally.failed_calls(), tally.answered_calls()),
            (6, 4, 4)
        );
    }

    #[test]
    fn latencies_are_exact_to_three_digits() {
        let calls: Vec<_> = (1..=1000).map(|ms| (Outcome::Ok, ms)).collect();
        let tally = tally(&calls);
        for (share, milliseconds) in [(0.5, 500), (0.9, 900), (0.99, 990), (0.999, 999)] {
            let latency = tally.quantile(share);
            assert!(is_about(latency, milliseconds), "{share}: {latency:?}");
        }
        assert!(is_about(tally.longest(), 1000), "{:?}", tally.longest());
        let mean = tally.mean().unwrap();
        assert!(mean.abs_diff(Duration::from_micros(500_500)) < Duration::from_micros(500));
    }

    #[test]
    fn a_call_that_timed_out_has_a_latency_and_one_without_a_connection_has_none() {
        let timed_out = tally(&[(Outcome::TimedOut, 3000)]);
        assert!(is_about(timed_out.quantile(0.5), 3000));
        let failed = tally(&[(Outcome::ConnectionFailed, 1)]);
        assert_eq!(
            (failed.quantile(0.5), failed.longest(), failed.mean()),
            (None, None, None)
        );
    }

    #[test]
    fn what_is_longer_than_the_longest_counts_as_that() {
        let tally = tally(&[(Outcome::TimedOut, 70_000)]);
        assert!(is_about(tally.longest(), 60_000), "{:?}", tally.longest());
    }

    #[test]
    fn tallies_add_up() {
        let mut sum = tally(&[(Outcome::Ok, 1), (Outcome::TimedOut, 9)]);
        sum.add(&tally(&[(Outcome::Ok, 5), (Outcome::Ok, 7)]))
            .unwrap();
        let outcomes: Vec<_> = sum.outcomes().collect();
        assert_eq!(outcomes, [(Outcome::Ok, 3), (Outcome::TimedOut, 1)]);
        assert!(is_about(sum.quantile(0.5), 5), "{:?}", sum.quantile(0.5));
        assert!(is_about(sum.longest(), 9));
    }
}
