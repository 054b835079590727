//! What a server with the usual limits gets, all in one.

use std::io;

use crate::passage::{Passage, pass};

/// What a server with a header list limit of 16 KiB reads when a client writes `bytes` in pieces of `sizes`.
pub(crate) fn through_repair(bytes: &[u8], sizes: &[usize]) -> io::Result<Vec<u8>> {
    let Passage {
        received, error, ..
    } = pass(bytes, sizes, 4096, 16 * 1024);
    error.map_or(Ok(received), Err)
}
