//! Logs changes, not events: what is polled every few seconds for months must not fill a log.

use std::time::Duration;

use csi_identity::Reason;
use tokio::time::Instant;

use crate::outcome::Kind;

/// How often what stays bad is said again, and how often slowness is.
const SUMMARY_INTERVAL: Duration = Duration::from_secs(60);

/// How many changes are logged in one [`SUMMARY_INTERVAL`]. A plugin that comes and goes with each Probe has more; then the
/// last state is logged when there is room again.
const CHANGES_PER_INTERVAL: u32 = 6;

/// Decides which Probes are worth a line.
#[derive(Debug)]
pub(crate) struct ChangeLog {
    /// What the log says of the plugin.
    logged: Option<Kind>,
    /// Failures in a row, and since when.
    failing: Option<(Instant, u64)>,
    /// Failures that no line has told of, and since when they are counted.
    untold: u64,
    counted_since: Instant,
    changes: u32,
    changes_since: Instant,
    last_slow: Option<Instant>,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Something else than before is wrong, or has begun to be.
    Failing { reason: Reason },
    /// The same is still wrong.
    StillFailing {
        count: u64,
        over: Duration,
        last: Reason,
    },
    /// It is well again.
    Recovered { after: Duration, failures: u64 },
    /// It answers, but needs long.
    Slow { took: Duration, limit: Duration },
}

impl ChangeLog {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            logged: None,
            failing: None,
            untold: 0,
            counted_since: now,
            changes: 0,
            changes_since: now,
            last_slow: None,
        }
    }

    /// Takes note of a Probe that was answered well.
    pub(crate) fn good(&mut self, now: Instant, took: Duration, limit: Duration) -> Option<Line> {
        let failing = self.failing.take();
        if matches!(self.logged, None | Some(Kind::Ready)) {
            self.logged = Some(Kind::Ready);
            self.untold = 0;
            return self.slow(now, took, limit);
        }
        // What ended before there was room to say so began at the last line.
        let (since, failures) = failing.unwrap_or((self.counted_since, self.untold));
        self.change(now, Kind::Ready).then(|| Line::Recovered {
            after: now.duration_since(since),
            failures,
        })
    }

    /// Takes note of a Probe that was not.
    pub(crate) fn bad(
        &mut self,
        now: Instant,
        kind: Kind,
        reason: impl FnOnce() -> Reason,
    ) -> Option<Line> {
        let (_, failures) = self.failing.get_or_insert((now, 0));
        *failures += 1;
        self.untold += 1;
        if self.logged != Some(kind) {
            return self
                .change(now, kind)
                .then(|| Line::Failing { reason: reason() });
        }
        let over = now.duration_since(self.counted_since);
        if over < SUMMARY_INTERVAL {
            return None;
        }
        let count = std::mem::take(&mut self.untold);
        self.counted_since = now;
        let last = reason();
        Some(Line::StillFailing { count, over, last })
    }

    /// Says whether there is room for the line of a change.
    fn change(&mut self, now: Instant, kind: Kind) -> bool {
        if now.duration_since(self.changes_since) >= SUMMARY_INTERVAL {
            self.changes_since = now;
            self.changes = 0;
        }
        if self.changes == CHANGES_PER_INTERVAL {
            return false;
        }
        self.changes += 1;
        self.logged = Some(kind);
        self.untold = 0;
        self.counted_since = now;
        true
    }

    fn slow(&mut self, now: Instant, took: Duration, limit: Duration) -> Option<Line> {
        let is_recent = |last| now.duration_since(last) < SUMMARY_INTERVAL;
        if took <= limit / 2 || self.last_slow.is_some_and(is_recent) {
            return None;
        }
        self.last_slow = Some(now);
        Some(Line::Slow { took, limit })
    }
}

