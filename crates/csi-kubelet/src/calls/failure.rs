//! What a caller in Go would have in its log in place of what happened here.

use std::error::Error as _;
use std::iter;

use csi_endpoint::ConnectError;
use h2::Reason;
use tonic::{Code, Status};

use crate::Failure;

/// A blocking dial tells nothing but that its time is up.
pub(super) fn of_dial(cause: String) -> Failure {
    Failure {
        code: Code::DeadlineExceeded,
        message: "context deadline exceeded".to_owned(),
        cause: Some(cause),
    }
}

/// Why a path is not dialled as it stands.
pub(super) const OTHER_PATH: &str =
    "a kubelet takes the path for a part of a URL; use no '%', '?' and '#' in it";

/// What is to be dialled cannot be read.
pub(super) fn of_target(message: String) -> Failure {
    Failure {
        code: Code::Unknown,
        message,
        cause: Some(OTHER_PATH.to_owned()),
    }
}

pub(super) fn of_deadline() -> Failure {
    Failure {
        code: Code::DeadlineExceeded,
        message: rpc_error(Code::DeadlineExceeded, "context deadline exceeded"),
        cause: None,
    }
}

/// `connect(2)` failed.
pub(super) fn of_connection(path: &str, refused: &str, cause: String) -> Failure {
    let description = format!(
        "connection error: desc = \"transport: Error while dialing: dial unix {path}: {refused}\""
    );
    Failure {
        code: Code::Unavailable,
        message: rpc_error(Code::Unavailable, &description),
        cause: Some(cause),
    }
}

/// The connection was there and is lost.
pub(super) fn of_loss(cause: String) -> Failure {
    Failure {
        code: Code::Unavailable,
        message: rpc_error(Code::Unavailable, "error reading from server: EOF"),
        cause: Some(cause),
    }
}

pub(super) fn of_status(status: &Status) -> Failure {
    if let Some(error) = ConnectError::in_chain(status) {
        return match in_go(error) {
            Some((path, refused)) => of_connection(&path, refused, error.to_string()),
            None => of_loss(error.to_string()),
        };
    }
    if let Some(reason) = reset(status) {
        return of_reset(reason);
    }
    // A status with another cause was made on this side: the connection is lost.
    match (status.code(), status.source()) {
        (Code::Unavailable, Some(_)) => of_loss(status.message().to_owned()),
        (code, _) => Failure {
            code,
            message: rpc_error(code, status.message()),
            cause: None,
        },
    }
}

/// The server did not want the stream, or not any more.
fn of_reset(reason: Reason) -> Failure {
    // The table of grpc-go (`http_util.go`).
    let code = match reason {
        Reason::FLOW_CONTROL_ERROR | Reason::ENHANCE_YOUR_CALM => Code::ResourceExhausted,
        Reason::REFUSED_STREAM => Code::Unavailable,
        Reason::CANCEL => Code::Cancelled,
        Reason::INADEQUATE_SECURITY => Code::PermissionDenied,
        known if u32::from(known) <= u32::from(Reason::HTTP_1_1_REQUIRED) => Code::Internal,
        _ => Code::Unknown,
    };
    let description = format!("stream terminated by RST_STREAM with error code: {reason:?}");
    let cause = (reason == Reason::PROTOCOL_ERROR).then(|| {
        "servers that take no socket path for an authority answer so, among them those in Rust on h2 alone".to_owned()
    });
    Failure {
        code,
        message: rpc_error(code, &description),
        cause,
    }
}

fn reset(status: &Status) -> Option<Reason> {
    let causes = iter::successors(status.source(), |&cause| cause.source());
    let mut resets = causes.filter_map(|cause| cause.downcast_ref::<h2::Error>());
    resets.find(|error| error.is_reset())?.reason()
}

/// The path that could not be connected to, and how Go says why.
fn in_go(error: &ConnectError) -> Option<(String, &'static str)> {
    let (path, refused) = match error {
        ConnectError::NoSocket { path, .. } => (path, "connect: no such file or directory"),
        ConnectError::NotADirectory { path, .. } => (path, "connect: not a directory"),
        ConnectError::NotASocket { path, .. } | ConnectError::Refused { path } => {
            (path, "connect: connection refused")
        }
        ConnectError::Denied { path, .. } => (path, "connect: permission denied"),
        ConnectError::Busy { path } => (path, "connect: resource temporarily unavailable"),
        ConnectError::WrongType { path } => (path, "connect: protocol wrong type for socket"),
        _ => return None,
    };
    Some((path.display().to_string(), refused))
}

fn rpc_error(code: Code, description: &str) -> String {
    // Go writes the codes as names of its own, such as DeadlineExceeded; only one of them has an irregular name.
    let name = match code {
        Code::Ok => "OK".to_owned(),
        Code::Cancelled => "Canceled".to_owned(),
        other => format!("{other:?}"),
    };
    format!("rpc error: code = {name} desc = {description}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_shown_as_go_shows_it() {
        for (status, message) in [
            (
                Status::unimplemented("unknown service pluginregistration.Registration"),
                "rpc error: code = Unimplemented desc = unknown service pluginregistration.Registration",
            ),
            (
                Status::failed_precondition("not yet"),
                "rpc error: code = FailedPrecondition desc = not yet",
            ),
            (Status::cancelled(""), "rpc error: code = Canceled desc = "),
        ] {
            let failure = of_status(&status);
            assert_eq!((failure.message.as_str(), failure.cause), (message, None));
            assert_eq!(failure.code, status.code());
        }
    }

    #[test]
    fn what_cannot_be_connected_to_is_said_as_go_says_it_and_explained() {
        let error = ConnectError::Refused {
            path: "/run/csi.sock".into(),
        };
        let mut status = Status::unavailable("x");
        status.set_source(std::sync::Arc::new(error));
        let failure = of_status(&status);
        assert_eq!(
            failure.message,
            "rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: dial unix \
             /run/csi.sock: connect: connection refused\""
        );
        assert_eq!(
            failure.cause.unwrap(),
            "nobody listens on /run/csi.sock; its server is gone and left the socket, or is about to listen"
        );
    }
}
