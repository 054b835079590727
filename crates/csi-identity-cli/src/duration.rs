use std::time::Duration;

use csi_identity_config::parse_duration;

/// A duration in which something has to be possible.
pub(crate) fn parse_positive(text: &str) -> Result<Duration, String> {
    match parse_duration(text) {
        Ok(Duration::ZERO) => Err(format!(
            "{text:?} leaves no time at all; give some, as in 5s"
        )),
        duration => duration.map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_positive;

    #[test]
    fn some_durations_must_be_positive() {
        assert_eq!(
            parse_positive("1ms"),
            Ok(std::time::Duration::from_millis(1))
        );
        for text in ["0s", "0ms"] {
            let error = format!("{text:?} leaves no time at all; give some, as in 5s");
            assert_eq!(parse_positive(text), Err(error));
        }
        let error = "\"5\" is no duration; write it as 500ms, 5s, 2m or 1h".to_owned();
        assert_eq!(parse_positive("5"), Err(error));
    }
}
