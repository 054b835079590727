//! The three RPCs of Identity, and the two of Node that a kubelet needs.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use csi_identity::proto::csi::v1::node_client::NodeClient;
use csi_identity::proto::csi::v1::{
    NodeGetCapabilitiesRequest, NodeGetInfoRequest, NodePublishVolumeRequest,
};
use csi_identity::{
    CallError, Identity, IdentitySource, Manifest, NodeInfo, ObservedCapability, OfferedService,
    Plugin, PluginCapabilities, PluginClient, PluginInfo, Readiness, ReadinessPolicy, Topology,
    VolumeExpansion, WhileStarting,
};
use tonic::Code;

use crate::running::Running;

fn plugin() -> Plugin {
    Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
        .build()
        .unwrap()
}

fn answered(error: CallError) -> (Code, String, Vec<u8>) {
    match error {
        CallError::Answered(status) => (
            status.code(),
            status.message().to_owned(),
            status.details().to_vec(),
        ),
        other => panic!("not answered: {other}"),
    }
}

#[tokio::test]
async fn plugin_info_is_what_was_declared() {
    let manifest =
        Manifest::from_pairs([("url", "https://disk.acme.io"), ("csi", "1.12")]).unwrap();
    let plugin = Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
        .manifest(manifest)
        .build()
        .unwrap();
    let running = Running::start(plugin);
    let info = running.client().await.plugin_info().await.unwrap();
    assert_eq!(
        (info.name.as_str(), info.vendor_version.as_str()),
        ("disk.acme.io", "1.2.3")
    );
    let manifest = [("csi", "1.12"), ("url", "https://disk.acme.io")];
    assert_eq!(
        info.manifest,
        manifest
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into()
    );
}

#[tokio::test]
async fn capabilities_come_in_a_stable_order_and_node_service_is_never_sent() {
    let plugin = Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
        .expansion([VolumeExpansion::Offline])
        .served_elsewhere([
            OfferedService::SnapshotMetadataService,
            OfferedService::NodeService,
            OfferedService::ControllerService,
        ])
        .build()
        .unwrap();
    let running = Running::start(plugin);
    let client = running.client().await;
    let expected = [
        ObservedCapability::Service(1),
        ObservedCapability::Service(4),
        ObservedCapability::VolumeExpansion(2),
    ];
    for _ in 0..3 {
        assert_eq!(client.plugin_capabilities().await.unwrap(), expected);
    }
}

#[tokio::test]
async fn probe_follows_the_readiness_handle() {
    let running = Running::start(plugin());
    let client = running.client().await;
    assert_eq!(client.probe().await.unwrap(), Some(false));
    running.readiness.set(Readiness::Ready);
    assert_eq!(client.probe().await.unwrap(), Some(true));
    running
        .readiness
        .set(Readiness::not_ready("array does not answer"));
    assert_eq!(
        answered(client.probe().await.unwrap_err()),
        (
            Code::FailedPrecondition,
            "NOT_READY: array does not answer".to_owned(),
            Vec::new()
        )
    );
    running.readiness.set(Readiness::Ready);
    assert_eq!(client.probe().await.unwrap(), Some(true));
}

#[tokio::test]
async fn a_start_that_takes_too_long_is_an_error() {
    let policy = ReadinessPolicy {
        startup_limit: Some(Duration::ZERO),
        ..ReadinessPolicy::default()
    };
    let plugin = Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
        .readiness_policy(policy)
        .build()
        .unwrap();
    let running = Running::start(plugin);
    let (code, message, _) = answered(running.client().await.probe().await.unwrap_err());
    assert_eq!(
        (code, message.as_str()),
        (
            Code::FailedPrecondition,
            "NOT_READY: not ready within 0ns of the start: the plugin has not reported yet"
        )
    );
}

#[tokio::test]
async fn a_plugin_may_answer_not_ready_while_it_starts() {
    let policy = ReadinessPolicy {
        while_starting: WhileStarting::Error,
        ..ReadinessPolicy::default()
    };
    let plugin = Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
        .readiness_policy(policy)
        .build()
        .unwrap();
    let running = Running::start(plugin);
    let client = running.client().await;
    let (code, message, _) = answered(client.probe().await.unwrap_err());
    assert_eq!(
        (code, message.as_str()),
        (
            Code::FailedPrecondition,
            "NOT_READY: the plugin has not reported yet"
        )
    );
    running.readiness.set(Readiness::Ready);
    assert_eq!(client.probe().await.unwrap(), Some(true));
}

