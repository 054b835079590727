//! Another live registrar has the path.

use std::fs;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use csi_registration::{Ended, State};

use crate::support::{Answers, Rig, until};

#[tokio::test]
async fn a_live_socket_in_place_of_ours_is_never_touched_and_taken_up_within_two_seconds_of_its_end()
 {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let mut kubelet = rig.kubelet();
    kubelet.registers().await;
    rig.state(State::Registered).await;
    drop(kubelet);
    let foreign = rig.root().join("foreign.sock");
    // No kubelet is to be mistaken for the registrar that looks at it.
    let listener = UnixListener::bind(&foreign).unwrap();
    fs::rename(&foreign, rig.socket()).unwrap();
    let of_foreign = rig.socket_id();

    let status = rig.state(State::Superseded).await;
    assert!(status.problem && !status.socket_is_shown);
    assert_eq!(
        status.reason,
        format!(
            "another registrar lives: socket {} is in use by process {}; stop that first, or choose another path; it is \
             taken up when that one ends",
            rig.socket().display(),
            std::process::id()
        )
    );
    // Two looks at the path later it is still the same file.
    listener.set_nonblocking(true).unwrap();
    for _ in 0..2 {
        while listener.accept().is_ok() {}
        until("another look at the live socket", || {
            listener.accept().is_ok()
        })
        .await;
    }
    assert_eq!(rig.socket_id(), of_foreign);
    assert_eq!(rig.status().state, State::Superseded);

    drop(listener);
    let since = Instant::now();
    let status = rig
        .status_when("taken up", |status| status.state != State::Superseded)
        .await;
    assert!(since.elapsed() < Duration::from_secs(2));
    assert!(status.socket_is_shown && !status.problem);
    assert_ne!(rig.socket_id(), of_foreign);
}

#[tokio::test]
async fn a_registrar_that_stops_while_superseded_leaves_the_path_alone() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    let listener = UnixListener::bind(rig.socket()).unwrap();
    let of_foreign = rig.socket_id();
    rig.start(rig.options());
    rig.state(State::Superseded).await;
    assert_eq!(rig.stop().await, Ended::Stopped);
    assert_eq!(rig.socket_id(), of_foreign);
    drop(listener);
}

#[tokio::test]
async fn a_live_socket_that_is_removed_by_its_owner_is_followed_at_once() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    let listener = UnixListener::bind(rig.socket()).unwrap();
    rig.start(rig.options());
    rig.state(State::Superseded).await;
    fs::remove_file(rig.socket()).unwrap();
    drop(listener);
    rig.kubelet().registers().await;
    rig.state(State::Registered).await;
}
