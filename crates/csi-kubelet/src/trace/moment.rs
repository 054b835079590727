//! Times for people.

use std::time::{Duration, SystemTime};

/// In milliseconds, with as many digits as say something.
pub(super) fn milliseconds(duration: Duration) -> String {
    let micros = duration.as_micros();
    match micros {
        0..10_000 => format!("{}.{:02} ms", micros / 1000, micros % 1000 / 10),
        10_000..1_000_000 => format!("{}.{} ms", micros / 1000, micros % 1000 / 100),
        _ => format!("{} ms", thousands(micros / 1000)),
    }
}

/// With a comma before every third digit.
pub(super) fn thousands(number: u128) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Milliseconds as a number, exact to a microsecond.
pub(super) fn as_milliseconds(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}

/// As RFC 3339 has it, in UTC.
pub(super) fn rfc3339(at: SystemTime) -> String {
    // The format has four digits for the year, and humantime panics before 1970.
    let last = SystemTime::UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    let at = at.clamp(SystemTime::UNIX_EPOCH, last);
    humantime::format_rfc3339_millis(at).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_shown_with_the_digits_that_matter() {
        for (micros, shown) in [
            (0, "0.00 ms"),
            (9_999, "9.99 ms"),
            (10_000, "10.0 ms"),
            (999_999, "999.9 ms"),
            (1_000_000, "1,000 ms"),
            (120_000_000, "120,000 ms"),
        ] {
            assert_eq!(milliseconds(Duration::from_micros(micros)), shown);
        }
        assert_eq!(thousands(1_234_567), "1,234,567");
    }

    #[test]
    fn a_moment_outside_four_digit_years_is_moved_to_the_nearest_within() {
        let epoch = SystemTime::UNIX_EPOCH;
        let year = Duration::from_secs(31_557_600);
        for (at, shown) in [
            (epoch - year, "1970-01-01T00:00:00.000Z"),
            (
                epoch + Duration::from_millis(1500),
                "1970-01-01T00:00:01.500Z",
            ),
            (epoch + year * 9000, "9999-12-31T23:59:59.000Z"),
        ] {
            assert_eq!(rfc3339(at), shown);
        }
    }
}
