//! Who has called, and what that proves: reports 25 and 26.

use std::time::Duration;

use csi_endpoint::{ConnectOptions, connect};
use csi_kubelet::Fault;
use csi_proto::pluginregistration::v1::registration_client::RegistrationClient;
use csi_proto::pluginregistration::v1::{InfoRequest, RegistrationStatus};
use csi_registration::{RegistrarOptions, State, StateFile};

use crate::support::{Answers, Rig, refusal};

#[tokio::test]
async fn r25_a_call_of_the_registrars_own_process_is_answered_and_is_no_kubelets() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(RegistrarOptions {
        expect_kubelet_within: Duration::from_millis(300),
        ..rig.options()
    });
    rig.state(State::WaitingForKubelet).await;
    let endpoint = csi_endpoint::Endpoint::from_path(rig.socket()).unwrap();
    let channel = connect(&endpoint, &ConnectOptions::default())
        .await
        .unwrap();
    let mut client = RegistrationClient::new(channel);
    let info = client.get_info(InfoRequest {}).await.unwrap().into_inner();
    assert_eq!(info.name, "disk.example.org");
    let status = RegistrationStatus {
        plugin_registered: true,
        error: String::new(),
    };
    client.notify_registration_status(status).await.unwrap();
    let status = rig
        .status_when("nobody came", |status| status.problem)
        .await;
    assert_eq!(status.state, State::WaitingForKubelet);
    assert_eq!(status.last_kubelet_call, None);
}

#[tokio::test]
async fn r26_get_info_alone_registers_nothing() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let mut kubelet = rig.kubelet_with(&Fault::NeverNotify);
    kubelet.comes_to("GetInfo").await;
    let status = rig
        .status_when("called", |status| status.last_kubelet_call.is_some())
        .await;
    assert_eq!(status.state, State::WaitingForKubelet);
    let reason = "a kubelet has called GetInfo, and its verdict is awaited";
    rig.status_when("its reason", |status| status.reason == reason)
        .await;
    assert_eq!(rig.status().last_kubelet_call.unwrap().method, "GetInfo");
}

#[tokio::test]
async fn r26_a_no_is_a_refusal_with_its_reason() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let mut kubelet = rig.kubelet_that_refuses("no such node");
    assert_eq!(kubelet.refuses().await, refusal("no such node"));
    let status = rig.state(State::Refused).await;
    assert_eq!(
        (status.reason, status.problem),
        (refusal("no such node"), true)
    );
    assert_eq!(status.refusals, 1);
}

#[tokio::test]
async fn r26_a_state_file_that_says_registered_is_no_registration() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    rig.kubelet().registers().await;
    let earlier = rig.state(State::Registered).await;
    let file = StateFile::new(rig.root().join("state.json"));
    file.write(&earlier).unwrap();
    let _ = rig.stop().await;

    let read = file.read().unwrap().unwrap();
    assert_eq!(read.state, State::Registered);
    rig.start_remembering(rig.options(), Some(&read));
    assert_eq!(rig.status().state, State::WaitingForPlugin);
    let status = rig.state(State::WaitingForKubelet).await;
    assert_eq!(
        status.reason,
        format!(
            "{} is shown, and no kubelet has called yet",
            rig.socket().display()
        )
    );
    // RFC 3339 with milliseconds is what the file keeps of it.
    let call = status.last_kubelet_call.unwrap();
    assert_eq!(call, read.last_kubelet_call.unwrap());
    assert_eq!(call.method, "NotifyRegistrationStatus");
}

#[tokio::test]
async fn a_kubelet_that_restarts_finds_the_same_socket_and_registers_the_plugin_again() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    rig.kubelet().registers().await;
    let first = rig.state(State::Registered).await;
    let socket = rig.socket_id();
    rig.kubelet().registers().await;
    let again = rig
        .status_when("called again", |status| {
            status.last_kubelet_call != first.last_kubelet_call
        })
        .await;
    assert_eq!((again.state, again.since), (State::Registered, first.since));
    assert_eq!((again.rebinds, rig.socket_id()), (0, socket));
}