impl Line {
    pub(crate) fn log(&self) {
        match self {
            Self::Failing { reason } => tracing::warn!(%reason, "Probe of the plugin failed"),
            Self::StillFailing { count, over, last } => tracing::warn!(
                reason = %last,
                "{count} failed Probes of the plugin in the last {} s",
                over.as_secs()
            ),
            Self::Recovered { after, failures } => tracing::info!(
                "the plugin is well again after {failures} failed Probes in {:.1} s",
                after.as_secs_f64()
            ),
            Self::Slow { took, limit } => {
                tracing::warn!("Probe took {took:.1?}, more than half of the {limit:?} allowed");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(3);
    const QUICK: Duration = Duration::from_millis(1);

    /// Feeds a log a Probe a second, `true` being a good one, and collects its lines with their seconds.
    fn lines(probes: impl IntoIterator<Item = Result<(), Kind>>) -> Vec<(usize, Line)> {
        let start = Instant::now();
        let mut log = ChangeLog::new(start);
        let mut lines = Vec::new();
        for (second, probe) in probes.into_iter().enumerate() {
            let now = start + Duration::from_secs(second as u64);
            let line = match probe {
                Ok(()) => log.good(now, QUICK, LIMIT),
                Err(kind) => log.bad(now, kind, || Reason::from(format!("{kind:?} at {second}"))),
            };
            lines.extend(line.map(|line| (second, line)));
        }
        lines
    }

    fn failing(reason: &str) -> Line {
        let reason = Reason::from(reason);
        Line::Failing { reason }
    }

    #[test]
    fn a_thousand_good_probes_write_nothing() {
        assert_eq!(lines([Ok(()); 1000]), []);
    }

    #[test]
    fn what_stays_bad_is_one_line_and_a_summary_a_minute() {
        let lines = lines([Err(Kind::NoAnswer); 130]);
        let summary = |second| Line::StillFailing {
            count: 60,
            over: Duration::from_secs(60),
            last: Reason::from(format!("NoAnswer at {second}")),
        };
        assert_eq!(
            lines,
            [
                (0, failing("NoAnswer at 0")),
                (60, summary(60)),
                (120, summary(120)),
            ]
        );
    }

    #[test]
    fn another_kind_of_failure_and_the_recovery_are_one_line_each() {
        let probes = [
            Ok(()),
            Err(Kind::Unreachable),
            Err(Kind::Unreachable),
            Err(Kind::NotReady),
            Ok(()),
            Ok(()),
        ];
        let recovered = Line::Recovered {
            after: Duration::from_secs(3),
            failures: 3,
        };
        assert_eq!(
            lines(probes),
            [
                (1, failing("Unreachable at 1")),
                (3, failing("NotReady at 3")),
                (4, recovered),
            ]
        );
    }

    #[test]
    fn a_plugin_that_comes_and_goes_does_not_fill_the_log_and_its_last_state_is_told() {
        let flapping = (0..50).map(|second| match second % 2 {
            0 => Err(Kind::Unreachable),
            _ => Ok(()),
        });
        let steady = [Ok(()); 30];
        let lines = lines(flapping.chain(steady));
        assert_eq!(lines.len(), 6, "{lines:?}");
        assert!(matches!(lines[5], (5, Line::Recovered { .. })), "{lines:?}");

        let broken = [Err(Kind::Unreachable); 30];
        let flapping = (0..51).map(|second| match second % 2 {
            0 => Err(Kind::Unreachable),
            _ => Ok(()),
        });
        let lines = super::tests::lines(flapping.chain(broken));
        assert_eq!(lines[6..], [(60, failing("Unreachable at 60"))]);
    }

    #[test]
    fn slowness_is_told_once_a_minute_and_only_over_half_the_limit() {
        let start = Instant::now();
        let mut log = ChangeLog::new(start);
        let mut at = |second, took| log.good(start + Duration::from_secs(second), took, LIMIT);
        let slow = Duration::from_millis(1501);
        let told = Line::Slow {
            took: slow,
            limit: LIMIT,
        };
        assert_eq!(at(0, LIMIT / 2), None);
        assert_eq!(at(1, slow), Some(told.clone()));
        assert_eq!(at(60, slow), None);
        assert_eq!(at(61, slow), Some(told));
    }
}
