//! Checks that run for the length of a test.

use std::convert::Infallible;
use std::time::Duration;

use csi_identity::{Check, CheckPolicy, CheckTarget, Checks, Readiness, ReadinessHandle};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Longer than anything here takes where all is well.
const LIMIT: Duration = Duration::from_secs(20);

/// For targets that answer at once: time enough on a slow machine, and one run.
pub(crate) const PATIENT: CheckPolicy = CheckPolicy {
    interval: Duration::from_secs(20),
    timeout: Duration::from_secs(20),
    failure_threshold: 1,
    success_threshold: 1,
    on_failure: csi_identity::OnFailure::Error,
};

/// For targets that hang or change.
pub(crate) const QUICK: CheckPolicy = CheckPolicy {
    interval: Duration::from_millis(50),
    timeout: Duration::from_millis(50),
    ..PATIENT
};

/// For targets that answer at once, and more than once.
pub(crate) const STEADY: CheckPolicy = CheckPolicy {
    interval: Duration::from_millis(500),
    timeout: Duration::from_millis(500),
    ..PATIENT
};

pub(crate) struct Watched {
    changes: watch::Receiver<Readiness>,
    task: JoinHandle<Infallible>,
}

impl Watched {
    pub(crate) fn start(checks: Vec<Check>) -> Self {
        let readiness = ReadinessHandle::default();
        let changes = readiness.subscribe();
        let task = tokio::spawn(Checks::new(checks).unwrap().run(readiness));
        Self { changes, task }
    }

    /// One check, whose name is `x`.
    pub(crate) fn one(target: CheckTarget, policy: CheckPolicy) -> Self {
        Self::start(vec![check("x", target, policy)])
    }

    /// Waits for a readiness that is as it should be.
    pub(crate) async fn until(&mut self, is_right: impl FnMut(&Readiness) -> bool) -> Readiness {
        if let Ok(found) = timeout(LIMIT, self.changes.wait_for(is_right)).await {
            return found.unwrap().clone();
        }
        panic!("still {}", *self.changes.borrow())
    }

    pub(crate) async fn until_is(&mut self, expected: &Readiness) {
        self.until(|readiness| readiness == expected).await;
    }

    pub(crate) async fn until_reason(&mut self, expected: &str) {
        self.until(|readiness| {
            readiness
                .reason()
                .is_some_and(|reason| reason.as_str() == expected)
        })
        .await;
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub(crate) fn check(name: &str, target: CheckTarget, policy: CheckPolicy) -> Check {
    Check::new(name.parse().unwrap(), target, policy).unwrap()
}

/// What the first run of a check finds: nothing, or what is wrong.
pub(crate) async fn complaint(target: CheckTarget, policy: CheckPolicy) -> Option<String> {
    let mut watched = Watched::one(target, policy);
    let first = watched
        .until(|readiness| match readiness {
            Readiness::Ready => true,
            // The first value of all is that of the handle.
            Readiness::Starting { reason } => {
                reason.as_str().starts_with("x: ") && reason.as_str() != "x: not checked yet"
            }
            Readiness::NotReady { .. } => panic!("{readiness} before it was ready"),
        })
        .await;
    let reason = first.reason()?.as_str();
    Some(reason.strip_prefix("x: ").unwrap().to_owned())
}

/// Waits for something that is bound to happen.
pub(crate) async fn bounded<T>(future: impl Future<Output = T>) -> T {
    timeout(LIMIT, future).await.unwrap()
}

/// Waits for a call that blocks.
///
/// Not on a thread of the runtime, which would wait for it after a test that failed.
pub(crate) async fn on_a_thread<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = oneshot::channel();
    std::thread::spawn(move || drop(sender.send(call())));
    bounded(receiver).await.unwrap()
}
