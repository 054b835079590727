use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Sleep;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::Connected;

use crate::AuthorityRepair;
use crate::in_flight::{InFlight, Place};
use crate::limits::Limits;

/// Who is at the other end of a connection, as the kernel says (`SO_PEERCRED`).
///
/// Handlers find it among the extensions of each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerCredentials {
    /// Process that connected. 0 where it lives in a pid namespace that is not visible from here.
    pub pid: i32,
    /// Its effective user id.
    pub uid: u32,
    /// Its effective group id.
    pub gid: u32,
}

impl PeerCredentials {
    pub(crate) fn of(stream: &UnixStream) -> io::Result<Self> {
        let credentials = stream.peer_cred()?;
        Ok(Self {
            pid: credentials.pid().unwrap_or(0),
            uid: credentials.uid(),
            gid: credentials.gid(),
        })
    }
}

/// An accepted connection: repaired, bounded in time until its client speaks, and possible to cut.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: AuthorityRepair<UnixStream>,
    peer: PeerCredentials,
    /// Nothing once the client has begun to speak.
    preface_deadline: Option<Pin<Box<Sleep>>>,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    in_flight: InFlight,
    /// Held while the socket takes no more of an answer.
    unsent: Option<Place>,
    _place: OwnedSemaphorePermit,
}

impl Connection {
    pub(crate) fn new(
        stream: UnixStream,
        peer: PeerCredentials,
        limits: &Limits,
        place: OwnedSemaphorePermit,
        cut: &CancellationToken,
        in_flight: &InFlight,
    ) -> Self {
        Self {
            stream: AuthorityRepair::new(stream, limits.max_header_list_size as usize),
            peer,
            preface_deadline: Some(Box::pin(tokio::time::sleep(limits.preface_timeout))),
            cut: Box::pin(cut.clone().cancelled_owned()),
            in_flight: in_flight.clone(),
            unsent: None,
            _place: place,
        }
    }

    /// What was polled; where it waits for the client, the reason not to wait any longer, if there is one.
    ///
    /// A client that does not read has to be cut as well, and a server that waits to write does not read.
    fn or_ended<T>(
        &mut self,
        cx: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        match polled {
            Poll::Ready(done) => Poll::Ready(done),
            Poll::Pending => self.poll_ended(cx).map(Err),
        }
    }

    /// The same for what was written: while it cannot be, its request is in flight.
    fn written<T>(
        &mut self,
        cx: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.unsent = None;
        } else if self.unsent.is_none() {
            self.unsent = Some(self.in_flight.enter());
        }
        self.or_ended(cx, polled)
    }

    fn poll_ended(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        if self.cut.as_mut().poll(cx).is_ready() {
            return Poll::Ready(io::ErrorKind::ConnectionAborted.into());
        }
        let Some(deadline) = &mut self.preface_deadline else {
            return Poll::Pending;
        };
        ready!(deadline.as_mut().poll(cx));
        let PeerCredentials { pid, uid, .. } = self.peer;
        tracing::debug!(
            pid,
            uid,
            "closing a connection whose client does not begin to speak HTTP/2"
        );
        Poll::Ready(io::ErrorKind::TimedOut.into())
    }
}

impl Connected for Connection {
    type ConnectInfo = PeerCredentials;

    fn connect_info(&self) -> PeerCredentials {
        self.peer
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if self.preface_deadline.is_some() && self.stream.preface_seen() {
            self.preface_deadline = None;
        }
        self.or_ended(cx, read)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.written(cx, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.written(cx, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
