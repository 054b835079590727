use std::io;
use std::pin::{Pin, pin};
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::HttpListener;

mod connection;

use connection::Connection;

/// Pause after the kernel could not accept, for want of descriptors or memory. Clients wait in the backlog meanwhile.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How often trouble with accepting is warned of. More is a debug line, so that nobody can fill the log.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

/// What clients of an HTTP server are granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpOptions {
    /// How many connections may be open, 256 by default. One more is closed as soon as it was accepted: its client learns
    /// of it at once, where in the backlog it would wait for nothing it can know.
    pub max_connections: usize,
    /// How long a client may take to send the head of a request, 10 s by default, from its connection or its last request
    /// on. So an idle connection is closed after it as well.
    pub header_timeout: Duration,
    /// How long a client may take to fetch an answer, 30 s by default.
    pub write_timeout: Duration,
    /// How long answers in flight may take after the shutdown, 1 s by default.
    pub grace: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            max_connections: 256,
            header_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            grace: Duration::from_secs(1),
        }
    }
}

/// Serves `router` on `listener`, over HTTP/1, until `shutdown` is ready.
///
/// Then nothing is accepted any more, idle connections are cut, and answers in flight have [`HttpOptions::grace`]. Dropping
/// the future cuts everything at once. Trouble with accepting connections is logged and does not end it.
///
/// # Errors
///
/// Where the listener cannot be registered with the runtime, which has to have its I/O enabled.
pub async fn serve(
    listener: HttpListener,
    router: Router,
    options: HttpOptions,
    shutdown: impl Future + Send,
) -> io::Result<()> {
    let shutdown = pin!(async {
        shutdown.await;
    });
    serve_until(listener, router, options, shutdown).await
}

/// The same for one kind of future, so that the server is compiled here and once.
async fn serve_until(
    listener: HttpListener,
    router: Router,
    options: HttpOptions,
    mut shutdown: Pin<&mut (dyn Future<Output = ()> + Send)>,
) -> io::Result<()> {
    let listener = TcpListener::from_std(listener.into_inner())?;
    let (stop, stopping) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut warnings = Warnings::default();
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = accept(&listener, &mut warnings) => accepted,
        };
        // Those that have ended are not in the way of a new one.
        while connections.try_join_next().is_some() {}
        if connections.len() >= options.max_connections {
            let limit = options.max_connections;
            warnings.full(limit);
            continue;
        }
        let connection = Connection::new(accepted, router.clone(), options, stopping.clone());
        connections.spawn(connection.run());
    }
    drop(listener);
    drop(stop);
    // Each ends by itself, within the grace period.
    while connections.join_next().await.is_some() {}
    Ok(())
}

/// The next connection, whatever it takes.
async fn accept(listener: &TcpListener, warnings: &mut Warnings) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                warnings.exhausted(&error);
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// When each kind of trouble was warned of last.
#[derive(Debug, Default)]
struct Warnings {
    full: Option<Instant>,
    exhausted: Option<Instant>,
}

impl Warnings {
    fn full(&mut self, limit: usize) {
        if is_due(&mut self.full) {
            tracing::warn!(
                limit,
                "refusing HTTP connections: as many as allowed are open"
            );
        } else {
            tracing::debug!(limit, "refusing an HTTP connection");
        }
    }

    fn exhausted(&mut self, error: &io::Error) {
        if is_due(&mut self.exhausted) {
            tracing::warn!(%error, "cannot accept HTTP connections, trying on");
        } else {
            tracing::debug!(%error, "cannot accept an HTTP connection, trying on");
        }
    }
}

fn is_due(last: &mut Option<Instant>) -> bool {
    let now = Instant::now();
    if last.is_some_and(|last| now.duration_since(last) < WARNING_INTERVAL) {
        return false;
    }
    *last = Some(now);
    true
}
