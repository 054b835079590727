use std::time::Duration;

/// As long as a busy machine may take for what should take milliseconds.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);

/// Waits for what has to come.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(LIMIT, future).await {
        Ok(done) => done,
        Err(_elapsed) => panic!("not within {LIMIT:?}: {what}"),
    }
}
