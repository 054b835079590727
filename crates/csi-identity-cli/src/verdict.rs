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
            Err(error) if is_broken_pipe(&error) => Self::SUCCESS,
            Err(error) => {
                #[expect(clippy::print_stderr, reason = "where a program's errors go")]
                {
                    eprintln!("error: {error:#}");
                }
                Self::from(2)
            }
        }
    }
}

/// Whoever read our output has seen enough.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
