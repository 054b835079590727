//! Waits that end.

use std::time::Duration;

use tokio::time::timeout;

/// Far beyond what anything here takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// Waits for `future`, and panics with `what` where it takes for ever.
pub(crate) async fn within<F: Future>(what: &str, future: F) -> F::Output {
    timeout(LIMIT, future)
        .await
        .unwrap_or_else(|_elapsed| panic!("no end in {LIMIT:?}: {what}"))
}

/// Waits until `holds` says yes, looking again after everybody else had a turn.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let looking = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    within(what, looking).await;
}
