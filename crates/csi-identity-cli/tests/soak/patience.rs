//! Waits that end.

use std::time::Duration;

/// As long as a busy machine may take for what should take milliseconds.
const LIMIT: Duration = Duration::from_secs(20);

/// Waits for what has to come.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(LIMIT, future).await {
        Ok(done) => done,
        Err(_elapsed) => panic!("not within {LIMIT:?}: {what}"),
    }
}

/// Waits until something is so that sends no event.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    within(what, waiting).await;
}
