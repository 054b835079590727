//! One try to reach an endpoint, with a fresh look-up of its path.

use std::time::Duration;

use tokio::{net::UnixStream, time::timeout};

use super::{
    ConnectError,
    opening::{self, NotOpened, OpenedStream},
};
use crate::Endpoint;

/// Connects and waits for the server's first frame.
pub(super) async fn attempt(
    endpoint: &Endpoint,
    limit: Duration,
) -> Result<OpenedStream, ConnectError> {
    let path = || endpoint.path().to_owned();
    let stream = UnixStream::connect(endpoint.path())
        .await
        .map_err(|error| ConnectError::from_connect(endpoint, error))?;
    let opened = timeout(limit, opening::open(stream)).await;
    opened
        .map_err(|_elapsed| ConnectError::TimedOut {
            path: path(),
            limit,
        })?
        .map_err(|reason| match reason {
            NotOpened::Closed => ConnectError::Closed { path: path() },
            NotOpened::NotHttp2 { seen } => ConnectError::NotHttp2 { path: path(), seen },
            NotOpened::Io(source) => ConnectError::Os {
                path: path(),
                source,
            },
        })
}
