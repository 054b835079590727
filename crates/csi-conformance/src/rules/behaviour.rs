//! Many calls, calls that are cancelled or cut, deadlines, and what is new in requests.

use std::time::Duration;

use super::{GRPC, LIVENESSPROBE, SIDECARS, each, seconds};
use crate::{Exchange, Method, Rule, Socket, Theme};

const THEME: Theme = Theme::Behaviour;

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: "protobuf, Language Guide (proto3): unknown fields; CSI spec.md, Versioning",
        why: "An orchestrator that is newer than the plugin sends fields the plugin does not know, and no call works any more.",
        go: "do not set proto.UnmarshalOptions or interceptors that refuse unknown fields",
        rust: "do not check requests for unknown fields; prost skips them",
        implied_by: &["CSI-ID-038", "CSI-ID-066", "CSI-ID-067"],
        check: |seen| {
            each(seen, |socket| {
                let worse = socket
                    .unknown_fields
                    .iter()
                    .filter(|call| is_worse(socket, call));
                let all: Vec<_> = worse
                    .map(|call| format!("{}: {}", call.method, call.end.line()))
                    .collect();
                (!all.is_empty()).then(|| all.join("; "))
            })
        },
        ..Rule::must(
            "CSI-ID-140",
            THEME,
            "requests may have fields that the plugin does not know",
        )
    },
    Rule {
        clause: "gRPC, Cancellation",
        why: "Callers give up calls all the time, when they restart or their time is up. Afterwards the plugin answers nobody.",
        go: "release locks with defer; stop work on ctx.Done()",
        rust: "hold nothing over an .await that a dropped future would not give back",
        implied_by: &["CSI-ID-067"],
        check: |seen| {
            each(seen, |socket| {
                let call = socket
                    .after_cancel
                    .as_ref()
                    .filter(|call| is_worse(socket, call))?;
                Some(format!("Probe after cancelled ones: {}", call.end.line()))
            })
        },
        ..Rule::breaks(
            "CSI-ID-141",
            THEME,
            &[LIVENESSPROBE, SIDECARS],
            "the plugin answers after calls were cancelled",
        )
    },
    Rule {
        clause: "gRPC over HTTP/2; sidecars that restart",
        why: "A caller that dies in the middle of a call takes the plugin with it for all others.",
        go: "do not log.Fatal on errors of a connection",
        rust: "do not end the program on errors of a connection",
        implied_by: &["CSI-ID-067", "CSI-ID-141"],
        check: |seen| {
            each(seen, |socket| {
                let call = socket
                    .after_cut
                    .as_ref()
                    .filter(|call| is_worse(socket, call))?;
                Some(format!("Probe after cut connections: {}", call.end.line()))
            })
        },
        ..Rule::breaks(
            "CSI-ID-142",
            THEME,
            &[LIVENESSPROBE, SIDECARS],
            "the plugin answers after connections were cut",
        )
    },
    Rule {
        clause: "gRPC, Deadlines; CSI spec.md, Timeouts",
        why: "The caller has left by then; the work is done for nobody, and piles up when callers try again.",
        go: "pass ctx on, and return when ctx.Done() is closed",
        rust: "put tokio::time::timeout around what the backend does; tonic ends a call whose grpc-timeout is over",
        check: |seen| {
            each(seen, |socket| {
                /// What a busy machine may add.
                const SLACK: Duration = Duration::from_millis(500);
                let deadline = socket.deadline.as_ref()?;
                let took = deadline.exchange.took;
                (took > deadline.granted + SLACK).then(|| {
                    format!(
                        "a Probe with a deadline of {} ended after {}: {}",
                        seconds(deadline.granted),
                        seconds(took),
                        deadline.exchange.end.line()
                    )
                })
            })
        },
        ..Rule::advice("CSI-ID-143", THEME, "a call ends when its deadline is over")
    },
    Rule {
        clause: "gRPC over HTTP/2: streams are independent of each other",
        why: "One caller that is slow to send its request holds up all others.",
        go: "serve with grpc.Server.Serve",
        rust: "serve tonic's routes; no concurrency_limit of 1",
        implied_by: &["CSI-ID-038", "CSI-ID-066", "CSI-ID-067"],
        check: |seen| {
            each(seen, |socket| {
                let call = socket
                    .beside_open_call
                    .as_ref()
                    .filter(|call| is_worse(socket, call))?;
                Some(format!(
                    "Probe beside a call whose request does not end: {}",
                    call.end.line()
                ))
            })
        },
        ..Rule::breaks(
            "CSI-ID-144",
            THEME,
            &[GRPC],
            "a call that does not get on holds up no other",
        )
    },
    Rule {
        clause: "livenessprobe and each sidecar call on their own, at the same time",
        why: "Some of the callers get an error although nothing is wrong, exit or have the plugin restarted.",
        go: "no TryLock that turns a second call away in Identity's three",
        rust: "no limit that turns a second call away in Identity's three",
        implied_by: &["CSI-ID-066", "CSI-ID-067", "CSI-ID-141"],
        check: |seen| {
            each(seen, |socket| {
                let mut worse = socket.crowd.iter().filter(|call| is_worse(socket, call));
                let first = worse.next()?;
                Some(format!(
                    "{} of {} Probes at once: {}",
                    worse.count() + 1,
                    socket.crowd.len(),
                    first.end.line()
                ))
            })
        },
        ..Rule::breaks(
            "CSI-ID-145",
            THEME,
            &[LIVENESSPROBE, SIDECARS],
            "several callers at once are answered",
        )
    },
    Rule {
        clause: "gRPC, Metadata: unknown keys are ignored",
        why: "Tracing and proxies add metadata to calls, and no call works any more.",
        go: "do not refuse metadata that is not known",
        rust: "do not refuse metadata that is not known",
        implied_by: &["CSI-ID-038", "CSI-ID-066", "CSI-ID-067"],
        check: |seen| {
            each(seen, |socket| {
                let call = socket
                    .metadata
                    .as_ref()
                    .filter(|call| is_worse(socket, call))?;
                Some(format!(
                    "{} with metadata: {}",
                    call.method,
                    call.end.line()
                ))
            })
        },
        ..Rule::breaks(
            "CSI-ID-146",
            THEME,
            &[GRPC],
            "requests may have metadata that the plugin does not know",
        )
    },
    Rule {
        clause: "gRPC over HTTP/2, Requests: Content-Type is application/grpc, with or without +proto",
        why: "Clients may name the encoding, and some libraries do; no client known here that calls plugins does.",
        go: "serve with grpc.Server.Serve",
        rust: "serve tonic's routes",
        implied_by: &["CSI-ID-038", "CSI-ID-067"],
        check: |seen| {
            each(seen, |socket| {
                let call = socket
                    .grpc_proto
                    .as_ref()
                    .filter(|call| is_worse(socket, call))?;
                Some(format!(
                    "{} with application/grpc+proto: {}",
                    call.method,
                    call.end.line()
                ))
            })
        },
        ..Rule::advice(
            "CSI-ID-147",
            THEME,
            "requests may have the content type application/grpc+proto",
        )
    },
    Rule {
        clause: "gRPC, Server Reflection",
        why: "grpcurl and the like cannot call what reflection leaves out.",
        go: "reflection.Register(server) after all services are registered",
        rust: "register csi_proto::FILE_DESCRIPTOR_SET with tonic-reflection",
        check: |seen| {
            each(seen, |socket| {
                let services = socket.reflected.as_ref()?;
                let missing: Vec<_> = [
                    Method::PROBE,
                    Method::CONTROLLER_GET_CAPABILITIES,
                    Method::NODE_GET_CAPABILITIES,
                    Method::GROUP_CONTROLLER_GET_CAPABILITIES,
                ]
                .into_iter()
                .filter(|&method| {
                    socket
                        .call(method)
                        .is_some_and(|call| call.message().is_some())
                })
                .map(Method::service)
                .filter(|&service| !services.iter().any(|one| one == service))
                .collect();
                (!missing.is_empty())
                    .then(|| format!("it is offered, and leaves out {}", missing.join(", ")))
            })
        },
        ..Rule::advice(
            "CSI-ID-150",
            THEME,
            "server reflection names every service, where it is offered",
        )
    },
];

/// Whether a call that differs from the first in nothing that should matter ended worse.
fn is_worse(socket: &Socket, call: &Exchange) -> bool {
    let first = socket
        .call(call.method)
        .is_some_and(|first| first.message().is_some());
    first && call.message().is_none()
}
