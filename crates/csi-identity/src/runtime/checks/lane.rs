//! Calls that may hang in the kernel, one at a time.

use std::thread;

use tokio::sync::oneshot;

/// Where blocking calls go, one after the other, each on a thread of its own that ends with it.
///
/// The threads are not the runtime's: a runtime waits for its own when it is dropped, so a process with a call that hangs
/// would never end.
#[derive(Debug)]
pub(super) struct Lane<T> {
    /// The call on its way, if there is one; it outlives a caller that gave up.
    busy: Option<oneshot::Receiver<T>>,
}

impl<T: Send + 'static> Lane<T> {
    pub(super) fn new() -> Self {
        Self { busy: None }
    }

    /// Whether a call is on its way.
    pub(super) fn is_busy(&self) -> bool {
        self.busy.is_some()
    }

    /// Waits until the call before has returned, if its caller gave up; what it found is out of date.
    pub(super) async fn free(&mut self) {
        if let Some(earlier) = &mut self.busy {
            // An error would mean that the call panicked, and it has ended all the same.
            let _ = earlier.await;
            self.busy = None;
        }
    }

    /// Makes the call on a new thread, once the lane is free.
    pub(super) async fn call(
        &mut self,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, String> {
        self.free().await;
        let (sender, receiver) = oneshot::channel();
        thread::Builder::new()
            .name("check".to_owned())
            // Fails where nobody waits any more.
            .spawn(move || drop(sender.send(call())))
            .map_err(|error| format!("cannot start a thread: {error}"))?;
        let result = self.busy.insert(receiver).await;
        self.busy = None;
        result.map_err(|_closed| "the thread of the check panicked; this is a bug".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::Lane;

    const SHORT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn while_a_call_hangs_no_other_begins_and_then_the_lane_is_free_again() {
        let mut lane = Lane::new();
        let (release, hanging) = mpsc::channel::<()>();
        let hangs = move || {
            // Ends with the sender.
            let _ = hanging.recv();
            "first"
        };
        assert!(timeout(SHORT, lane.call(hangs)).await.is_err());
        assert!(lane.is_busy());

        let second = || panic!("begun while the first hangs");
        assert!(timeout(SHORT, lane.call(second)).await.is_err());

        drop(release);
        assert_eq!(lane.call(|| "third").await, Ok("third"));
        assert!(!lane.is_busy());
    }
}
