use std::ffi::OsString;
use std::path::PathBuf;

use csi_health::HttpEndpointError;
use csi_identity::endpoint::EndpointError;

use super::value::ValueError;
use super::{Ending, OldProgram};

/// Why an old command line cannot be carried out.
///
/// Where Go has words for it, the message begins with them, as somebody may look for them in a log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CompatError {
    #[error("argument {argument:?} is not UTF-8, as all text here has to be")]
    NotUtf8 { argument: OsString },
    #[error("bad flag syntax: {argument}")]
    Syntax { argument: String },
    #[error("flag provided but not defined: -{name}")]
    Unknown { name: String },
    #[error("flag needs an argument: -{name}")]
    NoArgument { name: &'static str },
    #[error("invalid boolean value {value:?} for -{name}: neither true nor false")]
    Switch { name: &'static str, value: String },
    #[error("invalid value {value:?} for flag -{name}")]
    Value {
        name: &'static str,
        value: String,
        source: ValueError,
    },
    #[error("logging-format {format:?} is neither text nor json")]
    LoggingFormat { format: String },
    #[error(
        "kubelet-registration-path is a required parameter; give the plugin's socket as the kubelet sees it"
    )]
    NoKubeletRegistrationPath,
    #[error("only one of --{flag} and --http-endpoint can be set")]
    Both { flag: &'static str },
    #[error("{flag} is wrong")]
    Endpoint {
        flag: &'static str,
        source: EndpointError,
    },
    #[error("{flag} is wrong")]
    HttpAddress {
        flag: &'static str,
        source: HttpEndpointError,
    },
    #[error("{flag} {path:?} is no absolute path")]
    Directory { flag: &'static str, path: PathBuf },
    #[error("metrics-path {path:?} does not begin with a slash, as in /metrics")]
    MetricsPath { path: String },
    #[error("{flag} leaves no time at all; give some, as in 3s")]
    NoTime { flag: &'static str },
}

impl CompatError {
    /// How the old program ends with it.
    pub(crate) fn ending(&self) -> Ending {
        match self {
            Self::NotUtf8 { .. }
            | Self::Syntax { .. }
            | Self::Unknown { .. }
            | Self::NoArgument { .. }
            | Self::Switch { .. }
            | Self::Value { .. } => Ending::Usage,
            Self::LoggingFormat { .. }
            | Self::NoKubeletRegistrationPath
            | Self::Both { .. }
            | Self::Endpoint { .. }
            | Self::HttpAddress { .. }
            | Self::Directory { .. }
            | Self::MetricsPath { .. }
            | Self::NoTime { .. } => Ending::Settings,
        }
    }

    /// Whether the list of flags belongs below the message.
    pub(crate) fn shows_usage(&self) -> bool {
        self.ending() == Ending::Usage
    }

    /// The exit code of the old program.
    pub(crate) fn exit_code(&self, program: OldProgram) -> u8 {
        self.ending().exit_code(program)
    }
}
