//! The good plugin.

use csi_endpoint::ConnectOptions;
use csi_identity::{PluginClient, PluginName, VendorVersion};
use faulty_plugin::{Plugin, Service};

use crate::answers::GOOD;
use crate::call::{Ask, Client};
use crate::plugin::Served;

#[tokio::test]
async fn the_good_plugin_answers_well_each_time() {
    let plugin = Served::good();
    let client = Client::connect(plugin.socket()).await;
    for _ in 0..100 {
        for (call, answer) in GOOD {
            assert_eq!(client.call(Ask::of(call)).await.to_string(), answer);
        }
    }
}

#[tokio::test]
async fn nobody_has_advice_for_the_good_plugin() {
    let plugin = Served::good();
    let options = ConnectOptions::default();
    let client = PluginClient::connect(&plugin.endpoint(), &options)
        .await
        .unwrap();
    let info = client.plugin_info().await.unwrap();
    let name: PluginName = info.name.parse().unwrap();
    assert_eq!(name.advice(), []);
    let version: VendorVersion = info.vendor_version.parse().unwrap();
    assert_eq!(version.advice(), []);
    for capability in client.plugin_capabilities().await.unwrap() {
        assert!(capability.known().is_some(), "{capability}");
    }
    assert_eq!(client.probe().await.unwrap(), Some(true));
    assert_eq!(client.node_info().await.unwrap().node_id, "node-1");
}

#[tokio::test]
async fn a_service_is_there_when_it_is_asked_for() {
    let refused = "InvalidArgument: the request names nothing that this plugin has";
    for (service, capability, call, answer) in [
        (
            Service::Controller,
            "CONTROLLER_SERVICE",
            "Controller/ControllerGetCapabilities",
            "[1, 5, 6, 9]",
        ),
        (
            Service::GroupController,
            "GROUP_CONTROLLER_SERVICE",
            "GroupController/GroupControllerGetCapabilities",
            "[1]",
        ),
        (
            Service::SnapshotMetadata,
            "SNAPSHOT_METADATA_SERVICE",
            "SnapshotMetadata/GetMetadataDelta",
            refused,
        ),
    ] {
        let with = Served::start(Plugin::default().serving(service));
        let client = Client::connect(with.socket()).await;
        assert_eq!(client.call(Ask::of(call)).await.to_string(), answer);
        let declared = client
            .call(Ask::of("Identity/GetPluginCapabilities"))
            .await
            .to_string();
        assert!(declared.ends_with(&format!(", {capability}")), "{declared}");

        let without = Served::good();
        let client = Client::connect(without.socket()).await;
        let seen = client.call(Ask::of(call)).await.to_string();
        assert_eq!(
            seen,
            format!("Unimplemented: there is no call /csi.v1.{call}")
        );
    }
}
