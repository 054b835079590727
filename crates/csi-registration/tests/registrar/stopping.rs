//! The end of a registrar.

use std::fs;

use csi_registration::{Ended, State};

use crate::support::{Answers, Rig};

#[tokio::test]
async fn a_registrar_that_stops_removes_its_socket_and_the_kubelet_forgets_the_plugin() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let mut kubelet = rig.kubelet();
    kubelet.registers().await;
    rig.state(State::Registered).await;
    assert_eq!(rig.stop().await, Ended::Stopped);
    assert_eq!(
        kubelet.names_until("deregistered").await,
        ["removed", "deregistered"]
    );
    assert_eq!(fs::read_dir(rig.registry()).unwrap().count(), 0);
    let status = rig.status();
    assert_eq!(status.state, State::Lost);
    assert_eq!(
        status.reason,
        "the registrar has stopped and removed its socket"
    );
    assert!(!status.socket_is_shown && !status.problem);
}

#[tokio::test]
async fn a_registrar_that_has_shown_nothing_stops_at_once() {
    let mut rig = Rig::new();
    rig.start(rig.options());
    rig.status_when("waiting", |status| {
        status.reason.starts_with("nothing is at")
    })
    .await;
    assert_eq!(rig.stop().await, Ended::Stopped);
    assert_eq!(fs::read_dir(rig.registry()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_file_that_has_taken_the_path_stays_when_the_registrar_stops() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    rig.state(State::WaitingForKubelet).await;
    fs::remove_file(rig.socket()).unwrap();
    fs::write(rig.socket(), "mine").unwrap();
    let _ = rig.stop().await;
    assert_eq!(fs::read_to_string(rig.socket()).unwrap(), "mine");
}
