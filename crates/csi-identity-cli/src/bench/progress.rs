use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

/// A line on standard error that is written anew again and again, and gone in the end. Only a terminal has it.
#[derive(Debug)]
pub(super) struct Progress {
    wanted: bool,
    /// Characters that are on the line.
    shown: usize,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) measured: Duration,
    pub(super) of: Duration,
    pub(super) calls: u64,
    pub(super) failed_calls: u64,
}

impl Progress {
    pub(super) fn for_people() -> Self {
        Self {
            wanted: std::io::stderr().is_terminal(),
            shown: 0,
        }
    }

    pub(super) fn show(&mut self, moment: Moment) {
        if self.wanted {
            self.overwrite(&line(moment));
        }
    }

    fn overwrite(&mut self, text: &str) {
        // What is left of a longer line before is blanked; who cannot be shown it misses nothing.
        let _ = write!(std::io::stderr(), "\r{text:<0$}\r", self.shown);
        self.shown = text.len();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown > 0 {
            self.overwrite("");
        }
    }
}

fn line(moment: Moment) -> String {
    let Moment {
        measured,
        of,
        calls,
        failed_calls,
    } = moment;
    if measured.is_zero() {
        return "warming up".to_owned();
    }
    let (measured, of) = (measured.as_secs_f64(), of.as_secs_f64());
    format!("{measured:.0} of {of:.0} s: {calls} calls, {failed_calls} failed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_in_one_short_line() {
        let moment = Moment {
            measured: Duration::ZERO,
            of: Duration::from_secs(5),
            calls: 0,
            failed_calls: 0,
        };
        assert_eq!(line(moment), "warming up");
        let later = Moment {
            measured: Duration::from_millis(2_004),
            calls: 41_234,
            failed_calls: 3,
            ..moment
        };
        assert_eq!(line(later), "2 of 5 s: 41234 calls, 3 failed");
    }
}
