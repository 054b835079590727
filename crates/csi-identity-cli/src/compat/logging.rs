use super::error::CompatError;
use super::flag::Flag;
use super::value;
use crate::log::LogFormat;

/// How to log, by an old command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Logging {
    /// What `--verbose` counts: 0, 1 or 2.
    pub(crate) verbose: u8,
    pub(crate) format: LogFormat,
}

/// The flags of klog, of k8s.io/component-base/logs, and those that both programs have for the Go runtime.
pub(super) const FLAGS: &[Flag] = &[
    Flag::value(
        "v",
        "how much to log: up to 3 what matters, 4 and 5 more, from 6 on the transport too (default 0)",
    ),
    Flag::value("logging-format", "text or json (default text)"),
    Flag::switch("add_dir_header", NONE),
    Flag::switch("alsologtostderr", "accepted; the log is on standard error"),
    Flag::value("alsologtostderrthreshold", NONE),
    Flag::switch("automaxprocs", NONE),
    Flag::value("connection-timeout", NONE),
    Flag::value("feature-gates", NONE),
    Flag::switch("legacy_stderr_threshold_behavior", NONE),
    Flag::value("log-flush-frequency", NONE),
    Flag::value("log-json-info-buffer-size", NONE),
    Flag::switch("log-json-split-stream", NONE),
    Flag::value("log-text-info-buffer-size", NONE),
    Flag::switch("log-text-split-stream", NONE),
    Flag::value("log_backtrace_at", NONE),
    Flag::value("log_dir", NONE),
    Flag::value("log_file", NONE),
    Flag::value("log_file_max_size", NONE),
    Flag::switch("logtostderr", "accepted; the log is on standard error"),
    Flag::switch("one_output", NONE),
    Flag::switch("skip_headers", NONE),
    Flag::switch("skip_log_headers", NONE),
    Flag::value("stderrthreshold", NONE),
    Flag::value("vmodule", NONE),
];

const NONE: &str = "accepted, without effect";

/// What the shared flags of a command line say.
#[derive(Debug, Default)]
pub(super) struct LogFlags {
    verbosity: u32,
    format: Option<String>,
    without_effect: Vec<String>,
}

impl LogFlags {
    pub(super) fn set(&mut self, name: &'static str, value: String) -> Result<(), CompatError> {
        match (name, &*value) {
            ("v", text) => self.verbosity = value::verbosity(name, text)?,
            ("logging-format", _) => self.format = Some(value),
            // This is so in any case.
            ("logtostderr" | "alsologtostderr", "true") => {}
            ("logtostderr", _) => self.ignore(name),
            // A switch that is off asks for nothing.
            (_, "false") => {}
            _ => self.ignore(name),
        }
        Ok(())
    }

    /// Keeps in mind that a flag was given in vain.
    pub(super) fn ignore(&mut self, name: &'static str) {
        let flag = format!("-{name}");
        if !self.without_effect.contains(&flag) {
            self.without_effect.push(flag);
        }
    }

    /// The settings, and the warning about all that has no effect.
    pub(super) fn finish(
        self,
        unread: &[String],
    ) -> Result<(Logging, Option<String>), CompatError> {
        let Self {
            verbosity,
            format,
            without_effect,
        } = self;
        let format = match format.as_deref() {
            None | Some("text") => LogFormat::Text,
            Some("json") => LogFormat::Json,
            Some(format) => {
                return Err(CompatError::LoggingFormat {
                    format: format.to_owned(),
                });
            }
        };
        // Charts ship with 2 as a matter of course, and with 4 or 5 where somebody looks into something.
        let verbose = match verbosity {
            0..=3 => 0,
            4..=5 => 1,
            _ => 2,
        };
        Ok((
            Logging { verbose, format },
            super::warning(&without_effect, unread),
        ))
    }
}
