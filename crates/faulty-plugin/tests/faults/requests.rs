//! Faults in how requests are taken.

use csi_endpoint::{Authority, ConnectOptions};
use csi_identity::PluginClient;
use csi_proto::csi::v1::{ListSnapshotsRequest, ValidateVolumeCapabilitiesRequest};
use faulty_plugin::{Plugin, Service};
use prost::Message as _;
use tonic::Code;

use crate::call::{Ask, Client};
use crate::plugin::Served;

pub(crate) const FAULTS: [&str; 8] = [
    "authority-refused",
    "unknown-fields-refused",
    "content-type-proto-refused",
    "secrets-echoed",
    "metadata-refused",
    "open-call-blocks",
    "probe-turns-away",
    "reflection-incomplete",
];

#[tokio::test]
async fn the_path_as_authority_is_refused_only_where_that_is_the_fault() {
    for (plugin, refused) in [
        (Served::faulty("authority-refused"), Some(Code::Internal)),
        (Served::good(), None),
    ] {
        for (authority, refused) in [
            (Authority::Localhost, None),
            (Authority::RawPath, refused),
            (Authority::EncodedPath, refused),
            (Authority::Custom(String::new()), refused),
        ] {
            let options = ConnectOptions {
                authority: authority.clone(),
                ..ConnectOptions::default()
            };
            let client = PluginClient::connect(&plugin.endpoint(), &options)
                .await
                .unwrap();
            let code = client.probe().await.err().map(|error| error.code());
            assert_eq!(code, refused, "{authority:?}");
        }
    }
}

#[tokio::test]
async fn an_odd_request_is_refused_only_where_that_is_the_fault() {
    let unknown_field = Ask {
        message: b"\x9a\x06\x01x".to_vec(),
        ..Ask::of("Identity/Probe")
    };
    let proto = Ask {
        content_type: "application/grpc+proto",
        ..Ask::of("Identity/Probe")
    };
    let traced = Ask {
        headers: vec![("traceparent", "00-01-02-03"), ("grpc-timeout", "1S")],
        ..Ask::of("Identity/Probe")
    };
    for (fault, ask, refusal) in [
        (
            "metadata-refused",
            traced,
            "InvalidArgument: the request has unknown metadata",
        ),
        (
            "unknown-fields-refused",
            unknown_field,
            "InvalidArgument: the request has an unknown field",
        ),
        (
            "content-type-proto-refused",
            proto,
            "HTTP 415, text/plain, 0 bytes, no status",
        ),
    ] {
        let (faulty, good) = (Served::faulty(fault), Served::good());
        for (plugin, ask, expected) in [
            (&faulty, ask.clone(), refusal),
            (&faulty, Ask::of("Identity/Probe"), "ready=true"),
            (&good, ask, "ready=true"),
        ] {
            let client = Client::connect(plugin.socket()).await;
            assert_eq!(client.call(ask).await.to_string(), expected, "{fault}");
        }
    }
}

#[tokio::test]
async fn secrets_come_back_only_where_that_is_the_fault() {
    let secrets = ListSnapshotsRequest {
        secrets: [("password".to_owned(), "hunter2".to_owned())].into(),
        ..ListSnapshotsRequest::default()
    };
    let ask = Ask {
        message: secrets.encode_to_vec(),
        ..Ask::of("Controller/ListSnapshots")
    };
    let validated = ValidateVolumeCapabilitiesRequest {
        secrets: secrets.secrets,
        ..ValidateVolumeCapabilitiesRequest::default()
    };
    let validated = Ask {
        message: validated.encode_to_vec(),
        ..Ask::of("Controller/ValidateVolumeCapabilities")
    };
    let refused = "InvalidArgument: the request names nothing that this plugin has";
    let faulty = Served::faulty("secrets-echoed");
    let good = Served::start(Plugin::default().serving(Service::Controller));
    for (plugin, ask, expected) in [
        (
            &faulty,
            ask.clone(),
            "Internal: cannot log in with password=hunter2",
        ),
        (&faulty, Ask::of("Controller/ListSnapshots"), "0 snapshots"),
        (&good, ask, "0 snapshots"),
        (
            &faulty,
            validated.clone(),
            "Internal: cannot log in with password=hunter2",
        ),
        (&good, validated, refused),
    ] {
        let client = Client::connect(plugin.socket()).await;
        assert_eq!(client.call(ask).await.to_string(), expected);
    }
}

#[tokio::test]
async fn a_call_waits_for_one_that_is_open_only_where_that_is_the_fault() {
    for (plugin, expected) in [
        (
            Served::faulty("open-call-blocks"),
            "DeadlineExceeded: the deadline of the call has passed",
        ),
        (Served::good(), "ready=true"),
    ] {
        let client = Client::connect(plugin.socket()).await;
        let _open = client.open("Identity/Probe").await;
        let ask = Ask {
            headers: vec![("grpc-timeout", "500m")],
            ..Ask::of("Identity/Probe")
        };
        assert_eq!(client.call(ask).await.to_string(), expected);
    }
}

#[tokio::test]
async fn a_second_probe_is_turned_away_only_where_that_is_the_fault() {
    for (plugin, expected) in [
        (
            Served::faulty("probe-turns-away"),
            "Aborted: another Probe is pending",
        ),
        (Served::good(), "ready=true"),
    ] {
        let client = Client::connect(plugin.socket()).await;
        let probe = || client.call(Ask::of("Identity/Probe"));
        let (first, second) = tokio::join!(probe(), probe());
        assert_eq!(first.to_string(), "ready=true");
        assert_eq!(second.to_string(), expected);
    }
}

#[tokio::test]
async fn reflection_is_offered_only_where_that_is_the_fault() {
    const REFLECTION: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    let none = format!("Unimplemented: there is no call {REFLECTION}");
    for (plugin, expected) in [
        (
            Served::faulty("reflection-incomplete"),
            "bytes 32130a110a0f6373692e76312e4964656e74697479",
        ),
        (Served::good(), &*none),
    ] {
        let ask = Ask {
            path: REFLECTION.to_owned(),
            message: b"\x3a\0".to_vec(),
            ..Ask::of("")
        };
        let client = Client::connect(plugin.socket()).await;
        assert_eq!(client.call(ask).await.to_string(), expected);
    }
}
