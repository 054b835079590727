//! Faults in how requests are taken.

use csi_endpoint::{Authority, ConnectOptions};
use csi_identity::PluginClient;
use csi_proto::csi::v1::ListSnapshotsRequest;
use faulty_plugin::{Plugin, Service};
use prost::Message as _;
use tonic::Code;

use crate::call::{Ask, Client};
use crate::plugin::Served;

pub(crate) const FAULTS: [&str; 4] = [
    "authority-refused",
    "unknown-fields-refused",
    "content-type-proto-refused",
    "secrets-echoed",
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
    for (fault, ask, refusal) in [
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
    ] {
        let client = Client::connect(plugin.socket()).await;
        assert_eq!(client.call(ask).await.to_string(), expected);
    }
}
