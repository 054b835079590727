//! How a report is written, and where to.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context as _;

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For CI.
    Junit,
    /// For tickets and pages.
    Markdown,
}

/// A form, and the file it goes to unless that is standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Output {
    form: Form,
    file: Option<PathBuf>,
}

/// Why a text is no [`Output`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum OutputError {
    #[error("{form:?} is no format; it is text, json, junit or markdown")]
    Form { form: String },
    #[error("{form}= names no file; write it as {form}=FILE")]
    NoFile { form: String },
}

impl Output {
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// Has it written where it belongs.
    pub(super) fn write(
        &self,
        out: &mut impl Write,
        write: impl FnOnce(Form, &mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let Some(path) = &self.file else {
            return Ok(write(self.form, out)?);
        };
        let written = File::create(path).and_then(|file| {
            let mut file = io::BufWriter::new(file);
            write(self.form, &mut file)?;
            file.flush()
        });
        written.with_context(|| format!("cannot write {}", path.display()))
    }
}

impl FromStr for Output {
    type Err = OutputError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (form, file) = match text.split_once('=') {
            Some((form, "")) => {
                let form = form.to_owned();
                return Err(OutputError::NoFile { form });
            }
            Some((form, file)) => (form, Some(file.into())),
            None => (text, None),
        };
        let form = match form {
            "text" => Form::Text,
            "json" => Form::Json,
            "junit" => Form::Junit,
            "markdown" => Form::Markdown,
            form => {
                let form = form.to_owned();
                return Err(OutputError::Form { form });
            }
        };
        Ok(Self { form, file })
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Output};

    #[test]
    fn a_format_may_go_to_a_file() {
        let output = |form, file: Option<&str>| Output {
            form,
            file: file.map(Into::into),
        };
        assert_eq!("json".parse(), Ok(output(Form::Json, None)));
        assert_eq!(
            "junit=a=b.xml".parse(),
            Ok(output(Form::Junit, Some("a=b.xml")))
        );
        for (text, message) in [
            (
                "xml",
                "\"xml\" is no format; it is text, json, junit or markdown",
            ),
            ("text=", "text= names no file; write it as text=FILE"),
        ] {
            assert_eq!(text.parse::<Output>().unwrap_err().to_string(), message);
        }
    }
}
