//! Durations as people write them.

use std::time::Duration;

/// The form of a duration, as a regular expression.
pub(crate) const FORM: &str = "^[0-9]{1,9}(ms|s|m|h)$";

/// Why a text is no duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text} is no duration; write it as 500ms, 5s, 2m or 1h")]
pub struct DurationError {
    text: String,
}

/// Reads a duration as it is written everywhere: a whole number of at most 9 digits and `ms`, `s`, `m` or `h`.
///
/// # Errors
///
/// Any other text is no duration.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let unit_at = text
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => 0,
    };
    match number.parse::<u32>() {
        Ok(number) if milliseconds > 0 && unit_at <= 9 => {
            Ok(Duration::from_millis(u64::from(number) * milliseconds))
        }
        _ => Err(DurationError {
            text: crate::error::quoted(text),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::parse_duration;

    #[test]
    fn a_duration_is_a_whole_number_and_a_unit() {
        for (text, milliseconds) in [
            ("500ms", 500),
            ("5s", 5_000),
            ("2m", 120_000),
            ("1h", 3_600_000),
            ("0s", 0),
            ("999999999h", 3_599_999_996_400_000),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
    }

    #[test]
    fn other_text_is_told_the_form() {
        for text in [
            "",
            "5",
            "s",
            "5 s",
            "-1s",
            "1.5s",
            "1m30s",
            "5S",
            "1000000000s",
            "5d",
            "٥s",
        ] {
            assert_eq!(
                parse_duration(text).unwrap_err().to_string(),
                format!("{text:?} is no duration; write it as 500ms, 5s, 2m or 1h")
            );
        }
    }
}
