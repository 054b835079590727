//! What a test's registrar logs.

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::Once;

thread_local! {
    static LOG: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Keeps the log of each thread, which is that of one test and its registrar.
///
/// One subscriber for all tests, there before any registrar: tracing asks whichever thread logs something first whether
/// anybody wants to hear it, and remembers the answer for all.
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

/// The lines of this thread so far, from INFO on.
pub(crate) fn lines() -> Vec<String> {
    let text = LOG.with_borrow(|log| String::from_utf8(log.clone()).unwrap());
    text.lines().map(str::to_owned).collect()
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
