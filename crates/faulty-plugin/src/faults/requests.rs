//! How requests are taken: authority, deadline, cancellation, unknown fields.

use std::time::Duration;

use tonic::Code;

use crate::fault::{Fault, Needs};
use crate::habits::{Greeting, Waits};
use crate::plugin::Service;
use crate::reply::Reply;
use crate::rpc::PROBE;

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "authority-refused",
        "refuses requests whose authority is a path, as every server on h2 does, tonic too",
        "kubelets to 1.25 and clients in Python, C++ and Java send the path of the socket",
        |plugin| {
            plugin.habits.stock_authority = true;
        },
    ),
    Fault::new(
        "unknown-fields-refused",
        "refuses requests with fields that it does not know",
        "protobuf, Updating: a newer orchestrator may send more fields",
        |plugin| {
            plugin.habits.refuses_unknown_fields = true;
        },
    ),
    Fault::new(
        "content-type-proto-refused",
        "refuses requests with the content type application/grpc+proto",
        "gRPC over HTTP/2, Requests",
        |plugin| {
            plugin.habits.refuses_proto_content_type = true;
        },
    ),
    Fault::new(
        "deadline-ignored",
        "answers Probe after 800 ms with OK, whatever deadline the call has",
        "gRPC, Deadlines: a call over its deadline is ended",
        |plugin| {
            plugin.habits.ignores_deadlines = true;
            plugin.shape(PROBE.path(), |reply| {
                reply.delay = Duration::from_millis(800);
            });
        },
    ),
    Fault::new(
        "cancel-ignored",
        "goes on for 2 s with each call that was cancelled, and answers no other meanwhile",
        "gRPC, Cancellation: a server stops what nobody waits for",
        |plugin| {
            plugin.habits.goes_on_when_cancelled = Duration::from_secs(2);
        },
    ),
    Fault::new(
        "secrets-echoed",
        "puts the secrets of a request into the message of an error",
        "CSI, Secrets Requirements: they are not to be logged or shown",
        |plugin| {
            plugin.declare(Service::Controller);
            plugin.implement(Service::Controller);
            plugin.habits.echoes_secrets = true;
        },
    )
    .needing(Needs::EmptyRequests),
    Fault::new(
        "http2-mute",
        "accepts connections and says nothing",
        "gRPC over HTTP/2: a server begins with SETTINGS",
        |plugin| {
            plugin.habits.greeting = Greeting::Mute;
        },
    ),
    Fault::new(
        "http2-speaks-http1",
        "answers connections with an HTTP/1.1 error",
        "gRPC over HTTP/2: a server begins with SETTINGS",
        |plugin| {
            plugin.habits.greeting = Greeting::Http1;
        },
    ),
    Fault::new(
        "metadata-refused",
        "refuses requests with metadata that it does not know",
        "gRPC, Metadata: what adds tracing to calls is refused",
        |plugin| {
            plugin.habits.refuses_metadata = true;
        },
    ),
    Fault::new(
        "open-call-blocks",
        "answers no call while the request of another has not come whole",
        "gRPC over HTTP/2: streams do not wait for each other",
        |plugin| {
            plugin.habits.waits = Waits::AllForRequests;
        },
    ),
    Fault::new(
        "cancel-blocks",
        "answers no call any more after one was cancelled",
        "gRPC, Cancellation: clients cancel calls whenever they like",
        |plugin| {
            plugin.habits.stuck_after_cancellation = true;
            plugin.shape(PROBE.path(), |reply| {
                reply.delay = Duration::from_millis(90);
            });
        },
    ),
    Fault::new(
        "lost-client-kills",
        "ends when a client goes in the middle of a call",
        "no clause: one client that restarts takes the plugin from all",
        |plugin| {
            plugin.habits.dies_of_lost_clients = true;
            plugin.shape(PROBE.path(), |reply| {
                reply.delay = Duration::from_millis(90);
            });
        },
    ),
    Fault::new(
        "reflection-incomplete",
        "offers server reflection, and leaves csi.v1.Node out of it",
        "gRPC, Server Reflection",
        |plugin| {
            let mut reply = Reply::status(Code::Ok, "");
            // A ServerReflectionResponse with a list of one service.
            reply.set_message(b"\x32\x13\x0a\x11\x0a\x0fcsi.v1.Identity".to_vec());
            plugin.set(
                "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
                reply,
            );
        },
    ),
    Fault::new(
        "http2-closes",
        "closes connections at once",
        "gRPC over HTTP/2: a server begins with SETTINGS",
        |plugin| {
            plugin.habits.greeting = Greeting::Closed;
        },
    ),
];
