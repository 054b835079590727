//! What goes over the wire: protobuf, gRPC and HTTP/2.

use super::{GRPC, GRPC_C, SIDECARS, each, each_call};
use crate::wire::{Flaw, Message, flaws};
use crate::{
    Break, End, Evidence, Exchange, Method, NoStatus, Observation, Reply, Rule, Status, Theme,
    frames,
};

const THEME: Theme = Theme::Wire;
const GRPC_HTTP2: &str = "gRPC over HTTP/2, Responses";

/// What gRPC's clients take by default, in Go, C-core and tonic.
const MAX_MESSAGE: usize = 4 << 20;
/// What C-core takes by default before it may refuse.
const MAX_HEADERS: usize = 8 << 10;

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: "protobuf, Encoding",
        why: "No client can decode the reply; each says so in its own words, mostly INTERNAL.",
        go: "let google.golang.org/protobuf write the reply, from the original csi.proto",
        rust: "let prost write the reply, from the original csi.proto (crate csi-proto has it)",
        check: |seen| flawed(seen, |flaw| matches!(flaw, Flaw::Malformed { .. })),
        ..Rule::must("CSI-ID-110", THEME, "replies are protobuf messages")
    },
    Rule {
        clause: "CSI csi.proto; protobuf, Encoding",
        why: "Clients in Go read the field as unset, clients in Rust and other languages fail to decode the reply.",
        go: "generate from the original csi.proto, and do not change types in a copy of it",
        rust: "generate from the original csi.proto (crate csi-proto has it), and do not change types in a copy of it",
        check: |seen| flawed_unless_probe(seen, |flaw| matches!(flaw, Flaw::WrongType { .. })),
        ..Rule::must("CSI-ID-111", THEME, "fields have the types of csi.proto")
    },
    Rule {
        clause: "protobuf, Language Guide (proto3): string is UTF-8",
        why: "Clients in Go and Rust fail to decode the reply.",
        go: "strings.ToValidUTF8 on what comes from outside (serial numbers, host names)",
        rust: "String::from_utf8_lossy on what comes from outside; never from_utf8_unchecked",
        check: |seen| flawed(seen, |flaw| matches!(flaw, Flaw::NotUtf8 { .. })),
        ..Rule::must("CSI-ID-112", THEME, "texts are UTF-8")
    },
    Rule {
        clause: "CSI csi.proto 1.12; CSI spec.md, Versioning",
        why: "Callers drop fields that they do not know. If a newer specification has them all is well; a number of one's own will clash with it.",
        go: "put what is your own into Manifest",
        rust: "put what is your own into the manifest",
        check: |seen| flawed(seen, |flaw| matches!(flaw, Flaw::Unknown { .. })),
        ..Rule::advice(
            "CSI-ID-113",
            THEME,
            "replies have no fields beyond csi.proto 1.12",
        )
    },
    Rule {
        clause: GRPC_HTTP2,
        why: "gRPC says everything in grpc-status. Clients make a code of their own of another HTTP status, and never see the plugin's message.",
        go: "serve with grpc.Server.Serve, without an HTTP mux in between that answers for it",
        rust: "serve tonic's routes alone, or with a fallback that speaks gRPC",
        check: |seen| {
            identity_reply(seen, |reply| {
                (reply.http_status != 200).then(|| format!("HTTP {}", reply.http_status))
            })
        },
        ..Rule::must("CSI-ID-114", THEME, "replies have the HTTP status 200")
    },
    Rule {
        clause: GRPC_HTTP2,
        why: "Clients take the reply for something else than gRPC, and fail.",
        go: "serve with grpc.Server.Serve",
        rust: "serve tonic's routes",
        implied_by: &["CSI-ID-114"],
        check: |seen| {
            identity_reply(seen, |reply| {
                let content_type = reply.header("content-type");
                let is_grpc = content_type.is_some_and(|text| text.starts_with("application/grpc"));
                (!is_grpc).then(|| format!("content-type is {content_type:?}"))
            })
        },
        ..Rule::must(
            "CSI-ID-115",
            THEME,
            "replies have the content type application/grpc",
        )
    },
    Rule {
        clause: GRPC_HTTP2,
        why: "Without grpc-status a client cannot tell whether the call worked, and takes it for failed.",
        go: "serve with grpc.Server.Serve; a proxy in between has to pass on trailers",
        rust: "serve tonic's routes; a layer in between has to pass on trailers",
        implied_by: &["CSI-ID-114", "CSI-ID-115"],
        check: |seen| {
            identity_reply(seen, |reply| {
                let none: Option<NoStatus> = reply.status().err();
                none.map(|none| none.to_string())
            })
        },
        ..Rule::must("CSI-ID-116", THEME, "replies end with grpc-status")
    },
    Rule {
        clause: "gRPC over HTTP/2; csi.proto: the calls are unary",
        why: "A client fails the call, mostly with INTERNAL or UNIMPLEMENTED.",
        go: "return one reply, and nil for the error",
        rust: "return Ok(Response::new(reply))",
        implied_by: &["CSI-ID-114", "CSI-ID-115", "CSI-ID-116", "CSI-ID-119"],
        check: |seen| {
            identity_reply(seen, |reply| {
                let count = frames(&reply.body).0.len();
                let is_ok = reply.status().is_ok_and(|status| status.code == Status::OK);
                (is_ok && count != 1).then(|| format!("{count} messages"))
            })
        },
        ..Rule::must("CSI-ID-117", THEME, "a reply is one message")
    },
    Rule {
        clause: "gRPC, Compression: only what the client has said it accepts",
        why: "The caller did not offer to take compressed messages, so it fails the call.",
        go: "no grpc.SetSendCompressor, and no RPCCompressor option",
        rust: "no send_compressed(..) on the server",
        check: |seen| {
            identity_reply(seen, |reply| {
                let is_compressed = frames(&reply.body).0.iter().any(|frame| frame.compressed);
                let encoding = reply.header("grpc-encoding").unwrap_or("none");
                is_compressed.then(|| {
                    format!("the message is marked as compressed (grpc-encoding: {encoding})")
                })
            })
        },
        ..Rule::must(
            "CSI-ID-118",
            THEME,
            "replies are compressed only if the caller takes that",
        )
    },
    Rule {
        clause: "gRPC over HTTP/2, Length-Prefixed-Message",
        why: "The message ends before its length says, so no client takes it.",
        go: "serve with grpc.Server.Serve",
        rust: "serve tonic's routes; a layer in between has to pass on all of the body",
        implied_by: &["CSI-ID-114", "CSI-ID-115"],
        check: |seen| {
            identity_reply(seen, |reply| {
                let rest = frames(&reply.body).1;
                (rest > 0)
                    .then(|| format!("the last {rest} bytes of the body are no whole message"))
            })
        },
        ..Rule::must("CSI-ID-119", THEME, "replies are whole")
    },
    Rule {
        clause: "the limit of gRPC's clients, where nobody sets another: 4 MiB",
        why: "The client fails the call with RESOURCE_EXHAUSTED.",
        go: "put less into the reply",
        rust: "put less into the reply",
        check: |seen| {
            each_call(seen, |call| {
                let is_large = match &call.end {
                    End::Answered(reply) => reply.body.len() > MAX_MESSAGE,
                    End::Broken { how, .. } => *how == Break::TooMuch,
                    End::Silent { .. } => false,
                };
                is_large.then(|| Evidence::new("", "the reply has more than 4 MiB"))
            })
        },
        ..Rule::breaks(
            "CSI-ID-120",
            THEME,
            &[SIDECARS, GRPC],
            "replies have at most 4 MiB",
        )
    },
    Rule {
        clause: "C-core: 8 KiB of metadata; HTTP/2 clients in Rust: 16 KiB",
        why: "Clients in Python, C++ and Ruby may refuse the reply, those in Rust do from 16 KiB on.",
        go: "no grpc.SetHeader or SetTrailer with large values; short error messages",
        rust: "no large values in metadata; short error messages",
        check: |seen| {
            each_call(seen, |call| {
                let size = call.reply()?.largest_header_list();
                (size > MAX_HEADERS)
                    .then(|| Evidence::new("", format!("headers or trailers of {size} bytes")))
            })
        },
        ..Rule::breaks(
            "CSI-ID-121",
            THEME,
            &[GRPC_C],
            "headers and trailers have at most 8 KiB",
        )
    },
    Rule {
        clause: "protobuf, Encoding: the last one wins",
        why: "Decoders take the last of them, people who look at the bytes the first.",
        go: "let google.golang.org/protobuf write the reply",
        rust: "let prost write the reply",
        check: |seen| flawed(seen, |flaw| matches!(flaw, Flaw::Twice { .. })),
        ..Rule::advice(
            "CSI-ID-122",
            THEME,
            "a field that is there once is sent once",
        )
    },
    Rule {
        clause: "gRPC over HTTP/2, Status-Message",
        why: "Clients show garbage, or refuse the reply for a header that HTTP does not allow.",
        go: "serve with grpc.Server.Serve, which percent-encodes messages",
        rust: "serve tonic's routes, which percent-encode messages",
        check: |seen| {
            each_call(seen, |call| {
                let reply = call.reply()?;
                let fields = reply.trailers.as_ref().unwrap_or(&reply.headers);
                let (_, raw) = fields.iter().find(|(name, _)| name == "grpc-message")?;
                let is_plain = raw.bytes().all(|byte| matches!(byte, b' '..=b'~'));
                (!is_plain)
                    .then(|| Evidence::new("", format!("grpc-message is {raw:?} as it stands")))
            })
        },
        ..Rule::must(
            "CSI-ID-123",
            THEME,
            "the message of an error is percent-encoded",
        )
    },
    Rule {
        clause: "csi-lib-utils 0.24 (ExitOnConnectionLoss)",
        why: "Every sidecar exits when it loses its connection, so its Pod restarts again and again.",
        go: "no MaxConnectionAge and no timeouts for idle connections (keepalive.ServerParameters)",
        rust: "no max_connection_age, and no handler that panics",
        implied_by: &["CSI-ID-008", "CSI-ID-067"],
        check: |seen| {
            each(seen, |socket| {
                (socket.connections > 1).then(|| {
                    format!(
                        "the calls of this run took {} connections in place of one",
                        socket.connections
                    )
                })
            })
        },
        ..Rule::breaks("CSI-ID-124", THEME, &[SIDECARS], "a connection stays open")
    },
];

