//! Stale, stolen or vanished sockets: reports 8 to 13.

use std::fs;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

use csi_registration::State;

use crate::support::{Answers, REGISTRATION, Rig};

/// What is asked for: shown again within this time.
const SOON: Duration = Duration::from_secs(2);

/// A socket file whose process is gone.
fn dead_socket(path: &Path) {
    drop(UnixListener::bind(path).unwrap());
}

#[tokio::test]
async fn r08_after_a_kill_a_new_socket_is_shown_and_the_kubelet_comes_at_once() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    let mut first = rig.other_registrar();
    let mut kubelet = rig.kubelet();
    kubelet.registers().await;
    first.comes_to(State::Registered).await;
    first.kill().await;
    let stale = rig.socket_id().unwrap();
    assert!(UnixStream::connect(rig.socket()).is_err());

    rig.start(rig.options());
    // A kubelet that met the stale file would say so, and come back only after a pause.
    let (seen, done) = REGISTRATION.split_at(2);
    let seen_and_forgotten = [seen, &["deregistered"]].concat();
    assert_eq!(
        kubelet.names_until("deregistered").await,
        seen_and_forgotten
    );
    assert_eq!(kubelet.names_until("registered").await, done);
    rig.state(State::Registered).await;
    assert_ne!(rig.socket_id().unwrap(), stale);
}

#[tokio::test]
async fn r08_a_kubelet_that_met_the_stale_file_first_comes_after_its_pause() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    dead_socket(&rig.socket());
    let mut kubelet = rig.kubelet();
    let dialled = kubelet.comes_to("dial").await;
    assert_eq!(dialled["code"], "DEADLINE_EXCEEDED");
    let cause = dialled["cause"].as_str().unwrap();
    assert!(cause.starts_with("nobody listens on "), "{cause}");
    rig.start(rig.options());
    kubelet.registers().await;
    rig.state(State::Registered).await;
}

#[tokio::test]
async fn r09_only_the_own_name_is_touched_and_a_renamed_plugin_leaves_no_socket_behind() {
    let mut rig = Rig::new();
    let registry = rig.registry();
    let others: Vec<_> = (0..20)
        .map(|number| registry.join(format!("old{number}.example.org-reg.sock")))
        .collect();
    for other in &others {
        dead_socket(other);
    }
    let live = registry.join("live.example.org-reg.sock");
    let _live = UnixListener::bind(&live).unwrap();
    let names = || {
        let mut names: Vec<_> = fs::read_dir(&registry)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    let before = names();
    assert_eq!(before.len(), 21);

    let plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    rig.state(State::WaitingForKubelet).await;
    plugin.kill().await;
    rig.state(State::WaitingForPlugin).await;
    let info = Ok(("disk2.example.org".to_owned(), "1.0.0".to_owned()));
    let _plugin = rig.plugin(Answers {
        info,
        ..Answers::default()
    });
    rig.status_when("the other name", |status| {
        status.driver.as_deref() == Some("disk2.example.org") && status.socket_is_shown
    })
    .await;
    assert!(!rig.socket().exists());
    assert!(registry.join("disk2.example.org-reg.sock").exists());
    let _ = rig.stop().await;
    assert_eq!(names(), before);
    assert!(UnixStream::connect(&live).is_ok());
}

#[tokio::test]
async fn r10_two_registrars_overlap_and_the_survivor_has_the_socket() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    let mut first = rig.other_registrar();
    let mut kubelet = rig.kubelet();
    kubelet.registers().await;
    first.comes_to(State::Registered).await;
    let of_first = rig.socket_id();

    rig.start(rig.options());
    rig.state(State::Superseded).await;
    assert_eq!(rig.socket_id(), of_first);
    first.kill().await;
    kubelet.registers().await;
    rig.state(State::Registered).await;
    assert_ne!(rig.socket_id(), of_first);
    fs::remove_file(rig.socket()).unwrap();
    kubelet.registers().await;
}

#[tokio::test]
async fn r10_a_registrar_that_stops_leaves_the_socket_of_its_successor() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    rig.state(State::WaitingForKubelet).await;
    // Without a pause in between, so that the registrar finds out only when it stops.
    fs::remove_file(rig.socket()).unwrap();
    let _successor = UnixListener::bind(rig.socket()).unwrap();
    let of_successor = rig.socket_id();
    let _ = rig.stop().await;
    assert_eq!(rig.socket_id(), of_successor);
    assert!(UnixStream::connect(rig.socket()).is_ok());
}

#[tokio::test]
async fn r11_a_deleted_socket_is_shown_again_and_registered_again() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let mut kubelet = rig.kubelet();
    kubelet.registers().await;
    for round in 1..=20 {
        rig.state(State::Registered).await;
        fs::remove_file(rig.socket()).unwrap();
        let since = Instant::now();
        kubelet.registers().await;
        assert!(since.elapsed() < SOON);
        let status = rig
            .status_when("shown again", |status| status.rebinds == round)
            .await;
        assert_eq!(status.refusals, 0);
    }
}

