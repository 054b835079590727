//! Time: waits that end, and hours that pass at once.

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

/// Lets time pass at once. The clock is not left standing: it would run ahead whenever everybody waits for a socket.
pub(crate) async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}
