use std::num::NonZeroU32;
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// The time in which a kubelet looks around, redials and backs off.
///
/// Only these waits follow it. What others may take, an answer to an RPC for instance, is measured in real time, so that a
/// test in a hurry does not fail on a busy machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    factor: NonZeroU32,
}

impl Clock {
    /// As it is: a kubelet looks once a second, and backs off up to two minutes.
    #[must_use]
    pub const fn real() -> Self {
        Self {
            factor: NonZeroU32::MIN,
        }
    }

    /// So many times faster, for tests.
    #[must_use]
    pub const fn hurried(factor: NonZeroU32) -> Self {
        Self { factor }
    }

    /// The same clock, at zero now.
    #[must_use]
    pub fn start(self) -> RunningClock {
        RunningClock {
            factor: self.factor.get(),
            begun: Instant::now(),
        }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::real()
    }
}

/// A clock that shows how long it has been running.
#[derive(Clone, Copy, Debug)]
pub struct RunningClock {
    factor: u32,
    begun: Instant,
}

impl RunningClock {
    /// How long it has been running.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.begun.elapsed() * self.factor
    }

    /// Waits for so long by this clock.
    pub async fn sleep(&self, duration: Duration) {
        sleep(duration / self.factor).await;
    }

    /// Waits until it shows this; not at all if it does already.
    pub async fn sleep_until(&self, moment: Duration) {
        self.sleep(moment.saturating_sub(self.now())).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_hurried_clock_shows_and_waits_by_its_own_time() {
        let hundredfold = Clock::hurried(NonZeroU32::new(100).unwrap()).start();
        let real = Clock::real().start();
        hundredfold.sleep(Duration::from_secs(120)).await;
        assert_eq!(hundredfold.now(), Duration::from_secs(120));
        assert_eq!(real.now(), Duration::from_millis(1200));
        hundredfold.sleep_until(Duration::from_secs(60)).await;
        assert_eq!(real.now(), Duration::from_millis(1200));
    }
}
