//! What an HTTP answer has to be.

use std::fmt;
use std::str::FromStr;

/// The status of an HTTP answer: 200 to 599.
///
/// Lower numbers are not the last word of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HttpStatus(u16);

/// Why a number is no [`HttpStatus`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{number} is no status that an answer ends with; give one from 200 to 599")]
pub struct HttpStatusError {
    number: u16,
}

/// Text that must occur in the body of an answer: 1 byte to 4 KiB.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExpectedText(Box<str>);

/// Why a text is no [`ExpectedText`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpectedTextError {
    /// There is no text.
    #[error("the text expected in the body is empty, which is in every body; leave it out")]
    Empty,
    /// The text is over the limit.
    #[error(
        "the text expected in the body is {len} bytes long, the limit is {}",
        ExpectedText::MAX_LEN
    )]
    TooLong {
        /// The length of the text.
        len: usize,
    },
}

impl HttpStatus {
    /// The number.
    #[must_use]
    pub fn as_u16(self) -> u16 {
        self.0
    }
}

impl TryFrom<u16> for HttpStatus {
    type Error = HttpStatusError;

    fn try_from(number: u16) -> Result<Self, Self::Error> {
        match number {
            200..=599 => Ok(Self(number)),
            _ => Err(HttpStatusError { number }),
        }
    }
}

impl fmt::Display for HttpStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl ExpectedText {
    /// How many bytes the text may have.
    pub const MAX_LEN: usize = 4096;

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ExpectedText {
    type Err = ExpectedTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.len() {
            0 => Err(ExpectedTextError::Empty),
            len if len > Self::MAX_LEN => Err(ExpectedTextError::TooLong { len }),
            _ => Ok(Self(text.into())),
        }
    }
}

impl fmt::Display for ExpectedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{ExpectedText, HttpStatus};

    #[test]
    fn a_status_is_one_that_an_answer_ends_with() {
        for number in [200, 204, 301, 599] {
            assert_eq!(HttpStatus::try_from(number).unwrap().as_u16(), number);
        }
        for number in [0, 100, 199, 600, 20000] {
            assert_eq!(
                HttpStatus::try_from(number).unwrap_err().to_string(),
                format!("{number} is no status that an answer ends with; give one from 200 to 599")
            );
        }
    }

    #[test]
    fn expected_text_is_neither_empty_nor_long() {
        let longest = "x".repeat(4096);
        assert_eq!(longest.parse::<ExpectedText>().unwrap().as_str(), longest);
        for (text, message) in [
            (
                "",
                "the text expected in the body is empty, which is in every body; leave it out",
            ),
            (
                &format!("{longest}x"),
                "the text expected in the body is 4097 bytes long, the limit is 4096",
            ),
        ] {
            assert_eq!(
                text.parse::<ExpectedText>().unwrap_err().to_string(),
                message
            );
        }
    }
}
