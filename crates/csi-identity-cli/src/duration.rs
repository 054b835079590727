use std::time::Duration;

/// Reads `500ms`, `5s` or `2m`.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_no_duration| format!("{text:?} is no duration; write it as 500ms, 5s or 2m"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(parse("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse("5s"), Ok(Duration::from_secs(5)));
        assert_eq!(parse("2m"), Ok(Duration::from_secs(120)));
        for text in ["5", "", "s", "-1s", "1 parsec"] {
            let error = format!("{text:?} is no duration; write it as 500ms, 5s or 2m");
            assert_eq!(parse(text), Err(error));
        }
    }
}
