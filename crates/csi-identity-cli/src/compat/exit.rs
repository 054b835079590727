use super::OldProgram;

/// The ways in which the old programs end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// What was asked for is done: help, version, the exec probe.
    Done,
    /// The command line is not understood.
    Usage,
    /// The command line is understood, and cannot be carried out.
    Settings,
    /// The HTTP server cannot listen.
    Http,
    /// The kubelet refused the plugin.
    Refused,
    /// SIGTERM.
    Terminated,
}

impl Ending {
    /// The exit code that the old program ends with, 128 and the signal where it dies of one.
    ///
    /// Read in their sources; those of `Done` and `Usage` were also seen, with Go 1.26 and the logging library of 2.17 and
    /// 2.19.
    pub(crate) fn exit_code(self, program: OldProgram) -> u8 {
        let (registrar, liveness_probe) = match self {
            Self::Done => (0, 0),
            Self::Usage => (2, 2),
            Self::Settings => (1, 1),
            // livenessprobe logs it and returns from main. Whoever starts it starts it anew all the same.
            Self::Http => (1, 0),
            Self::Refused => (1, 1),
            // livenessprobe handles no signal.
            Self::Terminated => (0, 143),
        };
        match program {
            OldProgram::Registrar => registrar,
            OldProgram::LivenessProbe => liveness_probe,
        }
    }
}
