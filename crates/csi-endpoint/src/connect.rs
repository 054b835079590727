//! Reaching an endpoint: at once where it is up, and as soon as it is where it is late.

use std::time::Duration;

use crate::{Authority, Endpoint, WatchOptions};

mod attempt;
mod channel;
mod error;
mod gathered;
mod opening;
mod reach;

pub use channel::{Channel, Connections};
pub use error::ConnectError;

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
    /// The largest headers and trailers that an answer may have, in bytes as HTTP/2 counts them (RFC 9113, 10.5.1); 16 KiB by
    /// default, which is what HTTP/2 clients in Rust take. A call whose answer has larger ones fails.
    pub max_header_list_size: u32,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            attempt_timeout: Duration::from_secs(1),
            wait: Duration::ZERO,
            authority: Authority::Localhost,
            watch: WatchOptions::default(),
            max_header_list_size: 16 << 10,
        }
    }
}

/// Connects to an endpoint.
///
/// The channel sends `localhost` as authority if no other is asked for, and is given out only when the server's first frame was an HTTP/2
/// SETTINGS frame. When it loses its connection it makes a new one for the next RPC; see [`Channel`].
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
    let channel = Channel::new(endpoint.clone(), options);
    channel.connect(report).await?;
    Ok(channel)
}
