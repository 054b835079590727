//! Where something stands in a file.

use std::fmt;

/// A place in a file: line and column, counted from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
}

impl Position {
    /// The beginning of a file.
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// The place just behind `before`, the text from the beginning of the file up to it.
    pub(crate) fn after(before: &str) -> Self {
        let mut at = Self::START;
        let mut characters = before.chars().peekable();
        while let Some(character) = characters.next() {
            // CR LF is one line break, CR alone another (YAML 1.2, section 5.4).
            let breaks = character == '\n' || character == '\r' && characters.peek() != Some(&'\n');
            at = if breaks {
                Self {
                    line: at.line + 1,
                    column: 1,
                }
            } else {
                Self {
                    column: at.column + 1,
                    ..at
                }
            };
        }
        at
    }
}

/// `LINE:COLUMN`, as compilers and editors have it.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::Position;

    #[test]
    fn lines_end_in_each_way_that_yaml_knows() {
        for (before, shown) in [
            ("", "1:1"),
            ("ab", "1:3"),
            ("äö", "1:3"),
            ("a\n", "2:1"),
            ("a\r\nb", "2:2"),
            ("a\rb", "2:2"),
            ("a\n\r\n\r", "4:1"),
        ] {
            assert_eq!(Position::after(before).to_string(), shown, "{before:?}");
        }
    }
}
