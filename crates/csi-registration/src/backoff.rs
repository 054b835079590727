//! How long to wait before the same is tried once more.

use std::time::Duration;

/// Pauses that double from a first to a longest one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    first: Duration,
    longest: Duration,
    next: Duration,
}

impl Backoff {
    pub(crate) const fn new(first: Duration, longest: Duration) -> Self {
        Self {
            first,
            longest,
            next: first,
        }
    }

    /// The next pause.
    pub(crate) fn pause(&mut self) -> Duration {
        let pause = self.next;
        self.next = self.longest.min(pause * 2);
        pause
    }

    /// From the first pause again.
    pub(crate) fn reset(&mut self) {
        self.next = self.first;
    }
}

/// The pause shortened by up to a quarter, so that all nodes of a cluster do not come at the same moment.
pub(crate) fn with_jitter(pause: Duration) -> Duration {
    pause.mul_f64(1.0 - fastrand::f64() / 4.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_begin_anew_after_a_reset() {
        let mut backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(120));
        let pauses: Vec<_> = (0..10).map(|_| backoff.pause().as_secs_f64()).collect();
        assert_eq!(
            pauses,
            [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 120.0, 120.0]
        );
        backoff.reset();
        assert_eq!(backoff.pause(), Duration::from_millis(500));
    }

    #[test]
    fn jitter_takes_away_at_most_a_quarter() {
        let pauses: Vec<_> = (0..1000)
            .map(|_| with_jitter(Duration::from_secs(4)))
            .collect();
        let bounds = Duration::from_secs(3)..=Duration::from_secs(4);
        assert!(pauses.iter().all(|pause| bounds.contains(pause)));
        assert!(pauses.iter().any(|pause| *pause != pauses[0]));
    }
}