/// An identity that is learned some time after the start.
#[derive(Clone, Default)]
struct Learned(Arc<OnceLock<Arc<Identity>>>);

impl IdentitySource for Learned {
    fn identity(&self) -> Option<Arc<Identity>> {
        self.0.get().cloned()
    }
}

#[tokio::test]
async fn without_an_identity_the_answer_is_unimplemented_until_there_is_one() {
    let source = Learned::default();
    let running = Running::start(Plugin::with_source(source.clone()).build().unwrap());
    let client = running.client().await;
    let unknown = (
        Code::Unimplemented,
        "the plugin does not know its identity yet".to_owned(),
        Vec::new(),
    );
    assert_eq!(answered(client.plugin_info().await.unwrap_err()), unknown);
    assert_eq!(
        answered(client.plugin_capabilities().await.unwrap_err()),
        unknown
    );
    assert_eq!(client.probe().await.unwrap(), Some(false));

    let info = PluginInfo {
        name: "disk.acme.io".parse().unwrap(),
        vendor_version: "1.2.3".parse().unwrap(),
        manifest: Manifest::default(),
    };
    source
        .0
        .set(Arc::new(Identity {
            info,
            capabilities: PluginCapabilities::default(),
        }))
        .unwrap();
    assert_eq!(client.plugin_info().await.unwrap().name, "disk.acme.io");
    assert_eq!(client.plugin_capabilities().await.unwrap(), []);
}

#[tokio::test]
async fn a_kubelet_gets_the_node_information_and_nothing_that_moves_data() {
    let mut node = NodeInfo::new("node-1".parse().unwrap());
    node.max_volumes_per_node = "16".parse().unwrap();
    node.accessible_topology = Some(Topology::from_pairs([("disk.acme.io/rack", "r1")]).unwrap());
    let plugin = Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
        .node_info(node)
        .build()
        .unwrap();
    let running = Running::start(plugin);
    let mut client = NodeClient::new(running.channel().await);

    let info = client
        .node_get_info(NodeGetInfoRequest {})
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (info.node_id.as_str(), info.max_volumes_per_node),
        ("node-1", 16)
    );
    let segments = info.accessible_topology.unwrap().segments;
    assert_eq!(
        segments,
        [("disk.acme.io/rack".to_owned(), "r1".to_owned())].into()
    );
    // The topology makes the capability.
    assert_eq!(
        running.client().await.plugin_capabilities().await.unwrap(),
        [ObservedCapability::Service(2)]
    );

    let capabilities = client
        .node_get_capabilities(NodeGetCapabilitiesRequest {})
        .await
        .unwrap();
    assert_eq!(capabilities.into_inner().capabilities, []);
    let error = client
        .node_publish_volume(NodePublishVolumeRequest::default())
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::Unimplemented);
}

#[tokio::test]
async fn a_stopped_plugin_leaves_no_socket_and_clients_learn_why() {
    let running = Running::start(plugin());
    let client = running.client().await;
    let endpoint = running.endpoint.clone();
    assert_eq!(client.probe().await.unwrap(), Some(false));
    let readiness = running.readiness.clone();
    let stopped = running.stop().await;
    assert!(stopped.drained);
    assert!(!endpoint.path().exists());
    assert_eq!(
        readiness.current(),
        Readiness::not_ready("the plugin is stopping")
    );
    let CallError::Connection(status) = client.probe().await.unwrap_err() else {
        panic!("nobody is there to answer");
    };
    assert_eq!(status.code(), Code::Unavailable);
}

#[tokio::test]
async fn a_client_says_how_long_it_waited() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("csi.sock");
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    // A server that speaks HTTP/2 and never answers a call.
    let mute = async {
        let (stream, _) = listener.accept().await.unwrap();
        let mut connection = h2::server::handshake(stream).await.unwrap();
        let mut held = Vec::new();
        while let Some(request) = connection.accept().await {
            held.push(request);
        }
    };
    let asking = async {
        let endpoint = path.display().to_string().parse().unwrap();
        let client = PluginClient::connect(&endpoint, &Default::default())
            .await
            .unwrap();
        client
            .with_call_timeout(Duration::from_millis(20))
            .probe()
            .await
            .unwrap_err()
    };
    let error = tokio::select! {
        () = mute => panic!("the client is still there"),
        error = asking => error,
    };
    assert_eq!(error.to_string(), "no answer within 20ms");
}
