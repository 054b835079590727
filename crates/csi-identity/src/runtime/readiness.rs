use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::watch;

use crate::{ProbeAnswer, Readiness, ReadinessPolicy};

/// A plugin's readiness as it changes; cheap to clone, every clone is the same.
///
/// It begins as [`Readiness::Starting`]. Whoever knows better says so, from any thread; Probe, the gate and grpc.health.v1
/// read it from memory.
///
/// ```
/// use csi_identity::{ProbeAnswer, Readiness, ReadinessHandle};
///
/// let readiness = ReadinessHandle::default();
/// assert_eq!(readiness.probe(), ProbeAnswer::Ready(false));
///
/// readiness.set(Readiness::Ready);
/// assert_eq!(readiness.probe(), ProbeAnswer::Ready(true));
///
/// readiness.set(Readiness::not_ready("array does not answer"));
/// let message = "NOT_READY: array does not answer".to_owned();
/// assert_eq!(readiness.probe(), ProbeAnswer::Failed { message });
/// ```
///
/// # With checks
///
/// Where [`Checks`](crate::Checks) run beside the plugin, the worse counts of what they find and what was set by hand, in
/// whatever order they come: not ready is worse than starting, and that is worse than ready. A plugin that never sets
/// anything by hand is as ready as its checks say; one that does has to set [`Readiness::Ready`] some time too.
#[derive(Clone, Debug)]
pub struct ReadinessHandle(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    readiness: watch::Sender<Readiness>,
    /// What `readiness` is made of; locked before it.
    reports: Mutex<Reports>,
    /// Written and read under the lock of `readiness`.
    been_ready: AtomicBool,
    policy: ReadinessPolicy,
    created: Instant,
}

/// What was said of the plugin last, by each who says something.
#[derive(Debug, Default)]
struct Reports {
    by_hand: Option<Readiness>,
    by_checks: Option<Readiness>,
    stopping: bool,
}

impl ReadinessHandle {
    /// A plugin that is starting; its start-up limit counts from now.
    pub fn new(policy: ReadinessPolicy) -> Self {
        Self(Arc::new(Shared {
            readiness: watch::Sender::new(Reports::default().readiness(false)),
            reports: Mutex::default(),
            been_ready: AtomicBool::new(false),
            policy,
            created: Instant::now(),
        }))
    }

    /// Reports what the plugin is now. A change is logged once; the same again is not.
    ///
    /// Once the plugin is being stopped it stays not ready, whatever is reported. Where it has checks, what they find counts
    /// too; see [With checks](Self#with-checks).
    pub fn set(&self, readiness: Readiness) {
        self.0.update(|reports| reports.by_hand = Some(readiness));
    }

    /// What the plugin is, by what was reported last.
    pub fn current(&self) -> Readiness {
        self.0.readiness.borrow().clone()
    }

    /// What a Probe is answered now.
    ///
    /// The policy for the time of starting holds until the plugin was ready for the first time. From then on one that is
    /// starting again answers `ready=false`.
    pub fn probe(&self) -> ProbeAnswer {
        let readiness = self.0.readiness.borrow();
        let policy = if self.0.been_ready.load(Ordering::Relaxed) {
            ReadinessPolicy::default()
        } else {
            self.0.policy
        };
        policy.answer(&readiness, self.0.created.elapsed())
    }

    /// Every change from now on.
    pub fn subscribe(&self) -> watch::Receiver<Readiness> {
        self.0.readiness.subscribe()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.0.reports().stopping
    }

    /// Reports what the checks of the plugin found.
    pub(crate) fn set_by_checks(&self, readiness: Readiness) {
        self.0.update(|reports| reports.by_checks = Some(readiness));
    }

    /// Not ready from now on, for good.
    pub(crate) fn stop(&self) {
        self.0.update(|reports| reports.stopping = true);
    }
}

impl Shared {
    fn reports(&self) -> MutexGuard<'_, Reports> {
        // Nothing is left half done by a panic: each report is replaced whole.
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, change: impl FnOnce(&mut Reports)) {
        let mut reports = self.reports();
        change(&mut reports);
        let mut changed = None;
        self.readiness.send_if_modified(|current| {
            let readiness = reports.readiness(self.been_ready.load(Ordering::Relaxed));
            self.been_ready
                .fetch_or(readiness.is_ready(), Ordering::Relaxed);
            if *current == readiness {
                return false;
            }
            changed = Some((mem::replace(current, readiness.clone()), readiness));
            true
        });
        // Not under the lock of `readiness`: a log that blocks shall not make Probe wait.
        if let Some((from, to)) = changed {
            // A check that goes on failing may give another reason each time.
            if mem::discriminant(&from) == mem::discriminant(&to) {
                tracing::debug!(%from, %to, "reason changed");
            } else {
                tracing::info!(%from, %to, "readiness changed");
            }
        }
    }
}