fn flawed(seen: &Observation, is_it: fn(&Flaw) -> bool) -> Vec<Evidence> {
    each_call(seen, |call| first_flaw(call, is_it))
}

/// That of Probe has a rule of its own.
fn flawed_unless_probe(seen: &Observation, is_it: fn(&Flaw) -> bool) -> Vec<Evidence> {
    each_call(seen, |call| {
        (call.method != Method::PROBE).then(|| first_flaw(call, is_it))?
    })
}

fn first_flaw(call: &Exchange, is_it: fn(&Flaw) -> bool) -> Option<Evidence> {
    let (bytes, message) = (call.message()?, Message::reply_of(call.method)?);
    let flaw = flaws(bytes, message).into_iter().find(is_it)?;
    Some(Evidence::new("", flaw.to_string()).with_bytes(call.method, bytes))
}

/// What speaks against a reply of the Identity service; of the others one does not know whether they are there at all.
fn identity_reply(seen: &Observation, against: fn(&Reply) -> Option<String>) -> Vec<Evidence> {
    each_call(seen, |call| {
        let reply = call.reply().filter(|_| call.method.is_identity())?;
        let text = against(reply)?;
        let evidence = Evidence::new("", text);
        Some(match &reply.body[..] {
            [] => evidence,
            body => evidence.with_body(body),
        })
    })
}
