//! Reaching an endpoint: at once where it is up, and as soon as it is where it is late.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tonic::transport::{self, Channel};

use crate::{Authority, Endpoint, SocketWatch, WatchOptions};

mod attempt;
mod error;
mod opening;

use attempt::{Connector, attempt};
pub use error::ConnectError;
use opening::OpenedStream;

/// The first pause before another try at a socket that is there but not good, doubled each time.
///
/// A server that binds its path directly shows the file a moment before it listens, and no event tells of the latter.
const FIRST_PAUSE: Duration = Duration::from_millis(1);

/// The longest such pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// How long to try to reach an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectOptions {
    /// How long a server may take for its first HTTP/2 frame; 1 s by default.
    pub attempt_timeout: Duration,
    /// How long to wait for a server that is not there, or not good; by default not at all.
    ///
    /// The last try begins when this time is up, so a call takes at most this and `attempt_timeout` together.
    /// [`Duration::MAX`] waits for ever.
    pub wait: Duration,
    /// What the client sends as authority; `localhost` by default, which every server takes.
    ///
    /// Any other is to be like another client: many servers refuse it.
    pub authority: Authority,
    /// How changes at the path are noticed while waiting.
    pub watch: WatchOptions,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            attempt_timeout: Duration::from_secs(1),
            wait: Duration::ZERO,
            authority: Authority::Localhost,
            watch: WatchOptions::default(),
        }
    }
}

/// Connects to an endpoint.
///
/// The channel sends `localhost` as authority if no other is asked for, and is given out only when the server's first frame was an HTTP/2
/// SETTINGS frame. When it loses its connection it makes a new one for the next RPC, in the same way, with a fresh
/// look-up of the path and one try; the status of an RPC for which that failed has the [`ConnectError`] in its source
/// chain.
///
/// While it waits, changes of the file system wake it up, so a late socket is used within milliseconds. Any error is
/// worth waiting for: a socket that refuses, denies or hangs may be replaced by a good one.
///
/// ```
/// use csi_endpoint::{ConnectError, ConnectOptions, Endpoint, connect};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// let endpoint = Endpoint::from_path(dir.path().join("csi.sock"))?;
/// let error = connect(&endpoint, &ConnectOptions::default()).await.unwrap_err();
/// assert!(matches!(error, ConnectError::NoSocket { directory_exists: true, .. }));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// See [`ConnectError`]; after a wait, that of the last try.
pub async fn connect(
    endpoint: &Endpoint,
    options: &ConnectOptions,
) -> Result<Channel, ConnectError> {
    connect_reporting(endpoint, options, |_| {}).await
}

/// Connects as [`connect()`] does, and tells why it has to wait.
///
/// `report` is called when the waiting begins and each time the reason becomes another one, so that a program can show
/// it; it is not called with the error that is returned.
///
/// # Errors
///
/// As [`connect()`].
pub async fn connect_reporting(
    endpoint: &Endpoint,
    options: &ConnectOptions,
    report: impl FnMut(&ConnectError),
) -> Result<Channel, ConnectError> {
    let stream = reach(endpoint, options, report).await?;
    let connector = Connector::new(endpoint.clone(), options, stream);
    transport::Endpoint::from_static("http://localhost")
        .connect_with_connector(connector)
        .await
        .map_err(|source| ConnectError::Handshake {
            path: endpoint.path().to_owned(),
            source,
        })
}

/// Tries until it works or the time is up.
async fn reach(
    endpoint: &Endpoint,
    options: &ConnectOptions,
    mut report: impl FnMut(&ConnectError),
) -> Result<OpenedStream, ConnectError> {
    // None where the sum is beyond what a clock can say, which is as good as never.
    let deadline = Instant::now().checked_add(options.wait);
    let mut reason = match attempt(endpoint, options.attempt_timeout).await {
        Err(error) if !options.wait.is_zero() => error,
        done => return done,
    };
    report(&reason);
    let mut watch = SocketWatch::new(endpoint.clone(), options.watch.clone());
    let mut pause = FIRST_PAUSE;
    loop {
        let is_last = deadline.is_some_and(|deadline| deadline <= Instant::now());
        let error = match attempt(endpoint, options.attempt_timeout).await {
            Err(error) if !is_last => error,
            done => {
                // Closing inotify takes the kernel 10 to 25 ms now and then, and the connection is there.
                drop(tokio::task::spawn_blocking(move || drop(watch)));
                return done;
            }
        };
        if error.to_string() != reason.to_string() {
            report(&error);
        }
        reason = error;
        let retry = (!reason.is_about_files()).then(|| Instant::now() + pause);
        let changed = match retry.into_iter().chain(deadline).min() {
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
