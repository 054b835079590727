//! A reader that yields given bytes in pieces of given sizes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use csi_endpoint::AuthorityRepair;
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

pub(crate) struct Chunks {
    bytes: Vec<u8>,
    sizes: Vec<usize>,
    at: usize,
    turn: usize,
}

impl AsyncRead for Chunks {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let size = self.sizes[self.turn % self.sizes.len()].max(1);
        let end = self.bytes.len().min(self.at + size.min(buf.remaining()));
        buf.put_slice(&self.bytes[self.at..end]);
        self.at = end;
        self.turn += 1;
        Poll::Ready(Ok(()))
    }
}

/// What a server with a header list limit of 16 KiB reads when a client writes `bytes` in pieces of `sizes`.
pub(crate) fn through_repair(bytes: &[u8], sizes: &[usize]) -> io::Result<Vec<u8>> {
    let chunks = Chunks {
        bytes: bytes.to_vec(),
        sizes: sizes.to_vec(),
        at: 0,
        turn: 0,
    };
    let mut repair = AuthorityRepair::new(chunks, 16 * 1024);
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        let mut out = Vec::new();
        repair.read_to_end(&mut out).await?;
        Ok(out)
    })
}
