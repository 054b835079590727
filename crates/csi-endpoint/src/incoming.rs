use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep};
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;

use crate::connection::{Connection, PeerCredentials};
use crate::in_flight::InFlight;
use crate::limits::Limits;

/// Pause after the kernel could not accept, for want of descriptors or memory. Clients wait in the backlog meanwhile.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How often each kind of trouble is warned of. More is a debug line, so that nobody can fill the log.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

/// Logs trouble as a warning where one is due, else as a debug line.
macro_rules! warn_or_debug {
    ($warning:expr, $($event:tt)+) => {
        if $warning.is_due() {
            tracing::warn!($($event)+);
        } else {
            tracing::debug!($($event)+);
        }
    };
}

/// The connections of one listener: those over the limit or of strangers are closed at once.
#[derive(Debug)]
pub(crate) struct Incoming {
    listener: UnixListener,
    limits: Limits,
    places: Arc<Semaphore>,
    cut: CancellationToken,
    in_flight: InFlight,
    pause: Option<Pin<Box<Sleep>>>,
    strangers: Warning,
    full: Warning,
    exhausted: Warning,
}

impl Incoming {
    /// `cut` ends every connection that came this way; `in_flight` counts what cannot be written to them.
    pub(crate) fn new(
        listener: UnixListener,
        limits: Limits,
        cut: CancellationToken,
        in_flight: InFlight,
    ) -> Self {
        // A semaphore has a limit of its own, far beyond any number of descriptors, and panics over it.
        let places = limits.max_connections.min(Semaphore::MAX_PERMITS);
        let places = Arc::new(Semaphore::new(places));
        Self {
            listener,
            limits,
            places,
            cut,
            in_flight,
            pause: None,
            strangers: Warning::default(),
            full: Warning::default(),
            exhausted: Warning::default(),
        }
    }

    fn admit(&mut self, stream: UnixStream) -> io::Result<Option<Connection>> {
        let peer = PeerCredentials::of(&stream)?;
        let PeerCredentials { pid, uid, .. } = peer;
        if !self.limits.allows(uid) {
            warn_or_debug!(
                self.strangers,
                pid,
                uid,
                "refusing a connection: the user id is not on the allow-list"
            );
            return Ok(None);
        }
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            let limit = self.limits.max_connections;
            warn_or_debug!(
                self.full,
                pid,
                uid,
                limit,
                "refusing connections: as many as allowed are open"
            );
            return Ok(None);
        };
        Ok(Some(Connection::new(
            stream,
            peer,
            &self.limits,
            place,
            &self.cut,
            &self.in_flight,
        )))
    }
}

impl Stream for Incoming {
    type Item = io::Result<Connection>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            let accepted = ready!(self.listener.poll_accept(cx));
            match accepted.and_then(|(stream, _)| self.admit(stream)) {
                Ok(Some(connection)) => return Poll::Ready(Some(Ok(connection))),
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    warn_or_debug!(self.exhausted, %error, "cannot accept connections, trying on");
                    self.pause = Some(Box::pin(tokio::time::sleep(ACCEPT_PAUSE)));
                }
            }
        }
    }
}

/// When one kind of trouble was warned of last.
#[derive(Debug, Default)]
struct Warning(Option<Instant>);

impl Warning {
    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let is_recent = |last| now.duration_since(last) < WARNING_INTERVAL;
        if self.0.is_some_and(is_recent) {
            return false;
        }
        self.0 = Some(now);
        true
    }
}
