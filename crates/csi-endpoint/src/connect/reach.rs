//! Trying until it works or the time is up.

use std::{future::Future, time::Duration};

use tokio::time::{Instant, timeout_at};

use super::{ConnectError, ConnectOptions};
use crate::{Endpoint, SocketWatch};

/// The first pause before another try at a socket that is there but not good, doubled each time.
///
/// A server that binds its path directly shows the file a moment before it listens, and no event tells of the latter.
const FIRST_PAUSE: Duration = Duration::from_millis(1);

/// The longest such pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// Tries until it works or the time is up. Without a watch to go by it makes one of its own.
pub(super) async fn reach<T>(
    endpoint: &Endpoint,
    options: &ConnectOptions,
    watch: Option<&mut SocketWatch>,
    mut attempt: impl FnMut() -> T,
    mut report: impl FnMut(&ConnectError),
) -> Result<(), ConnectError>
where
    T: Future<Output = Result<(), ConnectError>>,
{
    // None where the sum is beyond what a clock can say, which is as good as never.
    let deadline = Instant::now().checked_add(options.wait);
    let mut reason = match attempt().await {
        Err(error) if !options.wait.is_zero() => error,
        done => return done,
    };
    report(&reason);
    let mut own = None;
    let watch = match watch {
        Some(watch) => watch,
        None => own.insert(SocketWatch::new(endpoint.clone(), options.watch.clone())),
    };
    let mut pause = FIRST_PAUSE;
    loop {
        let is_last = deadline.is_some_and(|deadline| deadline <= Instant::now());
        let error = match attempt().await {
            Err(error) if !is_last => error,
            done => {
                // Closing inotify takes the kernel 10 to 25 ms now and then, and the connection is there.
                if let Some(own) = own {
                    drop(tokio::task::spawn_blocking(move || drop(own)));
                }
                return done;
            }
        };
        if error.to_string() != reason.to_string() {
            report(&error);
        }
        reason = error;
        let retry = (!reason.is_about_files()).then(|| Instant::now() + pause);
        // A watch that was lent may trust for longer that no event means no change.
        let safety = Instant::now().checked_add(options.watch.safety_poll);
        let until = retry.into_iter().chain(safety).chain(deadline).min();
        let changed = match until {
            Some(until) => timeout_at(until, watch.changed()).await.is_ok(),
            None => {
                watch.changed().await;
                true
            }
        };
        pause = if changed && !watch.is_polling() {
            FIRST_PAUSE
        } else {
            LONGEST_PAUSE.min(pause * 2)
        };
    }
}
