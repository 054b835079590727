use std::path::Path;
use std::str::FromStr;

use super::Trace;

/// A form in which a [`Trace`] is written, chosen by the ending of a file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceForm {
    /// `.md`: Mermaid diagrams and tables.
    Markdown,
    /// `.html`: a page with pictures and a table, which loads nothing.
    Html,
    /// `.json`: everything, for programs.
    Json,
    /// `.svg`: one picture.
    Svg,
}

/// Why a file's name asks for no [`TraceForm`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} ends in none of .md, .html, .json and .svg")]
pub struct TraceFormError {
    name: String,
}

impl TryFrom<&Path> for TraceForm {
    type Error = TraceFormError;

    fn try_from(file: &Path) -> Result<Self, Self::Error> {
        let ending = file.extension().unwrap_or_default().to_ascii_lowercase();
        match ending.to_str() {
            Some("md") => Ok(Self::Markdown),
            Some("html") => Ok(Self::Html),
            Some("json") => Ok(Self::Json),
            Some("svg") => Ok(Self::Svg),
            _ => Err(TraceFormError {
                name: file.to_string_lossy().into_owned(),
            }),
        }
    }
}

impl FromStr for TraceForm {
    type Err = TraceFormError;

    fn from_str(file: &str) -> Result<Self, Self::Err> {
        Path::new(file).try_into()
    }
}

impl Trace {
    /// The whole file in this form, with a line break at its end.
    #[must_use]
    pub fn render(&self, form: TraceForm) -> String {
        match form {
            TraceForm::Markdown => self.to_mermaid(),
            TraceForm::Html => self.to_html(),
            TraceForm::Json => format!("{:#}\n", self.to_json()),
            TraceForm::Svg => self.to_svg(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_decides() {
        for (file, form) in [
            ("a.md", TraceForm::Markdown),
            ("/tmp/a.b.html", TraceForm::Html),
            ("a.JSON", TraceForm::Json),
            ("./a.svg", TraceForm::Svg),
        ] {
            assert_eq!(file.parse(), Ok(form));
        }
    }

    #[test]
    fn another_ending_is_told_which_there_are() {
        for file in ["", "html", ".html", "a.htm", "a.png", "a."] {
            assert_eq!(
                file.parse::<TraceForm>().unwrap_err().to_string(),
                format!("{file:?} ends in none of .md, .html, .json and .svg")
            );
        }
    }
}