#[tokio::test]
async fn r11_whatever_is_done_to_the_socket_or_its_directory_it_is_shown_again_within_two_seconds()
{
    type Deed = fn(&Rig);
    let deeds: [(&str, Deed); 4] = [
        ("socket moved away", |rig| {
            fs::rename(rig.socket(), rig.root().join("away.sock")).unwrap();
        }),
        ("a dead socket put in its place", |rig| {
            let other = rig.root().join("other.sock");
            dead_socket(&other);
            fs::rename(other, rig.socket()).unwrap();
        }),
        ("directory removed and made anew", |rig| {
            fs::remove_dir_all(rig.registry()).unwrap();
            fs::create_dir(rig.registry()).unwrap();
        }),
        ("directory moved away and another one made", |rig| {
            fs::rename(rig.registry(), rig.root().join("away")).unwrap();
            fs::create_dir(rig.registry()).unwrap();
        }),
    ];
    for (deed, act) in deeds {
        let mut rig = Rig::new();
        let _plugin = rig.plugin(Answers::default());
        rig.start(rig.options());
        rig.state(State::WaitingForKubelet).await;
        let before = rig.socket_id();
        act(&rig);
        let since = Instant::now();
        crate::support::until(deed, || {
            rig.socket_id().is_some_and(|id| Some(id) != before)
                && UnixStream::connect(rig.socket()).is_ok()
        })
        .await;
        assert!(since.elapsed() < SOON, "{deed}");
        // One kubelet for each directory: it has to find the socket that is there now.
        rig.kubelet().registers().await;
        assert_eq!(rig.state(State::Registered).await.rebinds, 1, "{deed}");
    }
}

#[tokio::test]
async fn r11_a_file_in_place_of_the_socket_is_left_alone_and_the_socket_is_back_once_it_is_gone() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let mut kubelet = rig.kubelet();
    kubelet.registers().await;
    rig.state(State::Registered).await;
    let file = rig.root().join("file");
    fs::write(&file, "mine").unwrap();
    fs::rename(&file, rig.socket()).unwrap();
    let status = rig.state(State::Lost).await;
    assert_eq!(
        status.reason,
        format!(
            "{} is a regular file, not a socket, and is left alone; remove it, or choose another path",
            rig.socket().display()
        )
    );
    assert!(status.problem && !status.socket_is_shown);
    assert_eq!(fs::read_to_string(rig.socket()).unwrap(), "mine");

    fs::remove_file(rig.socket()).unwrap();
    let since = Instant::now();
    kubelet.registers().await;
    assert!(since.elapsed() < SOON);
    assert!(!rig.state(State::Registered).await.problem);
}

#[tokio::test]
async fn r12_of_what_may_be_at_the_path_only_a_dead_socket_is_replaced() {
    let this = std::process::id();
    for (kind, state, reason) in [
        ("dead", State::WaitingForKubelet, "SOCKET is shown, and no kubelet has called yet".to_owned()),
        (
            "live",
            State::Superseded,
            format!(
                "another registrar lives: socket SOCKET is in use by process {this}; stop that first, or choose another \
                 path; it is taken up when that one ends"
            ),
        ),
        (
            "file",
            State::Lost,
            "SOCKET is a regular file, not a socket, and is left alone; remove it, or choose another path".to_owned(),
        ),
        (
            "directory",
            State::Lost,
            "SOCKET is a directory, not a socket, and is left alone; remove it, or choose another path".to_owned(),
        ),
    ] {
        let mut rig = Rig::new();
        let path = rig.socket();
        let mut live = None;
        match kind {
            "dead" => dead_socket(&path),
            "live" => live = Some(UnixListener::bind(&path).unwrap()),
            "file" => fs::write(&path, "").unwrap(),
            _ => fs::create_dir(&path).unwrap(),
        }
        let before = rig.socket_id();
        let _plugin = rig.plugin(Answers::default());
        rig.start(rig.options());
        let status = rig
            .status_when(kind, |status| status.state != State::WaitingForPlugin)
            .await;
        assert_eq!(status.state, state, "{kind}");
        let reason = reason.replace("SOCKET", path.to_str().unwrap());
        assert_eq!(status.reason, reason, "{kind}");
        assert_eq!(rig.socket_id() == before, kind != "dead", "{kind}");
        drop(live);
    }
}

#[tokio::test]
async fn r13_a_plugin_whose_socket_is_dead_absent_or_new_is_waited_for_in_the_same_way() {
    let mut rig = Rig::new();
    let path = rig.plugin_socket();
    let shown = path.display();
    rig.start(rig.options());
    let absent = format!(
        "nothing is at {shown}, though its directory exists; its server has not bound it yet, or binds another path"
    );
    let dead = format!(
        "nobody listens on {shown}; its server is gone and left the socket, or is about to listen"
    );
    for round in 0..2 {
        rig.status_when("absent", |status| status.reason == absent)
            .await;
        dead_socket(&path);
        rig.status_when("dead", |status| status.reason == dead)
            .await;
        fs::remove_file(&path).unwrap();
        rig.status_when("absent again", |status| status.reason == absent)
            .await;
        dead_socket(&path);
        rig.status_when("dead again", |status| status.reason == dead)
            .await;
        let plugin = rig.plugin(Answers::default());
        let status = rig
            .status_when("there", |status| status.plugin.answering)
            .await;
        assert_eq!(
            status.plugin.reason, "disk.example.org 1.0.0 answers",
            "{round}"
        );
        rig.state(State::WaitingForKubelet).await;
        plugin.kill().await;
        rig.status_when("dead at last", |status| status.plugin.reason == dead)
            .await;
        fs::remove_file(&path).unwrap();
    }
}
