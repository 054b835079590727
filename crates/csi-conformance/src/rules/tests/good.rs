//! A good plugin as it is seen, to be spoilt by the fixtures.

use std::time::Duration;

use csi_endpoint::Authority;
use csi_proto::csi::v1 as pb;
use prost::Message;

use crate::observation::framed;
use crate::{
    AuthorityTry, Controller, Distinct, End, Exchange, Launch, Method, Observation, ProcessSeen,
    Repeated, Reply, Socket, SocketFile, Stop,
};

pub(super) const INFO: Method = Method::GET_PLUGIN_INFO;
pub(super) const CAPABILITIES: Method = Method::GET_PLUGIN_CAPABILITIES;
pub(super) const PROBE: Method = Method::PROBE;
pub(super) const NODE_INFO: Method = Method::NODE_GET_INFO;
pub(super) const CONTROLLER: Method = Method::CONTROLLER_GET_CAPABILITIES;
pub(super) const NODE: Method = Method::NODE_GET_CAPABILITIES;
pub(super) const GROUP: Method = Method::GROUP_CONTROLLER_GET_CAPABILITIES;
pub(super) const METADATA: Method = Method::GET_METADATA_ALLOCATED;

/// A plugin with all services on one socket, which was started here.
pub(super) fn good() -> Observation {
    Observation {
        plugin: socket(),
        controller: Controller::SameSocket,
        process: Some(ProcessSeen {
            first: answers(),
            stop: Some(Stop::Ended {
                after: Duration::from_millis(10),
                how: "with status 0".to_owned(),
            }),
            left_behind: Vec::new(),
            beside: Vec::new(),
            again: Some(answers()),
            info_again: Some(ok(INFO, &info())),
            capabilities_again: Some(ok(CAPABILITIES, &capabilities(&ALL))),
            node_info_again: Some(ok(NODE_INFO, &node_info())),
            kept_socket: Some(true),
            over_stale: Some(answers()),
        }),
        left_out: Vec::new(),
        calls: vec![(PROBE, 1)],
        took: Duration::from_millis(100),
    }
}

/// What it declares: everything, with ONLINE expansion.
pub(super) const ALL: [(u8, i32); 5] = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1)];

pub(super) fn socket() -> Socket {
    let mut socket = Socket::at("/run/csi/csi.sock");
    for exchange in [
        ok(INFO, &info()),
        ok(CAPABILITIES, &capabilities(&ALL)),
        probe(Some(true)),
        rpcs(CONTROLLER, &[1, 9]),
        rpcs(NODE, &[1, 3]),
        rpcs(GROUP, &[1]),
        ok(NODE_INFO, &node_info()),
        error(METADATA, 3, "snapshot_id is empty"),
    ] {
        socket.first.insert(exchange.method, exchange);
    }
    for method in [INFO, CAPABILITIES, PROBE, NODE_INFO] {
        let exchange = socket.first[&method].clone();
        set_repeated(&mut socket, method, vec![(exchange, (1..=100).collect())]);
    }
    socket.authorities = [
        Authority::RawPath,
        Authority::EncodedPath,
        Authority::Custom(String::new()),
    ]
    .map(|authority| AuthorityTry {
        authority,
        exchange: ok(INFO, &info()),
    })
    .into();
    socket.unknown_fields = Method::IDENTITY
        .map(|method| socket.first[&method].clone())
        .into();
    socket.metadata = Some(ok(INFO, &info()));
    socket.grpc_proto = Some(ok(INFO, &info()));
    socket.crowd = vec![probe(Some(true)); 8];
    socket.beside_open_call = Some(probe(Some(true)));
    socket.after_cancel = Some(probe(Some(true)));
    socket.after_cut = Some(probe(Some(true)));
    socket.file = Some(SocketFile {
        mode: 0o600,
        owner: 0,
        listener: Some(0),
        is_link: false,
        directory_mode: 0o700,
        beside: Vec::new(),
    });
    socket
}

pub(super) fn info() -> pb::GetPluginInfoResponse {
    pb::GetPluginInfoResponse {
        name: "disk.acme.io".to_owned(),
        vendor_version: "1.2.3".to_owned(),
        manifest: [("url".to_owned(), "https://acme.io".to_owned())].into(),
    }
}

pub(super) fn named(name: &str) -> pb::GetPluginInfoResponse {
    pb::GetPluginInfoResponse {
        name: name.to_owned(),
        ..info()
    }
}

pub(super) fn version(version: &str) -> pb::GetPluginInfoResponse {
    pb::GetPluginInfoResponse {
        vendor_version: version.to_owned(),
        ..info()
    }
}

pub(super) fn node_info() -> pb::NodeGetInfoResponse {
    pb::NodeGetInfoResponse {
        node_id: "node-1".to_owned(),
        max_volumes_per_node: 16,
        accessible_topology: topology(&[("acme.io/zone", "a"), ("acme.io/rack", "r1")]),
    }
}

pub(super) fn node_id(node_id: &str) -> pb::NodeGetInfoResponse {
    pb::NodeGetInfoResponse {
        node_id: node_id.to_owned(),
        ..node_info()
    }
}

pub(super) fn segments(segments: &[(&str, &str)]) -> pb::NodeGetInfoResponse {
    pb::NodeGetInfoResponse {
        accessible_topology: topology(segments),
        ..node_info()
    }
}

fn topology(segments: &[(&str, &str)]) -> Option<pb::Topology> {
    let owned = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
    let segments = segments.iter().map(owned).collect();
    Some(pb::Topology { segments })
}