impl Reports {
    /// What they add up to.
    fn readiness(&self, been_ready: bool) -> Readiness {
        if self.stopping {
            return Readiness::not_ready("the plugin is stopping");
        }
        let by_checks = self.by_checks.clone().map(|found| match found {
            // All checks passed once, but the plugin was not ready then: callers still wait for it.
            Readiness::NotReady { reason } if !been_ready => Readiness::Starting { reason },
            found => found,
        });
        match (self.by_hand.clone(), by_checks) {
            (None, None) => Readiness::starting("the plugin has not reported yet"),
            (Some(readiness), None) | (None, Some(readiness)) => readiness,
            (Some(by_hand), Some(by_checks)) => {
                if badness(&by_checks) > badness(&by_hand) {
                    by_checks
                } else {
                    by_hand
                }
            }
        }
    }
}

fn badness(readiness: &Readiness) -> u8 {
    match readiness {
        Readiness::Ready => 0,
        Readiness::Starting { .. } => 1,
        Readiness::NotReady { .. } => 2,
    }
}

impl Default for ReadinessHandle {
    /// A plugin that is starting, without a start-up limit.
    fn default() -> Self {
        Self::new(ReadinessPolicy::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WhileStarting;

    #[test]
    fn a_clone_sees_what_the_other_reports() {
        let readiness = ReadinessHandle::default();
        let other = readiness.clone();
        other.set(Readiness::Ready);
        assert_eq!(readiness.current(), Readiness::Ready);
    }

    #[test]
    fn subscribers_hear_of_changes_and_of_nothing_else() {
        let readiness = ReadinessHandle::default();
        let mut changes = readiness.subscribe();
        readiness.set(readiness.current());
        assert!(
            !changes.has_changed().unwrap(),
            "the same again is no change"
        );
        readiness.set(Readiness::Ready);
        assert!(changes.has_changed().unwrap());
        assert_eq!(*changes.borrow_and_update(), Readiness::Ready);
    }

    #[test]
    fn a_stopping_plugin_stays_not_ready() {
        let readiness = ReadinessHandle::default();
        readiness.set(Readiness::Ready);
        readiness.stop();
        readiness.set(Readiness::Ready);
        let message = "NOT_READY: the plugin is stopping".to_owned();
        assert_eq!(readiness.probe(), ProbeAnswer::Failed { message });
    }

    #[test]
    fn the_worse_counts_of_what_checks_find_and_what_is_set_by_hand_in_any_order() {
        let (ready, waits, bad) = (
            Readiness::Ready,
            |by: &str| Readiness::starting(by),
            |by: &str| Readiness::not_ready(by),
        );
        for (hand, checks, expected) in [
            (ready.clone(), ready.clone(), ready.clone()),
            (ready.clone(), waits("checks"), waits("checks")),
            (ready.clone(), bad("checks"), bad("checks")),
            (waits("hand"), ready.clone(), waits("hand")),
            (waits("hand"), waits("checks"), waits("hand")),
            (waits("hand"), bad("checks"), bad("checks")),
            (bad("hand"), ready.clone(), bad("hand")),
            (bad("hand"), waits("checks"), bad("hand")),
            (bad("hand"), bad("checks"), bad("hand")),
        ] {
            for hand_first in [true, false] {
                let readiness = ReadinessHandle::default();
                readiness.set(Readiness::Ready);
                if hand_first {
                    readiness.set(hand.clone());
                    readiness.set_by_checks(checks.clone());
                } else {
                    readiness.set_by_checks(checks.clone());
                    readiness.set(hand.clone());
                }
                assert_eq!(readiness.current(), expected, "{hand} {checks}");
            }
        }
    }

    #[test]
    fn checks_alone_make_a_plugin_ready_and_not() {
        let readiness = ReadinessHandle::default();
        for found in [Readiness::Ready, Readiness::not_ready("array: refused")] {
            readiness.set_by_checks(found.clone());
            assert_eq!(readiness.current(), found);
        }
    }

    #[test]
    fn a_failing_check_is_no_error_before_the_plugin_was_ready() {
        let readiness = ReadinessHandle::default();
        readiness.set(Readiness::starting("reading the pool"));
        readiness.set_by_checks(Readiness::Ready);
        readiness.set_by_checks(Readiness::not_ready("array: refused"));
        assert_eq!(readiness.probe(), ProbeAnswer::Ready(false));
    }

    #[test]
    fn the_policy_for_starting_ends_when_the_plugin_was_ready() {
        let policy = ReadinessPolicy {
            startup_limit: Some(std::time::Duration::ZERO),
            while_starting: WhileStarting::Error,
        };
        let readiness = ReadinessHandle::new(policy);
        let waiting = Readiness::starting("array: refused");
        readiness.set(waiting.clone());
        let message = "NOT_READY: not ready within 0ns of the start: array: refused".to_owned();
        assert_eq!(readiness.probe(), ProbeAnswer::Failed { message });
        readiness.set(Readiness::Ready);
        readiness.set(waiting);
        assert_eq!(readiness.probe(), ProbeAnswer::Ready(false));
    }
}
