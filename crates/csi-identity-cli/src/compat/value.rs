use std::path::PathBuf;
use std::time::Duration;

use csi_health::HttpEndpoint;
use csi_identity::endpoint::Endpoint;

use super::duration::{self, DurationError};
use super::error::CompatError;

/// Why the value of a flag cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum ValueError {
    #[error(transparent)]
    Duration(#[from] DurationError),
    #[error("no whole number in decimal from 0 to {highest}")]
    Number { highest: u32 },
    #[error("no whole number in decimal, without leading zeros")]
    Port,
}

/// The booleans of Go's strconv.
pub(super) fn switch(name: &'static str, text: &str) -> Result<bool, CompatError> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(CompatError::Switch {
            name,
            value: text.to_owned(),
        }),
    }
}

/// How long something may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeout(i128);

impl Timeout {
    pub(super) const fn seconds(seconds: i64) -> Self {
        Self(seconds as i128 * 1_000_000_000)
    }

    pub(super) fn parse(name: &'static str, text: &str) -> Result<Self, CompatError> {
        duration::nanoseconds(text)
            .map(Self)
            .map_err(|error| unreadable(name, text, error))
    }

    /// A timeout in which something is possible; the old programs take any, and then never have an answer in time.
    pub(super) fn positive(self, flag: &'static str) -> Result<Duration, CompatError> {
        match u64::try_from(self.0) {
            Ok(nanoseconds @ 1..) => Ok(Duration::from_nanos(nanoseconds)),
            _ => Err(CompatError::NoTime { flag }),
        }
    }
}

pub(super) fn verbosity(name: &'static str, text: &str) -> Result<u32, CompatError> {
    let highest = i32::MAX.unsigned_abs();
    match digits(text).and_then(|text| text.parse().ok()) {
        Some(number) if number <= highest => Ok(number),
        _ => Err(unreadable(name, text, ValueError::Number { highest })),
    }
}

/// A port as the registrar takes it: whatever is not above 0 means none.
pub(super) fn port(name: &'static str, text: &str) -> Result<i64, CompatError> {
    let magnitude = text.strip_prefix(['-', '+']).unwrap_or(text);
    // Go takes 010 for 8 and 0x10 for 16. Nobody means that of a port, so it is no number here rather than another one.
    let is_plain = magnitude == "0" || !magnitude.starts_with('0');
    match digits(magnitude).filter(|_| is_plain) {
        Some(_) => text.parse().ok(),
        None => None,
    }
    .ok_or_else(|| unreadable(name, text, ValueError::Port))
}

fn digits(text: &str) -> Option<&str> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(text)
}

fn unreadable(name: &'static str, text: &str, source: impl Into<ValueError>) -> CompatError {
    CompatError::Value {
        name,
        value: text.to_owned(),
        source: source.into(),
    }
}

pub(super) fn endpoint(flag: &'static str, text: &str) -> Result<Endpoint, CompatError> {
    text.parse()
        .map_err(|source| CompatError::Endpoint { flag, source })
}

pub(super) fn http_address(flag: &'static str, text: &str) -> Result<HttpEndpoint, CompatError> {
    text.parse()
        .map_err(|source| CompatError::HttpAddress { flag, source })
}

pub(super) fn directory(flag: &'static str, text: &str) -> Result<PathBuf, CompatError> {
    let path = PathBuf::from(text);
    match path.is_absolute() {
        true => Ok(path),
        false => Err(CompatError::Directory { flag, path }),
    }
}