/// Services (1) and volume expansions (2), by their numbers; (0, 0) is an empty one.
pub(super) fn capabilities(all: &[(u8, i32)]) -> pb::GetPluginCapabilitiesResponse {
    use pb::plugin_capability::{Service, Type, VolumeExpansion};
    let one = |&(kind, number): &(u8, i32)| pb::PluginCapability {
        r#type: match kind {
            1 => Some(Type::Service(Service { r#type: number })),
            2 => Some(Type::VolumeExpansion(VolumeExpansion { r#type: number })),
            _ => None,
        },
    };
    pb::GetPluginCapabilitiesResponse {
        capabilities: all.iter().map(one).collect(),
    }
}

/// The capabilities of another service; all of them look alike on the wire.
pub(super) fn rpcs(method: Method, numbers: &[i32]) -> Exchange {
    use pb::controller_service_capability::{Rpc, Type};
    let one = |&number: &i32| pb::ControllerServiceCapability {
        r#type: Some(Type::Rpc(Rpc { r#type: number })),
    };
    let capabilities = numbers.iter().map(one).collect();
    ok(
        method,
        &pb::ControllerGetCapabilitiesResponse { capabilities },
    )
}

pub(super) fn probe(ready: Option<bool>) -> Exchange {
    ok(PROBE, &pb::ProbeResponse { ready })
}

pub(super) fn ok(method: Method, message: &impl Message) -> Exchange {
    bytes(method, &message.encode_to_vec())
}

/// An answer of any bytes.
pub(super) fn bytes(method: Method, message: &[u8]) -> Exchange {
    answered(method, reply(&framed(message)))
}

pub(super) fn reply(body: &[u8]) -> Reply {
    Reply {
        http_status: 200,
        headers: list(&[("content-type", "application/grpc")]),
        body: body.to_owned(),
        trailers: Some(list(&[("grpc-status", "0")])),
    }
}

pub(super) fn error(method: Method, code: u32, message: &str) -> Exchange {
    let code = code.to_string();
    let headers = [
        ("content-type", "application/grpc"),
        ("grpc-status", &code),
        ("grpc-message", message),
    ];
    let reply = Reply {
        http_status: 200,
        headers: list(&headers),
        ..Reply::default()
    };
    answered(method, reply)
}

pub(super) fn unimplemented(method: Method) -> Exchange {
    error(method, 12, "")
}

pub(super) fn answered(method: Method, reply: Reply) -> Exchange {
    ended(method, End::Answered(reply))
}

pub(super) fn ended(method: Method, end: End) -> Exchange {
    Exchange {
        method,
        end,
        took: Duration::from_micros(200),
    }
}

pub(super) fn list(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    fields.iter().map(owned).collect()
}

pub(super) fn answers() -> Launch {
    Launch::Answers {
        after: Duration::from_millis(50),
    }
}

/// The first call and all after it end so.
#[expect(
    clippy::needless_pass_by_value,
    reason = "what is set is made on the spot, in every one of the fixtures"
)]
pub(super) fn set(socket: &mut Socket, exchange: Exchange) {
    let method = exchange.method;
    socket.first.insert(method, exchange.clone());
    if socket.repeated.contains_key(&method) {
        set_repeated(
            socket,
            method,
            vec![(exchange.clone(), (1..=100).collect())],
        );
    }
    if method == PROBE {
        socket.crowd = vec![exchange.clone(); 8];
        for one in [
            &mut socket.beside_open_call,
            &mut socket.after_cancel,
            &mut socket.after_cut,
        ] {
            *one = Some(exchange.clone());
        }
    }
    for one in socket
        .unknown_fields
        .iter_mut()
        .filter(|one| one.method == method)
    {
        *one = exchange.clone();
    }
    if method == INFO {
        socket.metadata = Some(exchange.clone());
        socket.grpc_proto = Some(exchange.clone());
        for one in &mut socket.authorities {
            one.exchange = exchange.clone();
        }
    }
}

/// As [`set`], with what the process says after its restart.
pub(super) fn set_all(seen: &mut Observation, exchange: Exchange) {
    if let Some(process) = &mut seen.process {
        match exchange.method {
            INFO => process.info_again = Some(exchange.clone()),
            CAPABILITIES => process.capabilities_again = Some(exchange.clone()),
            NODE_INFO => process.node_info_again = Some(exchange.clone()),
            _ => {}
        }
    }
    set(&mut seen.plugin, exchange);
}

pub(super) fn set_repeated(socket: &mut Socket, method: Method, ends: Vec<(Exchange, Vec<u32>)>) {
    let fastest = ends.iter().map(|(exchange, _)| exchange.took).min();
    let repeated = Repeated {
        times: 100,
        fastest: fastest.unwrap_or_default(),
        ends: ends
            .into_iter()
            .map(|(exchange, calls)| Distinct { exchange, calls })
            .collect(),
    };
    socket.repeated.insert(method, repeated);
}

/// A node plugin whose controller has a socket of its own.
pub(super) fn apart() -> Observation {
    let mut seen = good();
    let mut controller = socket();
    controller.path = "/run/csi/controller.sock".to_owned();
    for method in [NODE, NODE_INFO] {
        controller.repeated.remove(&method);
        set(&mut controller, unimplemented(method));
    }
    for method in [CONTROLLER, GROUP, METADATA] {
        set(&mut seen.plugin, unimplemented(method));
    }
    seen.controller = Controller::Other(Box::new(controller));
    seen
}
