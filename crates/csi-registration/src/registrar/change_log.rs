//! Telling of changes, but not of thousands of them.

use std::time::Duration;

use tokio::time::Instant;

/// How many changes within [`WINDOW`] are told one by one.
const MAX_LINES: u64 = 20;

const WINDOW: Duration = Duration::from_secs(60);

/// Tells of changes of state, the first ones of each minute line by line and the rest as a number.
#[derive(Debug)]
pub(super) struct ChangeLog {
    begun: Instant,
    told: u64,
    left_out: u64,
}

impl ChangeLog {
    pub(super) fn new() -> Self {
        Self {
            begun: Instant::now(),
            told: 0,
            left_out: 0,
        }
    }

    /// Whether a change is to be told now; tells of the ones before that were not.
    pub(super) fn is_due(&mut self) -> bool {
        self.sum_up();
        if self.told < MAX_LINES {
            self.told += 1;
            return true;
        }
        self.left_out += 1;
        false
    }

    /// Tells how many changes were left out, once their minute is over.
    pub(super) fn sum_up(&mut self) {
        if self.begun.elapsed() < WINDOW {
            return;
        }
        if self.left_out > 0 {
            tracing::warn!(
                changes = self.left_out,
                "more changes of the registration than were told within a minute"
            );
        }
        *self = Self::new();
    }

    /// When there is something to be summed up.
    pub(super) fn due(&self) -> Option<Instant> {
        (self.left_out > 0).then(|| self.begun + WINDOW)
    }
}

/// Logs at one of two levels.
pub(super) fn tell(problem: bool, state: &str, reason: &str) {
    if problem {
        tracing::warn!(state, reason, "registration");
    } else {
        tracing::info!(state, reason, "registration");
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn told(log: &mut ChangeLog, changes: usize) -> usize {
        (0..changes).filter(|_| log.is_due()).count()
    }

    #[tokio::test(start_paused = true)]
    async fn twenty_changes_a_minute_are_told_and_the_rest_is_a_number() {
        let mut log = ChangeLog::new();
        assert_eq!(told(&mut log, 20), 20);
        assert_eq!(log.due(), None);
        assert_eq!(told(&mut log, 5), 0);
        assert_eq!(log.left_out, 5);
        assert_eq!(log.due(), Some(log.begun + WINDOW));

        advance(WINDOW - Duration::from_millis(1)).await;
        assert_eq!(told(&mut log, 1), 0);
        advance(Duration::from_millis(1)).await;
        // Summing up begins another minute.
        log.sum_up();
        assert_eq!((log.left_out, log.due()), (0, None));
        assert_eq!(told(&mut log, 21), 20);
    }

    #[tokio::test(start_paused = true)]
    async fn a_quiet_minute_has_nothing_to_sum_up() {
        let mut log = ChangeLog::new();
        assert_eq!(told(&mut log, 3), 3);
        advance(10 * WINDOW).await;
        assert_eq!(log.due(), None);
        assert_eq!(told(&mut log, 20), 20);
    }
}
