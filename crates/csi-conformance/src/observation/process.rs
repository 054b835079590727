//! How a plugin that was started here behaves as a process.

use std::time::Duration;

use super::Exchange;

/// How a plugin starts, stops and starts again.
#[derive(Clone, Debug)]
pub struct ProcessSeen {
    /// The first start, in an empty directory.
    pub first: Launch,
    /// What SIGTERM did, if the first start was good.
    pub stop: Option<Stop>,
    /// What was left in the directory after that, but for nothing.
    pub left_behind: Vec<String>,
    /// What was in the directory beside the socket while the plugin ran.
    pub beside: Vec<String>,
    /// The start after that.
    pub again: Option<Launch>,
    /// GetPluginInfo then.
    pub info_again: Option<Exchange>,
    /// GetPluginCapabilities then.
    pub capabilities_again: Option<Exchange>,
    /// NodeGetInfo then.
    pub node_info_again: Option<Exchange>,
    /// Whether the first of two instances still had its socket after a second one was started.
    pub kept_socket: Option<bool>,
    /// The start over a socket whose server was killed.
    pub over_stale: Option<Launch>,
}

/// How a start went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    /// It answers, after this time.
    Answers {
        /// From the start of the process to the first answer.
        after: Duration,
    },
    /// It ended by itself.
    Ended {
        /// How, for example `with status 0`.
        how: String,
        /// The end of what it wrote.
        output: String,
    },
    /// It runs, and does not answer at its CSI_ENDPOINT.
    NoAnswer {
        /// How long it was waited for.
        after: Duration,
        /// What was in the way.
        why: String,
        /// The end of what it wrote.
        output: String,
    },
}

/// What SIGTERM did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It ended.
    Ended {
        /// After this time.
        after: Duration,
        /// How, for example `with status 0`.
        how: String,
    },
    /// It did not end while it was waited for.
    Ignored {
        /// How long it was waited for.
        after: Duration,
    },
}

impl Launch {
    /// Whether it answers.
    #[must_use]
    pub fn is_good(&self) -> bool {
        matches!(self, Self::Answers { .. })
    }

    /// What it was, in a line.
    #[must_use]
    pub fn line(&self) -> String {
        let wrote = |output: &str| match output.trim() {
            "" => "; it wrote nothing".to_owned(),
            output => format!("; it wrote: {output}"),
        };
        match self {
            Self::Answers { after } => format!("it answered after {:.1} s", after.as_secs_f64()),
            Self::Ended { how, output } => format!("it ended {how}{}", wrote(output)),
            Self::NoAnswer { after, why, output } => {
                format!(
                    "no answer within {:.1} s: {why}{}",
                    after.as_secs_f64(),
                    wrote(output)
                )
            }
        }
    }
}
