//! A bound endpoint: the listening socket and its file.

use std::{
    io,
    task::{Context, Poll},
};

use tokio::net::{UnixListener, UnixStream};

use crate::{Endpoint, SocketFile};

/// A Unix socket that is bound, published and listening.
///
/// Made by [`Listener::bind`]. Dropping it removes the socket file, if that is still its own, and then closes the
/// socket, so that nobody finds a file behind which nobody listens.
///
/// `getsockname` and `/proc/net/unix` show the name the socket was bound under, which is not the published one; use
/// [`Listener::endpoint`] in messages.
#[derive(Debug)]
pub struct Listener {
    // Fields are dropped from first to last: the file goes before the socket is closed.
    file: SocketFile,
    socket: UnixListener,
}

impl Listener {
    pub(crate) fn new(file: SocketFile, socket: UnixListener) -> Self {
        Self { file, socket }
    }

    /// The address clients use.
    pub fn endpoint(&self) -> &Endpoint {
        self.file.endpoint()
    }

    /// Whether the path still leads to this socket; see [`SocketFile::is_still_ours`].
    pub fn is_still_ours(&self) -> bool {
        self.file.is_still_ours()
    }

    /// Waits for a client.
    ///
    /// # Errors
    ///
    /// Those of `accept(2)`. Most pass: a client that gave up, or no descriptor left just now.
    pub async fn accept(&self) -> io::Result<UnixStream> {
        self.socket.accept().await.map(|(stream, _)| stream)
    }

    /// Polls for a client.
    ///
    /// # Errors
    ///
    /// As [`Listener::accept`].
    pub fn poll_accept(&self, context: &mut Context<'_>) -> Poll<io::Result<UnixStream>> {
        self.socket
            .poll_accept(context)
            .map_ok(|(stream, _)| stream)
    }

    /// Takes the socket and its file apart, for an accept loop that stops before the file goes.
    ///
    /// While the file is there and the socket closed, clients are refused at once and a successor may take the path.
    pub fn into_parts(self) -> (UnixListener, SocketFile) {
        (self.socket, self.file)
    }
}
