/// Why a text is no duration of Go's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum DurationError {
    #[error("no duration; write it with units, as in 500ms, 3s or 1m30s")]
    Form,
    #[error("too long a duration; the limit is about 292 years")]
    TooLong,
}

/// Units and their nanoseconds. A micro sign is written in two ways.
const UNITS: [(&str, u128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("h", 3_600 * 1_000_000_000),
];

/// Digits of a fraction that can matter: an hour has under 10^13 nanoseconds.
const FRACTION_DIGITS: usize = 13;

/// Reads a duration as Go's `time.ParseDuration` does: a sign, then numbers with units, as in `-1.5h` or `1m30s`, or `0`.
pub(super) fn nanoseconds(text: &str) -> Result<i128, DurationError> {
    let (is_negative, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let total = match magnitude {
        "" => return Err(DurationError::Form),
        "0" => 0,
        _ => sum(magnitude)?,
    };
    let total = i64::try_from(total).map_err(|_too_big| DurationError::TooLong)?;
    Ok(if is_negative {
        -i128::from(total)
    } else {
        i128::from(total)
    })
}

fn sum(mut text: &str) -> Result<u128, DurationError> {
    let mut total: u128 = 0;
    while !text.is_empty() {
        let (whole, rest) = split_where(text, |character| !character.is_ascii_digit());
        let (fraction, rest) = match rest.strip_prefix('.') {
            Some(rest) => split_where(rest, |character| !character.is_ascii_digit()),
            None => ("", rest),
        };
        let (unit, rest) = split_where(rest, |character| {
            character.is_ascii_digit() || character == '.'
        });
        let is_number = !(whole.is_empty() && fraction.is_empty());
        let size = UNITS.iter().find(|(name, _)| *name == unit);
        let (true, Some((_, size))) = (is_number, size) else {
            return Err(DurationError::Form);
        };
        total = [
            number(whole)?.checked_mul(*size),
            Some(part_of(*size, fraction)),
            Some(total),
        ]
        .into_iter()
        .try_fold(0u128, |sum, part| sum.checked_add(part?))
        .ok_or(DurationError::TooLong)?;
        text = rest;
    }
    Ok(total)
}

fn split_where(text: &str, is_end: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}

fn number(digits: &str) -> Result<u128, DurationError> {
    if digits.is_empty() {
        return Ok(0);
    }
    digits.parse().map_err(|_too_big| DurationError::TooLong)
}

/// `0.digits` of a unit, in nanoseconds, rounded down.
fn part_of(size: u128, digits: &str) -> u128 {
    let mut scale = 1;
    let mut value = 0;
    for digit in digits.bytes().take(FRACTION_DIGITS) {
        scale *= 10;
        value = value * 10 + u128::from(digit - b'0');
    }
    value * size / scale
}

#[cfg(test)]
mod tests {
    use super::{DurationError, nanoseconds};

    #[test]
    fn durations_are_read_as_go_reads_them() {
        for (text, expected) in [
            ("0", 0),
            ("0s", 0),
            ("3s", 3_000_000_000),
            ("1m30s", 90_000_000_000),
            ("500ms", 500_000_000),
            ("1.5h", 5_400_000_000_000),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("+1m", 60_000_000_000),
            ("-3s", -3_000_000_000),
            ("7ns", 7),
            ("2us", 2_000),
            ("2\u{b5}s", 2_000),
            ("2\u{3bc}s", 2_000),
            ("1h1m1.000000001s", 3_661_000_000_001),
            ("0.00000000000000000001h", 0),
            ("2540400h10m10s", 9_145_440_610_000_000_000),
        ] {
            assert_eq!(nanoseconds(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_go_refuses_is_refused() {
        for text in [
            "", "+", "-", "5", "s", ".s", "1m 30s", "1x", "3 s", "abc", "1h30", "--1s", "1d", "1S",
            "1e3s",
        ] {
            assert_eq!(nanoseconds(text), Err(DurationError::Form), "{text:?}");
        }
        let digits = "9".repeat(60);
        for text in ["100000000h", &format!("{digits}s"), "9223372036854775808ns"] {
            assert_eq!(nanoseconds(text), Err(DurationError::TooLong), "{text}");
        }
    }
}
