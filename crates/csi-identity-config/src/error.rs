//! What is wrong with a configuration, where, and what would be right.

mod problem;

use std::fmt;
use std::sync::Arc;

use crate::position::Position;

pub use problem::Problem;

/// All that is wrong with one configuration file, in the order of the lines; never empty.
///
/// What the text says can be wrong in several places at once. What is no YAML ends the reading, so that is one error.
/// Displayed with one line for each error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(Vec<ConfigError>);

/// One thing that is wrong with a configuration file.
///
/// Displayed as one line, `FILE:LINE:COLUMN: found ..., ...` with what would be right at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    file: Arc<str>,
    position: Position,
    problem: Problem,
}

impl ConfigErrors {
    /// How many errors are told of one file; the others show when these are gone.
    pub const MOST: usize = 20;

    pub(crate) fn of(file: &str, flaws: Flaws) -> Self {
        let file = Arc::<str>::from(file);
        let mut flaws = flaws.0;
        flaws.sort_by_key(|flaw| flaw.at);
        // What an alias repeats is wrong once.
        flaws.dedup();
        let errors = flaws.into_iter().map(|Flaw { at, problem }| ConfigError {
            file: file.clone(),
            position: at,
            problem,
        });
        Self(errors.collect())
    }

    /// The errors, in the order of the lines.
    pub fn iter(&self) -> std::slice::Iter<'_, ConfigError> {
        self.0.iter()
    }
}

impl ConfigError {
    /// The file, as it was named to the reader.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Where in the file it is.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// What is wrong.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

impl<'a> IntoIterator for &'a ConfigErrors {
    type Item = &'a ConfigError;
    type IntoIter = std::slice::Iter<'a, ConfigError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.iter().enumerate() {
            let separator = if at == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A file name may have a line break in it.
        for character in self.file.chars() {
            match character {
                control if control.is_control() => write!(f, "{}", control.escape_default())?,
                other => write!(f, "{other}")?,
            }
        }
        write!(f, ":{}: {}", self.position, self.problem)
    }
}

impl std::error::Error for ConfigErrors {}

impl std::error::Error for ConfigError {}

/// A problem and its place, before the file is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) at: Position,
    pub(crate) problem: Problem,
}

/// What was found to be wrong so far, at most [`ConfigErrors::MOST`].
#[derive(Debug, Default)]
pub(crate) struct Flaws(Vec<Flaw>);

impl Flaws {
    pub(crate) fn add(&mut self, at: Position, problem: Problem) {
        let flaw = Flaw { at, problem };
        if !self.is_full() && !self.0.contains(&flaw) {
            self.0.push(flaw);
        }
    }

    /// Whether what is added is no longer told, so that it need not be found.
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= ConfigErrors::MOST
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Flaw> for Flaws {
    fn from(flaw: Flaw) -> Self {
        Self(vec![flaw])
    }
}

/// A text for a message: quoted, on one line, the beginning of it if it is long.
pub(crate) fn quoted(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}
