use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::hpack::Rule;
use super::machine::{Machine, Verdict};

/// Bytes read at once from a connection that is being repaired.
const READ_SIZE: usize = 4096;

/// A connection whose requests arrive with an `:authority` that HTTP/2 servers in Rust accept.
///
/// Clients on Unix sockets have no host name to send. Many send the socket's path instead, raw or percent-encoded:
/// every kubelet when it dials a registration socket, kubelets to 1.25 when they call a CSI plugin, gRPC for Python,
/// C++, Ruby and Java by default. `h2`, the HTTP/2 stack under hyper and tonic, resets such a request with
/// PROTOCOL_ERROR before any handler runs. The repair stands between the socket and that stack and gives such requests
/// the authority `localhost`. Writing is passed through untouched.
///
/// It decides once, by the first request of a connection:
///
/// - Its authority is acceptable, or absent: from then on the connection is passed through. No byte is looked at or
///   copied again. A later request on it with a bad authority is refused by the server, as it would be without the repair.
/// - Otherwise each header block of the connection is decoded, with a mirror of the client's HPACK table, and encoded
///   again without dynamic indexing. To replace the value in place would not do: where the replacement is longer than the
///   original, the tables of client and server drift apart.
///
/// What is malformed is passed on for the server to refuse. What is held back is bounded: a header block that grows
/// beyond four times the server's limit for a header list, or over 256 frames, ends the connection.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// use csi_endpoint::AuthorityRepair;
/// use tokio::io::AsyncReadExt;
///
/// // Anything that reads and writes will do; the server's limit for a header list is 16 KiB.
/// let (client, server) = tokio::io::duplex(64);
/// let mut server = AuthorityRepair::new(server, 16 * 1024);
/// drop(client);
/// assert_eq!(server.read(&mut [0; 8]).await?, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct AuthorityRepair<IO> {
    io: IO,
    mode: Mode,
}

#[derive(Debug)]
enum Mode {
    Through,
    Repair(Box<Repair>),
}

#[derive(Debug)]
struct Repair {
    machine: Machine,
    input: Vec<u8>,
    consumed: usize,
    delivered: usize,
    ended: bool,
}

impl<IO> AuthorityRepair<IO> {
    /// Puts the repair around an accepted connection.
    ///
    /// `max_header_list_size`, in bytes, must be the limit that the server behind sets for a decoded header list
    /// (SETTINGS_MAX_HEADER_LIST_SIZE); a list beyond it is passed on just far enough to be refused. The server must
    /// not raise SETTINGS_HEADER_TABLE_SIZE (4096) or SETTINGS_MAX_FRAME_SIZE (16384).
    pub fn new(io: IO, max_header_list_size: usize) -> Self {
        let repair = Repair {
            machine: Machine::new(Rule::RepairRefused, max_header_list_size),
            input: Vec::new(),
            consumed: 0,
            delivered: 0,
            ended: false,
        };
        Self {
            io,
            mode: Mode::Repair(Box::new(repair)),
        }
    }

    /// The connection inside.
    pub fn get_ref(&self) -> &IO {
        &self.io
    }

    /// Whether the client has sent all of the HTTP/2 preface, or something else that the server will refuse.
    pub fn preface_seen(&self) -> bool {
        match &self.mode {
            Mode::Through => true,
            Mode::Repair(repair) => repair.machine.preface_seen(),
        }
    }

    /// Whether requests on this connection are being changed.
    pub fn is_repairing(&self) -> bool {
        match &self.mode {
            Mode::Through => false,
            Mode::Repair(repair) => repair.machine.rewriting(),
        }
    }
}

impl Repair {
    /// Hands out what is ready; false where nothing is.
    fn deliver(&mut self, buf: &mut ReadBuf<'_>) -> bool {
        let ready = &self.machine.out[self.delivered..];
        let taken = ready.len().min(buf.remaining());
        buf.put_slice(&ready[..taken]);
        self.delivered += taken;
        if self.delivered == self.machine.out.len() {
            self.delivered = 0;
            self.machine.out.clear();
            self.machine.out.shrink_to(4 * READ_SIZE);
        }
        taken > 0
    }

    /// One step over bytes that were read; false where there are none.
    ///
    /// A step at a time, so that a few bytes that stand for much can not make `out` large.
    fn advance(&mut self) -> io::Result<bool> {
        if self.consumed == self.input.len() {
            return Ok(false);
        }
        let (was_rewriting, was_judged) =
            (self.machine.rewriting(), self.machine.verdict.is_some());
        self.consumed += self
            .machine
            .step(&self.input[self.consumed..])
            .map_err(|flood| {
                tracing::debug!(reason = %flood, "closing a connection");
                io::Error::new(io::ErrorKind::InvalidData, flood)
            })?;
        if self.machine.rewriting() && !was_rewriting {
            tracing::debug!("replacing the authority of each request on a connection by localhost");
        }
        if let Some(Verdict::Malformed(reason)) = &self.machine.verdict
            && !was_judged
        {
            tracing::debug!(%reason, "leaving a connection to the HTTP/2 server to refuse");
        }
        Ok(true)
    }

    fn is_done(&self) -> bool {
        self.machine.verdict.is_some() && self.consumed == self.input.len()
    }
}

impl<IO: AsyncRead + Unpin> AsyncRead for AuthorityRepair<IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { io, mode } = &mut *self;
        let repair = match mode {
            Mode::Through => return Pin::new(io).poll_read(cx, buf),
            Mode::Repair(repair) => repair,
        };
        if buf.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        loop {
            if repair.deliver(buf) {
                return Poll::Ready(Ok(()));
            }
            if repair.is_done() {
                *mode = Mode::Through;
                return Pin::new(io).poll_read(cx, buf);
            }
            if repair.advance()? {
                continue;
            }
            if repair.ended {
                return Poll::Ready(Ok(()));
            }
            repair.input.resize(READ_SIZE, 0);
            repair.consumed = READ_SIZE;
            let mut chunk = ReadBuf::new(&mut repair.input);
            ready!(Pin::new(&mut *io).poll_read(cx, &mut chunk))?;
            let read = chunk.filled().len();
            repair.input.truncate(read);
            repair.consumed = 0;
            if read == 0 {
                repair.ended = true;
                repair.machine.end();
            }
        }
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for AuthorityRepair<IO> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
