//! A client's way to an endpoint whose server may come and go.

use std::{
    error::Error as _,
    future::Future,
    iter,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use http::{
    Request, Response, Uri,
    uri::{Authority as UriAuthority, Scheme},
};
use hyper::{
    body::Incoming,
    client::conn::http2::{self, SendRequest},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::sync::watch;
use tokio_util::either::Either;
use tonic::{Status, body::Body};
use tower::Service;

use super::{ConnectError, ConnectOptions, attempt::attempt, gathered::Gathered, reach::reach};
use crate::{Authority, Endpoint, SocketWatch, authority::ImposedAuthority};

/// A gRPC client's way to an endpoint: one connection, made when an RPC needs it, and made anew when it is gone.
///
/// Each connection begins with a fresh look-up of the path and one try, so a server that was restarted is reached by the
/// next RPC, and one that is gone is an error at once, with the reason: the status of such an RPC is UNAVAILABLE and has
/// the [`ConnectError`] in its source chain. An RPC that had not been sent when the connection ended is sent on the next
/// one; one that had been is lost, and UNAVAILABLE too.
///
/// Clones share the connection. It is closed when the last of them is dropped.
///
/// ```
/// use csi_endpoint::{Channel, ConnectError, ConnectOptions, Endpoint};
/// use csi_proto::csi::v1::{ProbeRequest, identity_client::IdentityClient};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// let endpoint = Endpoint::from_path(dir.path().join("csi.sock"))?;
/// let channel = Channel::new(endpoint, &ConnectOptions::default());
/// let status = IdentityClient::new(channel).probe(ProbeRequest {}).await.unwrap_err();
/// assert!(matches!(ConnectError::in_chain(&status), Some(ConnectError::NoSocket { .. })));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Channel(Arc<Shared>);

/// What has become of the connections of a [`Channel`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// How many were made so far.
    pub made: u64,
    /// Whether the last of them is still there.
    pub open: bool,
}

#[derive(Debug)]
struct Shared {
    endpoint: Endpoint,
    options: ConnectOptions,
    /// Sent in place of the client's own, which is `localhost`.
    authority: Option<String>,
    current: Mutex<Option<Connection>>,
    /// Held by whoever makes a connection, so that a burst of first calls makes one.
    making: tokio::sync::Mutex<()>,
    connections: watch::Sender<Connections>,
}

#[derive(Clone, Debug)]
struct Connection {
    number: u64,
    sender: SendRequest<Body>,
}

impl Channel {
    /// A channel that connects when it is used. [`ConnectOptions::wait`] does not count for RPCs.
    pub fn new(endpoint: Endpoint, options: &ConnectOptions) -> Self {
        let authority = match &options.authority {
            Authority::Localhost => None,
            other => Some(other.text(&endpoint).into_owned()),
        };
        Self(Arc::new(Shared {
            endpoint,
            options: options.clone(),
            authority,
            current: Mutex::default(),
            making: tokio::sync::Mutex::default(),
            connections: watch::Sender::default(),
        }))
    }

    /// The address it leads to.
    pub fn endpoint(&self) -> &Endpoint {
        &self.0.endpoint
    }

    /// Sees to it that there is a connection; waits for it for as long as [`ConnectOptions::wait`] says.
    ///
    /// `report` is called when the waiting begins and each time the reason becomes another one; it is not called with
    /// the error that is returned.
    ///
    /// # Errors
    ///
    /// See [`ConnectError`]; after a wait, that of the last try.
    pub async fn connect(&self, report: impl FnMut(&ConnectError)) -> Result<(), ConnectError> {
        self.connect_by(None, report).await
    }

    /// The same with a watch that is there already, for who waits again and again: an inotify instance is quickly had, but
    /// closing one can take the kernel many milliseconds. It has to be one of the same path.
    ///
    /// # Errors
    ///
    /// As [`Channel::connect`].
    pub async fn connect_watching(
        &self,
        watch: &mut SocketWatch,
        report: impl FnMut(&ConnectError),
    ) -> Result<(), ConnectError> {
        self.connect_by(Some(watch), report).await
    }

    async fn connect_by(
        &self,
        watch: Option<&mut SocketWatch>,
        report: impl FnMut(&ConnectError),
    ) -> Result<(), ConnectError> {
        let shared = &self.0;
        let connect = async || shared.connection().await.map(drop);
        reach(&shared.endpoint, &shared.options, watch, connect, report).await
    }

    /// Lets go of the connection there is, for one whose path leads to another socket by now.
    ///
    /// RPCs in flight end on the old one.
    pub fn renew(&self) {
        *self.0.current() = None;
    }

    /// Tells when a connection was made, and when it ended.
    pub fn connections(&self) -> watch::Receiver<Connections> {
        self.0.connections.subscribe()
    }

    async fn send(&self, request: Request<Body>) -> Result<Response<Incoming>, Status> {
        let shared = &self.0;
        let mut request = with_origin(request);
        let there = shared.current().clone();
        if let Some(mut connection) = there {
            match connection.sender.try_send_request(request).await {
                Ok(response) => return Ok(response),
                Err(mut error) => match error.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(lost(error.into_error())),
                },
            }
            shared.forget(connection.number);
        }
        let mut connection = shared.connection().await.map_err(unreachable)?;
        connection.sender.send_request(request).await.map_err(lost)
    }
}

