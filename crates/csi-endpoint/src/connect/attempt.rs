//! One try to reach an endpoint, with a fresh look-up of its path.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use http::Uri;
use hyper_util::rt::TokioIo;
use tokio::{net::UnixStream, time::timeout};
use tower::Service;

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

/// What the HTTP/2 client asks for a connection: the one there is already, and later for each loss a new one.
#[derive(Debug)]
pub(super) struct Connector {
    endpoint: Endpoint,
    limit: Duration,
    first: Option<OpenedStream>,
}

impl Connector {
    pub(super) fn new(endpoint: Endpoint, limit: Duration, first: OpenedStream) -> Self {
        Self {
            endpoint,
            limit,
            first: Some(first),
        }
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<OpenedStream>;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let (endpoint, limit, first) = (self.endpoint.clone(), self.limit, self.first.take());
        Box::pin(async move {
            match first {
                Some(stream) => Ok(TokioIo::new(stream)),
                None => attempt(&endpoint, limit).await.map(TokioIo::new),
            }
        })
    }
}
