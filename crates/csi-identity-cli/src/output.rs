use std::io::{self, Write};

use clap::ValueEnum;
use csi_identity::CallError;
use serde_json::{Value, json};

use crate::verdict::Verdict;

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs, with the field names of the wire.
    Json,
}

/// Writes a plugin's answer, or its own error as the answer it is; whatever else went wrong is passed on.
pub(crate) fn write_answer<T, W: Write>(
    out: &mut W,
    format: Format,
    answer: Result<T, CallError>,
    text: impl FnOnce(&mut W, &T) -> io::Result<()>,
    json: impl FnOnce(&T) -> Value,
) -> anyhow::Result<Option<T>> {
    match (answer, format) {
        (Ok(answer), Format::Text) => {
            text(out, &answer)?;
            Ok(Some(answer))
        }
        (Ok(answer), Format::Json) => {
            write_json(out, &json(&answer))?;
            Ok(Some(answer))
        }
        (Err(CallError::Answered(status)), format) => {
            let (code, message) = (csi_identity::code_name(status.code()), status.message());
            match format {
                Format::Text if message.is_empty() => writeln!(out, "{code}")?,
                Format::Text => writeln!(out, "{code}: {}", printable(message))?,
                Format::Json => write_json(out, &json!({ "code": code, "message": message }))?,
            }
            Ok(None)
        }
        (Err(error), _) => Err(error.into()),
    }
}

/// A document on lines of its own, readable by people too.
pub(crate) fn write_json(out: &mut impl Write, value: &Value) -> io::Result<()> {
    writeln!(out, "{}", escaped(&format!("{value:#}")))
}

/// A document on one line, for those that come one after the other.
pub(crate) fn write_json_line(out: &mut impl Write, value: &Value) -> io::Result<()> {
    writeln!(out, "{}", escaped(&value.to_string()))
}

fn escaped(json: &str) -> String {
    let mut text = String::new();
    for c in json.chars() {
        // JSON has to escape no control character above U+001F, though terminals obey some.
        if ('\u{7f}'..='\u{9f}').contains(&c) {
            text.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            text.push(c);
        }
    }
    text
}

/// Output that goes nowhere once its reader has gone, as that of `head` has: what was found out still counts.
#[derive(Debug)]
pub(crate) struct WhileRead<W>(Option<W>);

impl<W> WhileRead<W> {
    pub(crate) fn new(out: W) -> Self {
        Self(Some(out))
    }
}

impl<W: Write> WhileRead<W> {
    fn unless_closed<T>(
        &mut self,
        nothing: T,
        work: impl FnOnce(&mut W) -> io::Result<T>,
    ) -> io::Result<T> {
        match self.0.as_mut().map(work) {
            Some(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.0 = None;
                Ok(nothing)
            }
            Some(done) => done,
            None => Ok(nothing),
        }
    }
}

impl<W: Write> Write for WhileRead<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), W::flush)
    }
}

/// What somebody else wrote, so that it cannot steer a terminal.
pub(crate) fn printable(text: &str) -> String {
    let escape = |c: char| -> Box<dyn Iterator<Item = char>> {
        if c.is_control() {
            Box::new(c.escape_default())
        } else {
            Box::new(std::iter::once(c))
        }
    };
    text.chars().flat_map(escape).collect()
}

/// An answer is a pass, the plugin's own error a fail.
pub(crate) fn verdict<T>(answer: Option<&T>) -> Verdict {
    if answer.is_some() {
        Verdict::Pass
    } else {
        Verdict::Fail
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(
            printable("a\u{1b}[31mb\nc \u{e4}"),
            "a\\u{1b}[31mb\\nc \u{e4}"
        );
    }
}
