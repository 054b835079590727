//! Errors and what is behind them, in words.

use std::error::Error;
use std::fmt::Write as _;
use std::iter;

use csi_endpoint::ConnectError;
use tonic::Status;

/// An error and its causes, where a message does not have that of its cause in it.
pub(super) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    for cause in chain(error.source()) {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            // Infallible: a String takes everything.
            let _ = write!(text, ": {cause_text}");
        }
    }
    text
}

/// What a status says that was made on this side, because the connection failed.
pub(super) fn connection_failure(status: &Status) -> String {
    if let Some(error) = ConnectError::in_chain(status) {
        return with_causes(error);
    }
    // The errors on the way to the last one say no more than that they are some.
    let cause = chain(status.source()).last();
    let cause = cause.map_or_else(|| status.message().to_owned(), ToString::to_string);
    format!("the connection was lost before the answer came: {cause}")
}

fn chain<'a>(
    error: Option<&'a (dyn Error + 'static)>,
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(error, |&error| error.source())
}

#[cfg(test)]
mod tests {
    use std::io;

    use csi_endpoint::ConnectError;
    use tonic::Status;

    use super::{connection_failure, with_causes};

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Layer {
        text: &'static str,
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    }

    fn layer(
        text: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Layer {
        Layer {
            text,
            source: Some(source.into()),
        }
    }

    fn busy() -> ConnectError {
        ConnectError::Os {
            path: "/x.sock".into(),
            source: io::Error::other("out of memory"),
        }
    }

    #[test]
    fn each_cause_is_said_once() {
        let repeated = layer(
            "cannot read: disk is full",
            layer("disk is full", "no space"),
        );
        assert_eq!(
            with_causes(&repeated),
            "cannot read: disk is full: no space"
        );
    }

    #[test]
    fn a_connection_that_cannot_be_made_again_is_told_with_its_cause() {
        let status = Status::from_error(Box::new(layer("transport error", busy())));
        assert_eq!(
            connection_failure(&status),
            "cannot connect to /x.sock: out of memory"
        );
    }

    #[test]
    fn of_a_connection_that_was_lost_the_last_cause_counts() {
        let status = Status::from_error(Box::new(layer("transport error", "broken pipe")));
        assert_eq!(
            connection_failure(&status),
            "the connection was lost before the answer came: broken pipe"
        );
    }
}
