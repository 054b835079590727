//! A line on the terminal that says what is done now.

use std::io::Write as _;

/// Begins the line anew, and removes what was in it.
const CLEAR: &str = "\r\u{1b}[K";

#[derive(Debug)]
pub(super) struct Progress {
    is_shown: bool,
}

impl Progress {
    pub(super) fn new(is_shown: bool) -> Self {
        Self { is_shown }
    }

    pub(super) fn show(&mut self, step: &str) {
        self.write(&format!("{CLEAR}{step} ..."));
    }

    pub(super) fn clear(&mut self) {
        self.write(CLEAR);
    }

    fn write(&mut self, text: &str) {
        if self.is_shown {
            let mut out = std::io::stderr();
            // Where the terminal is gone there is nobody to tell.
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        }
    }
}
