//! The time that all of it may take.

use std::time::Duration;

use tokio::time::Instant;

/// The longest that one call is waited for: more than any caller here grants Identity's calls.
const CALL_LIMIT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Budget {
    ends: Option<Instant>,
    call_limit: Duration,
    left_out: Vec<&'static str>,
}

impl Budget {
    pub(super) fn new(all: Duration) -> Self {
        Self {
            ends: Instant::now().checked_add(all),
            call_limit: CALL_LIMIT.min(all / 2),
            left_out: Vec::new(),
        }
    }

    /// How long one call may take.
    pub(super) fn call_limit(&self) -> Duration {
        self.call_limit
    }

    /// How long is left.
    pub(super) fn left(&self) -> Duration {
        self.ends.map_or(Duration::MAX, |ends| {
            ends.saturating_duration_since(Instant::now())
        })
    }

    /// Whether a step that makes one slow call still fits; what does not is left out whole, so that nobody is judged by a call
    /// that was cut short.
    pub(super) fn allows(&mut self, step: &'static str) -> bool {
        let fits = self.left() >= self.call_limit;
        if !fits && !self.left_out.contains(&step) {
            self.left_out.push(step);
        }
        fits
    }

    pub(super) fn left_out(&self) -> Vec<&'static str> {
        self.left_out.clone()
    }
}
