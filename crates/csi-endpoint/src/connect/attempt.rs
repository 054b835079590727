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
use tokio_util::either::Either;
use tower::Service;

use super::{
    ConnectError, ConnectOptions,
    opening::{self, NotOpened, OpenedStream},
};
use crate::{Authority, Endpoint, authority::ImposedAuthority};

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
    /// Sent in place of the client's own, which is `localhost`.
    authority: Option<String>,
    first: Option<OpenedStream>,
}

impl Connector {
    pub(super) fn new(endpoint: Endpoint, options: &ConnectOptions, first: OpenedStream) -> Self {
        let authority = match &options.authority {
            Authority::Localhost => None,
            other => Some(other.text(&endpoint).into_owned()),
        };
        Self {
            endpoint,
            limit: options.attempt_timeout,
            authority,
            first: Some(first),
        }
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Either<OpenedStream, ImposedAuthority<OpenedStream>>>;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let (endpoint, limit, first) = (self.endpoint.clone(), self.limit, self.first.take());
        let authority = self.authority.clone();
        Box::pin(async move {
            let stream = match first {
                Some(stream) => stream,
                None => attempt(&endpoint, limit).await?,
            };
            Ok(TokioIo::new(match authority {
                None => Either::Left(stream),
                Some(authority) => Either::Right(ImposedAuthority::new(stream, &authority)),
            }))
        })
    }
}
