//! Bytes on their way through the repair, in pieces of given sizes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use csi_endpoint::AuthorityRepair;
use tokio::io::{AsyncRead, ReadBuf};

/// A reader that yields given bytes in pieces of given sizes; a size of 0 is a moment in which nothing is there yet.
struct Chunks<'a> {
    rest: &'a [u8],
    sizes: &'a [usize],
    turn: usize,
}

impl AsyncRead for Chunks<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let size = self.sizes[self.turn % self.sizes.len()];
        self.turn += 1;
        if size == 0 {
            return Poll::Pending;
        }
        let (piece, rest) = self
            .rest
            .split_at(self.rest.len().min(size).min(buf.remaining()));
        buf.put_slice(piece);
        self.rest = rest;
        Poll::Ready(Ok(()))
    }
}

/// What a server got.
#[derive(Debug)]
pub(crate) struct Passage {
    pub(crate) received: Vec<u8>,
    /// Why the connection ended before the client ended it.
    pub(crate) error: Option<io::Error>,
    /// Whether requests were being changed at any time.
    pub(crate) repaired: bool,
    /// The most bytes that one piece from the client set free.
    pub(crate) most_at_once: usize,
}

/// Reads all that a client writes, `bytes` in pieces of `sizes` (not all 0), as a server with the given limit for header
/// lists that has room for `room` bytes at a time.
pub(crate) fn pass(bytes: &[u8], sizes: &[usize], room: usize, limit: usize) -> Passage {
    let chunks = Chunks {
        rest: bytes,
        sizes,
        turn: 0,
    };
    let mut repair = AuthorityRepair::new(chunks, limit);
    let mut buffer = vec![0; room];
    let mut passage = Passage {
        received: Vec::new(),
        error: None,
        repaired: false,
        most_at_once: 0,
    };
    let (mut turn, mut at_once) = (0, 0);
    loop {
        let mut buf = ReadBuf::new(&mut buffer);
        // Nothing has to wake this up: it asks again.
        let poll =
            Pin::new(&mut repair).poll_read(&mut Context::from_waker(Waker::noop()), &mut buf);
        passage.repaired |= repair.is_repairing();
        if turn != repair.get_ref().turn {
            (turn, at_once) = (repair.get_ref().turn, 0);
        }
        match poll {
            Poll::Pending => continue,
            Poll::Ready(Err(error)) => passage.error = Some(error),
            Poll::Ready(Ok(())) if !buf.filled().is_empty() => {
                passage.received.extend_from_slice(buf.filled());
                at_once += buf.filled().len();
                passage.most_at_once = passage.most_at_once.max(at_once);
                continue;
            }
            Poll::Ready(Ok(())) => {}
        }
        return passage;
    }
}
