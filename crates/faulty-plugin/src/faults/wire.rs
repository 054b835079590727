//! protobuf, gRPC and HTTP/2. Nearly all of it is about GetPluginInfo, so that other calls tell the fault from a plugin
//! that is not there.

use csi_proto::csi::v1::GetPluginInfoResponse;
use h2::Reason;
use prost::Message as _;
use tonic::Code;

use crate::fault::Fault;
use crate::plugin::Plugin;
use crate::reply::{Ending, Frame, Reply};
use crate::rpc::{CAPABILITIES, INFO, NODE_INFO};

mod gzip;

const PROTOBUF: &str = "protobuf, Encoding";
const RESPONSES: &str = "gRPC over HTTP/2, Responses";
const MESSAGES: &str = "gRPC over HTTP/2, Length-Prefixed-Message";
const COMPRESSION: &str = "gRPC, Compression: only what the client offered";
const ENDED: &str = "RFC 9113: the call gets no answer";

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "wire-name-wrong-type",
        "sends the name as a number",
        PROTOBUF,
        |plugin| {
            message(plugin, b"\x08\x07\x12\x051.2.3");
        },
    ),
    Fault::new(
        "wire-capabilities-wrong-type",
        "sends a capability as a fixed number of 32 bits",
        PROTOBUF,
        |plugin| {
            plugin.shape(CAPABILITIES.path(), |reply| {
                reply.set_message(b"\x0d\x02\0\0\0".to_vec());
            });
        },
    ),
    Fault::new(
        "wire-node-id-wrong-type",
        "sends the node_id as a number",
        PROTOBUF,
        |plugin| {
            plugin.shape(NODE_INFO.path(), |reply| {
                reply.set_message(b"\x08\x07".to_vec());
            });
        },
    ),
    Fault::new(
        "wire-field-cut",
        "sends a message that ends within its name",
        PROTOBUF,
        |plugin| {
            message(plugin, b"\x0a\x12disk.fault");
        },
    ),
    Fault::new(
        "wire-field-zero",
        "sends a field with the number 0",
        PROTOBUF,
        |plugin| {
            info(plugin, |message| message.extend(b"\x02\x01x"));
        },
    ),
    Fault::new(
        "wire-field-unknown",
        "sends a field 99, which no specification has",
        "no clause: clients skip it; it comes of a changed .proto file",
        |plugin| {
            info(plugin, |message| message.extend(b"\x9a\x06\x01x"));
        },
    ),
    Fault::new(
        "wire-name-twice",
        "sends the name twice, and another one first",
        "protobuf, Encoding: the last one counts, not for every reader",
        |plugin| {
            info(plugin, |message| {
                drop(message.splice(0..0, *b"\x0a\x04disk"));
            });
        },
    ),
    Fault::new(
        "wire-truncated-message",
        "sends ten bytes less than the length of the message says",
        MESSAGES,
        |plugin| {
            plugin.shape(INFO.path(), |reply| {
                for frame in &mut reply.frames {
                    frame.missing = 10;
                }
            });
        },
    ),
    Fault::new(
        "wire-no-message",
        "ends a call with OK and without a message",
        RESPONSES,
        |plugin| {
            plugin.shape(INFO.path(), |reply| reply.frames.clear());
        },
    ),
    Fault::new(
        "wire-two-messages",
        "answers a unary call with two messages",
        RESPONSES,
        |plugin| {
            plugin.shape(INFO.path(), |reply| reply.frames.extend_from_within(..));
        },
    ),
    Fault::new(
        "wire-no-trailers",
        "ends an answer without trailers",
        RESPONSES,
        |plugin| {
            plugin.shape(INFO.path(), |reply| reply.trailers.clear());
        },
    ),
    Fault::new(
        "wire-no-status",
        "ends an answer with trailers that have no grpc-status",
        RESPONSES,
        |plugin| {
            plugin.shape(INFO.path(), |reply| {
                reply.trailers = vec![("x-trace", b"7".to_vec())];
            });
        },
    ),
    Fault::new(
        "wire-trailers-only-without-status",
        "answers with headers only, and without grpc-status",
        RESPONSES,
        |plugin| {
            plugin.shape(INFO.path(), |reply| {
                reply.frames.clear();
                reply.trailers.clear();
            });
        },
    ),
    Fault::new(
        "wire-status-not-a-number",
        "ends an answer with the grpc-status OK in letters",
        RESPONSES,
        |plugin| {
            plugin.shape(INFO.path(), |reply| {
                reply.trailers = vec![("grpc-status", b"OK".to_vec())];
            });
        },
    ),
    Fault::new(
        "wire-status-99",
        "ends a call with the grpc-status 99, which gRPC does not have",
        RESPONSES,
        |plugin| {
            plugin.shape(INFO.path(), |reply| {
                reply.frames.clear();
                reply.trailers = vec![
                    ("grpc-status", b"99".to_vec()),
                    ("grpc-message", b"trouble".to_vec()),
                ];
            });
        },
    ),
    Fault::new(
        "wire-status-message-raw",
        "sends a status message with bytes over 127 in place of percent signs",
        "gRPC over HTTP/2, Status-Message: percent-encoded",
        |plugin| {
            let mut reply = Reply::status(Code::Internal, "");
            reply
                .trailers
                .push(("grpc-message", "das Gerät fehlt".as_bytes().to_vec()));
            plugin.set(INFO.path(), reply);
        },
    ),
    Fault::new(
        "wire-content-type",
        "answers with the content type application/json",
        RESPONSES,
        |plugin| {
            plugin.shape(INFO.path(), |reply| reply.content_type = "application/json");
        },
    ),
    Fault::new(
        "wire-http-404",
        "answers with the HTTP status 404, as a web server does",
        RESPONSES,
        |plugin| {
            http(plugin, 404, "not found");
        },
    ),
    Fault::new(
        "wire-http-503",
        "answers with the HTTP status 503, as a proxy does",
        RESPONSES,
        |plugin| {
            http(plugin, 503, "no upstream");
        },
    ),
    Fault::new(
        "wire-compressed",
        "compresses an answer with gzip, which the client did not offer",
        COMPRESSION,
        |plugin| {
            plugin.shape(INFO.path(), |reply| {
                let message: GetPluginInfoResponse = reply.message();
                let message = gzip::stored(&message.encode_to_vec());
                reply.frames = vec![Frame {
                    message,
                    flag: 1,
                    missing: 0,
                }];
                reply.headers.push(("grpc-encoding", "gzip".to_owned()));
            });
        },
    ),
    Fault::new(
        "wire-compressed-flag",
        "marks a message as compressed, and names no encoding",
        COMPRESSION,
        |plugin| {
            plugin.shape(INFO.path(), |reply| {
                for frame in &mut reply.frames {
                    frame.flag = 1;
                }
            });
        },
    ),
    Fault::new(
        "wire-large-headers",
        "sends 12 KiB of response headers",
        "gRPC: clients in C, C++ and Python take 8 KiB",
        |plugin| {
            plugin.shape(INFO.path(), |reply| {
                reply
                    .headers
                    .extend((0..3).map(|_| ("x-trace", "t".repeat(4096))));
            });
        },
    ),
    Fault::new(
        "wire-giant-headers",
        "sends 64 KiB of response headers",
        "gRPC: many clients take 8 or 16 KiB",
        |plugin| {
            plugin.shape(INFO.path(), |reply| {
                // A header field has a limit of its own in many clients.
                reply
                    .headers
                    .extend((0..16).map(|_| ("x-trace", "t".repeat(4096))));
            });
        },
    ),
    Fault::new(
        "wire-rst-stream",
        "resets the stream with INTERNAL_ERROR",
        ENDED,
        |plugin| {
            ended(plugin, Ending::Reset(Reason::INTERNAL_ERROR));
        },
    ),
    Fault::new(
        "wire-rst-stream-refused",
        "resets the stream with REFUSED_STREAM, each time",
        ENDED,
        |plugin| {
            ended(plugin, Ending::Reset(Reason::REFUSED_STREAM));
        },
    ),
    Fault::new(
        "wire-rst-stream-after-message",
        "resets the stream with CANCEL in place of trailers",
        RESPONSES,
        |plugin| {
            plugin.shape(INFO.path(), |reply| {
                reply.ending = Ending::Reset(Reason::CANCEL);
            });
        },
    ),
    Fault::new(
        "wire-goaway",
        "ends the connection with GOAWAY, ENHANCE_YOUR_CALM",
        ENDED,
        |plugin| {
            plugin.shape(INFO.path(), |reply| {
                reply.ending = Ending::GoAway(Reason::ENHANCE_YOUR_CALM);
            });
        },
    ),
    Fault::new(
        "wire-cut",
        "closes the connection in the middle of a call",
        ENDED,
        |plugin| {
            plugin.shape(INFO.path(), |reply| reply.ending = Ending::Cut);
        },
    ),
    Fault::new(
        "wire-close-after-call",
        "closes the connection after each call",
        "the external sidecars exit when a connection is lost",
        |plugin| {
            for path in plugin.paths().collect::<Vec<_>>() {
                plugin.shape(path, |reply| reply.ending = Ending::ThenClose);
            }
        },
    ),
];

fn message(plugin: &mut Plugin, bytes: &[u8]) {
    plugin.shape(INFO.path(), |reply| reply.set_message(bytes.to_vec()));
}

/// Changes the bytes of a message that is good.
fn info(plugin: &mut Plugin, change: impl FnOnce(&mut Vec<u8>)) {
    plugin.shape(INFO.path(), |reply| {
        if let Some(frame) = reply.frames.first_mut() {
            change(&mut frame.message);
        }
    });
}

fn ended(plugin: &mut Plugin, ending: Ending) {
    plugin.shape(INFO.path(), |reply| {
        reply.frames.clear();
        reply.ending = ending;
    });
}

/// Answers as if there were no gRPC.
fn http(plugin: &mut Plugin, status: u16, text: &str) {
    plugin.shape(INFO.path(), |reply| {
        reply.http_status = status;
        reply.content_type = "text/plain";
        reply.raw = Some(text.as_bytes().to_vec());
        reply.trailers.clear();
    });
}
