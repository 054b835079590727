use std::time::Duration;

/// Reads `500ms`, `5s` or `2m`.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_no_duration| format!("{text:?} is no duration; write it as 500ms, 5s or 2m"))
}

/// The same, for time in which something has to be possible.
pub(crate) fn parse_positive(text: &str) -> Result<Duration, String> {
    match parse(text)? {
        Duration::ZERO => Err(format!(
            "{text:?} leaves no time at all; give some, as in 5s"
        )),
        duration => Ok(duration),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(parse("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse("5s"), Ok(Duration::from_secs(5)));
        assert_eq!(parse("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(parse("0s"), Ok(Duration::ZERO));
        for text in ["5", "", "s", "-1s", "1 parsec"] {
            let error = format!("{text:?} is no duration; write it as 500ms, 5s or 2m");
            assert_eq!(parse(text), Err(error.clone()));
            assert_eq!(parse_positive(text), Err(error));
        }
    }

    #[test]
    fn some_durations_must_be_positive() {
        assert_eq!(parse_positive("1ns"), Ok(Duration::from_nanos(1)));
        for text in ["0s", "0ms", "0"] {
            let error = format!("{text:?} leaves no time at all; give some, as in 5s");
            assert_eq!(parse_positive(text), Err(error));
        }
    }
}
