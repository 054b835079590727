use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
#[derive(Clone, Debug)]
pub struct ReadinessHandle(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    readiness: watch::Sender<Readiness>,
    /// Written and read under the lock of `readiness`, so that nothing slips in after the stop.
    stopping: AtomicBool,
    policy: ReadinessPolicy,
    created: Instant,
}

impl ReadinessHandle {
    /// A plugin that is starting; its start-up limit counts from now.
    pub fn new(policy: ReadinessPolicy) -> Self {
        Self(Arc::new(Shared {
            readiness: watch::Sender::new(Readiness::starting("the plugin has not reported yet")),
            stopping: AtomicBool::new(false),
            policy,
            created: Instant::now(),
        }))
    }

    /// Reports what the plugin is now. A change is logged once; the same again is not.
    ///
    /// Once the plugin is being stopped it stays not ready, whatever is reported.
    pub fn set(&self, readiness: Readiness) {
        self.0.replace(readiness, false);
    }

    /// What was reported last.
    pub fn current(&self) -> Readiness {
        self.0.readiness.borrow().clone()
    }

    /// What a Probe is answered now.
    pub fn probe(&self) -> ProbeAnswer {
        self.0
            .policy
            .answer(&self.0.readiness.borrow(), self.0.created.elapsed())
    }

    /// Every change from now on.
    pub fn subscribe(&self) -> watch::Receiver<Readiness> {
        self.0.readiness.subscribe()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.0.stopping.load(Ordering::Relaxed)
    }

    /// Not ready from now on, for good.
    pub(crate) fn stop(&self) {
        self.0
            .replace(Readiness::not_ready("the plugin is stopping"), true);
    }
}

impl Shared {
    fn replace(&self, readiness: Readiness, stop: bool) {
        self.readiness.send_if_modified(|current| {
            if self.stopping.fetch_or(stop, Ordering::Relaxed) || *current == readiness {
                return false;
            }
            tracing::info!(from = %current, to = %readiness, "readiness changed");
            *current = readiness;
            true
        });
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
}
