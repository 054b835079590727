//! The command lines of node-driver-registrar and livenessprobe, read into plain settings.
//!
//! Both programs are Go, so their flags are Go's: one dash or two, `-v=5` or `-v 5`, and everything after the first word
//! that is no flag is left unread. What is read here is what the releases up to node-driver-registrar 2.17 and
//! livenessprobe 2.19 take, the deprecated flags of the 2.x series included; the two logging libraries those releases had
//! are taken together, so that a chart for any of them goes through.
//!
//! Nothing here opens, binds or logs anything.

mod duration;
mod error;
mod exit;
mod flag;
mod liveness;
mod logging;
mod registrar;
mod run;
#[cfg(test)]
mod tests;
mod value;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) use error::CompatError;
pub(crate) use exit::Ending;
pub(crate) use liveness::{LivenessFlags, Metrics};
pub(crate) use registrar::RegistrarFlags;
pub(crate) use run::run;

use flag::FlagReader;

/// A program whose place this one can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OldProgram {
    /// node-driver-registrar, whose binary is called csi-node-driver-registrar.
    Registrar,
    /// livenessprobe.
    LivenessProbe,
}

/// What one of the old command lines asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// The list of flags, on standard error.
    Help,
    /// Name and version, on standard output.
    Version,
    /// Nothing: the old registrar's exec probe, which has answered "all is well" without a look since its release 2.9.
    Nothing,
    /// Register a plugin with the kubelet.
    Register(RegistrarFlags),
    /// Answer for a plugin's health over HTTP.
    AnswerForHealth(LivenessFlags),
}

/// The old program that a command is called by, if it is one.
///
/// Only the last part of the path counts, as links may be anywhere.
pub(crate) fn named(command: &OsStr) -> Option<OldProgram> {
    match Path::new(command).file_name()?.to_str()? {
        "csi-node-driver-registrar" | "node-driver-registrar" => Some(OldProgram::Registrar),
        "livenessprobe" => Some(OldProgram::LivenessProbe),
        _ => None,
    }
}

impl OldProgram {
    /// The name of its binary.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Registrar => "csi-node-driver-registrar",
            Self::LivenessProbe => "livenessprobe",
        }
    }

    /// Reads its arguments, without the name of the program.
    ///
    /// # Errors
    ///
    /// What the old program refuses, and settings with which it could never have worked;
    /// [`CompatError::exit_code`] says how it would have ended.
    pub(crate) fn parse(
        self,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<Request, CompatError> {
        let flags = FlagReader::new(arguments)?;
        match self {
            Self::Registrar => registrar::read(flags),
            Self::LivenessProbe => liveness::read(flags),
        }
    }

    /// The list of its flags, as help.
    pub(crate) fn usage(self) -> String {
        let own = match self {
            Self::Registrar => registrar::FLAGS,
            Self::LivenessProbe => liveness::FLAGS,
        };
        let mut text = format!("Usage of {}:\n", self.name());
        for flag in own.iter().chain(logging::FLAGS) {
            text.push_str(&flag.line());
            text.push('\n');
        }
        text
    }
}

/// Run in the place of node-driver-registrar or livenessprobe, with the flags, defaults and exit codes of that program.
///
/// A link of one of these names to this program does the same. See docs/drop-in.md for every flag.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  csi-identity compat csi-node-driver-registrar -- --csi-address=/csi/csi.sock \\
    --kubelet-registration-path=/var/lib/kubelet/plugins/disk.acme.io/csi.sock
  csi-identity compat livenessprobe -- --csi-address=/csi/csi.sock --http-endpoint=:9808

Exit codes: those of the program; 2 for a command line that is not understood.")]
pub(crate) struct Compat {
    /// csi-node-driver-registrar or livenessprobe.
    #[arg(value_parser = old_program, value_name = "NAME")]
    program: OldProgram,
    /// Arguments of that program.
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

impl Compat {
    pub(crate) fn run(self, out: &mut impl Write) -> ExitCode {
        let Self { program, arguments } = self;
        run(program, Path::new(program.name()), arguments, out)
    }
}

fn old_program(text: &str) -> Result<OldProgram, String> {
    named(OsStr::new(text))
        .ok_or_else(|| "write csi-node-driver-registrar or livenessprobe".to_owned())
}

/// The one warning about all that a command line asks for in vain.
fn warning(without_effect: &[String], unread: &[String]) -> Option<String> {
    let mut parts = Vec::new();
    if !without_effect.is_empty() {
        parts.push(format!("no effect here: {}", without_effect.join(", ")));
    }
    if let Some(first) = unread.first() {
        parts.push(format!(
            "not read, since {first:?} is no flag: {first:?} and all after it"
        ));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
