use std::io::Write as _;
use std::process::ExitCode;

/// How a command that could be carried out ended. Errors are not verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Done, or the check passed.
    Pass,
    /// The plugin is not ready, or answered with an error.
    Fail,
    /// A second signal ended it.
    Aborted,
}

/// What becomes the exit code.
#[derive(Debug)]
pub(crate) struct Outcome(pub(crate) anyhow::Result<Verdict>);

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome.0 {
            Ok(Verdict::Pass) => Self::SUCCESS,
            Ok(Verdict::Fail) => Self::from(1),
            Ok(Verdict::Aborted) => Self::from(130),
            Err(error) => {
                // Where standard error is closed there is nobody to tell; the exit code still says it.
                let _ = writeln!(std::io::stderr(), "error: {error:#}");
                Self::from(2)
            }
        }
    }
}
