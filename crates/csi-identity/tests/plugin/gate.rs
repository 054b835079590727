//! Storage calls while the plugin is not ready.

use csi_identity::proto::csi::v1::controller_client::ControllerClient;
use csi_identity::proto::csi::v1::controller_server::ControllerServer;
use csi_identity::proto::csi::v1::{ControllerUnpublishVolumeRequest, CreateVolumeRequest};
use csi_identity::{Plugin, Readiness};
use tonic::Code;

use crate::building::Everything;
use crate::running::Running;

fn plugin(gate: bool) -> Plugin {
    Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
        .service(ControllerServer::new(Everything))
        .gate_on_readiness(gate)
        .build()
        .unwrap()
}

/// Code and message of CreateVolume, which a plugin that is reached leaves unimplemented.
async fn create_volume(running: &Running) -> (Code, String) {
    let mut client = ControllerClient::new(running.channel().await);
    let status = client
        .create_volume(CreateVolumeRequest::default())
        .await
        .unwrap_err();
    (status.code(), status.message().to_owned())
}

fn reached() -> (Code, String) {
    (
        Code::Unimplemented,
        "the plugin does not implement this call".to_owned(),
    )
}

#[tokio::test]
async fn a_gated_plugin_refuses_storage_calls_with_the_reason_until_it_is_ready() {
    let running = Running::start(plugin(true));
    assert_eq!(
        create_volume(&running).await,
        (
            Code::Unavailable,
            "the plugin is starting: the plugin has not reported yet".to_owned()
        )
    );
    running.readiness.set(Readiness::Ready);
    assert_eq!(create_volume(&running).await, reached());
    running
        .readiness
        .set(Readiness::not_ready("array does not answer"));
    assert_eq!(
        create_volume(&running).await,
        (
            Code::Unavailable,
            "the plugin is not ready: array does not answer".to_owned()
        )
    );
}

#[tokio::test]
async fn volumes_can_leave_and_identity_answers_while_the_gate_is_closed() {
    let running = Running::start(plugin(true));
    let mut client = ControllerClient::new(running.channel().await);
    let request = ControllerUnpublishVolumeRequest::default();
    let status = client
        .controller_unpublish_volume(request)
        .await
        .unwrap_err();
    assert_eq!((status.code(), status.message().to_owned()), reached());
    assert_eq!(running.client().await.probe().await.unwrap(), Some(false));
}

#[tokio::test]
async fn without_the_gate_storage_calls_pass_whatever_the_readiness() {
    let running = Running::start(plugin(false));
    assert_eq!(create_volume(&running).await, reached());
}
