use std::pin::Pin;
use std::time::Duration;

use tokio::net::UnixListener;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::transport::Server;

use crate::in_flight::InFlight;
use crate::incoming::Incoming;
use crate::limits::Limits;
use crate::{Listener, Removed};

/// How long no request may have been there before connections that are still open are idle ones, and are cut.
///
/// Their clients have been told to go (GOAWAY); one that hangs does not hear it.
const CALM: Duration = Duration::from_millis(250);

/// How long cut connections may take to end; they need no client for it.
const CUT_TIMEOUT: Duration = Duration::from_secs(1);

/// How an endpoint is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServeOptions {
    /// What clients are granted.
    pub limits: Limits,
    /// How long requests in flight may go on after the shutdown, 10 s by default. Those left then are cut.
    pub grace: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            grace: Duration::from_secs(10),
        }
    }
}

/// How serving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "connections may have been cut, and the socket may have been somebody else's by then"]
pub struct Stopped {
    /// Whether every request in flight was answered within the grace period.
    pub drained: bool,
    /// What became of the socket file.
    pub socket: Removed,
}

/// Why an endpoint could not be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The HTTP/2 server ended by itself.
    #[error("the gRPC server ended")]
    Server(#[source] tonic::transport::Error),
    /// Serving has ended, but the socket file stayed.
    #[error("cannot remove the socket")]
    Remove(#[source] std::io::Error),
}

/// Serves `routes` on `listener` until `shutdown` is ready.
///
/// Then, in this order: no connection is accepted any more, requests in flight have [`ServeOptions::grace`] to end, what
/// is left and idle connections are cut, and the socket file is removed, if it is still ours. To answer "not ready" before
/// that is up to the caller.
///
/// Dropping the future is a stop without grace: connections are cut, the socket file is removed.
///
/// Every request arrives with an authority that HTTP/2 servers in Rust accept (see [`AuthorityRepair`]), and with the
/// client's [`PeerCredentials`] among its extensions.
///
/// [`AuthorityRepair`]: crate::AuthorityRepair
/// [`PeerCredentials`]: crate::PeerCredentials
///
/// # Errors
///
/// Where the server ends without having been asked to, or the socket file cannot be removed.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use csi_endpoint::{BindOptions, Listener, ServeOptions, serve};
/// use tonic::service::Routes;
///
/// let folder = tempfile::tempdir()?;
/// let endpoint = folder.path().join("csi.sock").display().to_string().parse()?;
/// let listener = Listener::bind(&endpoint, &BindOptions::default())?;
///
/// let shutdown = std::future::ready(());
/// let stopped = serve(listener, Routes::default(), ServeOptions::default(), shutdown).await?;
/// assert!(stopped.drained);
/// # Ok(())
/// # }
/// ```
pub async fn serve(
    listener: Listener,
    routes: Routes,
    options: ServeOptions,
    shutdown: impl Future + Send,
) -> Result<Stopped, ServeError> {
    let (socket, file) = listener.into_parts();
    let drained = serve_socket(socket, routes, options, shutdown).await?;
    Ok(Stopped {
        drained,
        socket: file.remove().map_err(ServeError::Remove)?,
    })
}

/// Serves as [`serve()`] does, and leaves the socket's file to the caller, who has it from [`Listener::into_parts`].
///
/// For whoever has to look after the file while it is served, or has it go first. Returns whether every request in
/// flight was answered within the grace period.
///
/// # Errors
///
/// Where the server ends without having been asked to.
pub async fn serve_socket(
    socket: UnixListener,
    routes: Routes,
    options: ServeOptions,
    shutdown: impl Future + Send,
) -> Result<bool, ServeError> {
    let shutdown = async {
        shutdown.await;
    };
    serve_until(socket, routes, options, Box::pin(shutdown)).await
}

/// The same for one kind of future, so that the server is compiled here and once.
async fn serve_until(
    socket: UnixListener,
    routes: Routes,
    options: ServeOptions,
    shutdown: Pin<Box<dyn Future<Output = ()> + Send + '_>>,
) -> Result<bool, ServeError> {
    let ServeOptions { limits, grace } = options;
    let (stopping, cut) = (CancellationToken::new(), CancellationToken::new());
    // Connections are tasks of their own, which would outlive this one.
    let _cut_on_drop = cut.clone().drop_guard();
    let in_flight = InFlight::default();
    let mut server = Server::builder()
        .max_concurrent_streams(limits.max_concurrent_streams)
        .http2_max_header_list_size(limits.max_header_list_size)
        .layer(in_flight.clone());
    let incoming = Incoming::new(socket, limits, cut.clone(), in_flight.clone());
    let signal = async {
        shutdown.await;
        stopping.cancel();
    };
    let serving = server
        .add_routes(routes)
        .serve_with_incoming_shutdown(incoming, signal);
    tokio::pin!(serving);

    let settled = async {
        stopping.cancelled().await;
        let in_time = tokio::time::timeout(grace, in_flight.settled(CALM)).await;
        in_time.is_ok() || in_flight.is_none()
    };
    let drained = tokio::select! {
        ended = &mut serving => ended.map(|()| true),
        drained = settled => {
            cut.cancel();
            match tokio::time::timeout(CUT_TIMEOUT, &mut serving).await {
                Ok(ended) => ended.map(|()| drained),
                Err(_elapsed) => Ok(drained),
            }
        }
    };
    drained.map_err(ServeError::Server)
}
