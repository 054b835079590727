//! What a test logs.

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::Once;

thread_local! {
    static LOG: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Keeps the log of each thread, which is that of one test and all it serves.
///
/// One subscriber for all tests, there before any server: whether an event is of interest is remembered for the whole
/// process, and a subscriber that comes and goes with a test can be missed by it.
pub(crate) fn keep() {
    static KEPT: Once = Once::new();
    KEPT.call_once(|| {
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .without_time()
            .with_writer(|| Kept)
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
    });
}

/// The lines of this crate on this thread so far.
pub(crate) fn lines() -> Vec<String> {
    LOG.with_borrow(|log| {
        let text = std::str::from_utf8(log).unwrap();
        let ours = text.lines().filter(|line| line.contains(" csi_health::"));
        ours.map(|line| line.trim().to_owned()).collect()
    })
}

struct Kept;

impl Write for Kept {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        LOG.with_borrow_mut(|log| log.write(text))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