impl Service<Request<Body>> for Channel {
    type Response = Response<Incoming>;
    type Error = Status;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Status>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let channel = self.clone();
        Box::pin(async move { channel.send(request).await })
    }
}

impl Shared {
    fn current(&self) -> MutexGuard<'_, Option<Connection>> {
        // It is only ever replaced whole.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self, number: u64) {
        self.current().take_if(|current| current.number == number);
    }

    /// The connection there is, or a new one.
    async fn connection(&self) -> Result<Connection, ConnectError> {
        let _making = self.making.lock().await;
        let current = self.current().clone();
        if let Some(connection) = current.filter(|current| !current.sender.is_closed()) {
            return Ok(connection);
        }
        let stream = attempt(&self.endpoint, self.options.attempt_timeout).await?;
        let stream = match &self.authority {
            None => Either::Left(stream),
            Some(authority) => Either::Right(ImposedAuthority::new(stream, authority)),
        };
        let stream = TokioIo::new(Gathered::new(stream));
        let (sender, driver) = http2::Builder::new(TokioExecutor::new())
            .max_header_list_size(self.options.max_header_list_size)
            .handshake(stream)
            .await
            .map_err(|source| ConnectError::Handshake {
                path: self.endpoint.path().to_owned(),
                source,
            })?;
        let number = self.connections.borrow().made + 1;
        self.connections.send_replace(Connections {
            made: number,
            open: true,
        });
        let connections = self.connections.clone();
        tokio::spawn(async move {
            if let Err(error) = driver.await {
                tracing::debug!(%error, "a connection ended badly");
            }
            connections.send_if_modified(|last| {
                last.made == number && std::mem::replace(&mut last.open, false)
            });
        });
        let connection = Connection { number, sender };
        *self.current() = Some(connection.clone());
        Ok(connection)
    }
}

/// HTTP/2 wants to know whom a request is for; gRPC clients leave it to what they send on.
fn with_origin(request: Request<Body>) -> Request<Body> {
    let (mut head, body) = request.into_parts();
    let mut uri = head.uri.into_parts();
    uri.scheme = Some(Scheme::HTTP);
    uri.authority = Some(UriAuthority::from_static("localhost"));
    // With a path, as every RPC has, the three together are a URI.
    head.uri = Uri::from_parts(uri).unwrap_or_default();
    Request::from_parts(head, body)
}

fn unreachable(error: ConnectError) -> Status {
    let mut status = Status::unavailable(error.to_string());
    status.set_source(Arc::new(error));
    status
}

/// What a stream was reset with has a code of its own; whatever else happens to a connection is UNAVAILABLE.
fn lost(error: hyper::Error) -> Status {
    let cause = error.source().and_then(|cause| cause.downcast_ref());
    if cause.is_some_and(h2::Error::is_reset) {
        return Status::from_error(Box::new(error));
    }
    // The errors on the way to the last one say no more than that they are some.
    let last = iter::successors(error.source(), |&cause| cause.source()).last();
    let last = last.map_or_else(|| error.to_string(), ToString::to_string);
    let message = format!("the connection was lost before the answer came: {last}");
    let mut status = Status::unavailable(message);
    status.set_source(Arc::new(error));
    status
}
