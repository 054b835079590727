use std::ffi::OsString;
use std::vec;

use super::error::CompatError;
use super::value;

/// A flag of an old program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flag {
    pub(super) name: &'static str,
    pub(super) takes: Takes,
    /// What it does here, for the list of flags.
    pub(super) help: &'static str,
}

/// What stands behind a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// Nothing, or a boolean after an equals sign.
    Nothing,
    /// A value, after an equals sign or as the next argument.
    Value,
}

impl Flag {
    pub(super) const fn switch(name: &'static str, help: &'static str) -> Self {
        Self {
            name,
            takes: Takes::Nothing,
            help,
        }
    }

    pub(super) const fn value(name: &'static str, help: &'static str) -> Self {
        Self {
            name,
            takes: Takes::Value,
            help,
        }
    }

    /// Its line in the list of flags.
    pub(super) fn line(&self) -> String {
        let value = match self.takes {
            Takes::Nothing => "",
            Takes::Value => " value",
        };
        format!("  -{}{value}\n    \t{}", self.name, self.help)
    }
}

/// A flag as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// A flag and its value; that of a switch is `true` or `false`.
    Flag { name: &'static str, value: String },
    /// The list of flags was asked for.
    Help,
}

/// Reads arguments one flag after the other, as Go's package flag does.
#[derive(Debug)]
pub(super) struct FlagReader {
    arguments: vec::IntoIter<String>,
}

impl FlagReader {
    pub(super) fn new(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, CompatError> {
        let arguments = arguments
            .into_iter()
            .map(|argument| {
                argument
                    .into_string()
                    .map_err(|argument| CompatError::NotUtf8 { argument })
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            arguments: arguments.into_iter(),
        })
    }

    /// The next flag, or nothing where the flags end: at `--`, and before the first word without a dash.
    pub(super) fn next(&mut self, known: &[&[Flag]]) -> Result<Option<Given>, CompatError> {
        let Some(argument) = self.arguments.as_slice().first().cloned() else {
            return Ok(None);
        };
        // A lone dash is a word, not a flag.
        if argument == "-" || !argument.starts_with('-') {
            return Ok(None);
        }
        self.arguments.next();
        if argument == "--" {
            return Ok(None);
        }
        let text = argument.strip_prefix("--").unwrap_or(&argument[1..]);
        if text.starts_with(['-', '=']) {
            return Err(CompatError::Syntax { argument });
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        let Some(flag) = known
            .iter()
            .copied()
            .flatten()
            .find(|flag| flag.name == name)
        else {
            return match name {
                "h" | "help" => Ok(Some(Given::Help)),
                _ => Err(CompatError::Unknown {
                    name: name.to_owned(),
                }),
            };
        };
        let name = flag.name;
        let value = match flag.takes {
            Takes::Nothing => match value {
                None => true.to_string(),
                Some(value) => value::switch(name, &value)?.to_string(),
            },
            Takes::Value => value
                .or_else(|| self.arguments.next())
                .ok_or(CompatError::NoArgument { name })?,
        };
        Ok(Some(Given::Flag { name, value }))
    }

    /// What was not read, once there are no more flags.
    pub(super) fn rest(self) -> Vec<String> {
        self.arguments.collect()
    }
}
