//! The status of errors.

use super::{GRPC, each, each_call};
use crate::observe::SECRET;
use crate::{Evidence, Method, Rule, Status, Theme, code_name};

const THEME: Theme = Theme::Status;
const SCHEME: &str = "CSI spec.md, Error Scheme";

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: SCHEME,
        why: "The message is all that people see in events and logs; without one they see a code.",
        go: "status.Error(codes.FailedPrecondition, \"pool p0 is offline\")",
        rust: "Status::failed_precondition(\"pool p0 is offline\")",
        check: |seen| {
            each_call(seen, |call| {
                // For a service that is not there, the gRPC library answers, and that often without a word.
                let status = call.error().filter(|_| !call.is_unimplemented())?;
                status.message.is_empty().then(|| {
                    Evidence::new("", format!("{} without a message", code_name(status.code)))
                })
            })
        },
        ..Rule::must("CSI-ID-095", THEME, "an error has a message")
    },
    Rule {
        clause: SCHEME,
        why: "The specification wants details to be empty; callers do not look at them.",
        go: "status.Error in place of status.New(..).WithDetails(..)",
        rust: "Status::new in place of Status::with_details",
        check: |seen| {
            each_call(seen, |call| {
                let status = call.error()?;
                let size = status.details.len() / 4 * 3;
                (!status.details.is_empty()).then(|| {
                    Evidence::new(
                        "",
                        format!("{} with about {size} bytes of details", status.line()),
                    )
                })
            })
        },
        ..Rule::must("CSI-ID-096", THEME, "an error has no details")
    },
    Rule {
        clause: "gRPC, Status codes; CSI spec.md, Error Scheme",
        why: "gRPC has the codes 0 to 16. Clients make UNKNOWN of any other.",
        go: "use the constants of google.golang.org/grpc/codes",
        rust: "use tonic::Code",
        check: |seen| {
            each_call(seen, |call| {
                let status = call.error().filter(|status| status.code > 16)?;
                Some(Evidence::new("", format!("grpc-status is {}", status.code)))
            })
        },
        ..Rule::breaks(
            "CSI-ID-097",
            THEME,
            &[GRPC],
            "an error has a code that gRPC has",
        )
    },
    Rule {
        clause: "CSI spec.md, Secrets Requirements: do not log them",
        why: "Callers log error messages and put them into events, where anybody can read them.",
        go: "name the field in the message, not its value; never format a whole request with %v",
        rust: "name the field in the message, not its value; the Debug of csi-proto's messages hides secrets",
        check: |seen| {
            each(seen, |socket| {
                let call = socket.with_secret.as_ref()?;
                let message = call.error()?.message;
                message.contains(SECRET).then(|| {
                    format!(
                        "{}: the message has the value of a secret: {message:?}",
                        call.method
                    )
                })
            })
        },
        ..Rule::must("CSI-ID-098", THEME, "an error does not show secrets")
    },
    Rule {
        clause: SCHEME,
        why: "DEADLINE_EXCEEDED and CANCELLED are what a caller's own library says. Sidecars try again for ever on DEADLINE_EXCEEDED.",
        go: "codes.Unavailable or codes.Internal for a backend that is late, not the error of its context",
        rust: "Status::unavailable for a backend that is late",
        check: |seen| {
            each(seen, |socket| {
                let mut first = socket
                    .first
                    .values()
                    .filter(|call| call.method != Method::PROBE);
                first.find_map(|call| {
                    let status = call.error()?;
                    // Of these calls, none had a deadline or was cancelled.
                    [1, Status::DEADLINE_EXCEEDED]
                        .contains(&status.code)
                        .then(|| format!("{}: {}", call.method, status.line()))
                })
            })
        },
        ..Rule::advice(
            "CSI-ID-099",
            THEME,
            "no call without a deadline ends with DEADLINE_EXCEEDED or CANCELLED",
        )
    },
];
