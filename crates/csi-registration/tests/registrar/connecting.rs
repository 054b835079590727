//! Connecting and timing: reports 16, 17, 19 and 20.

use std::fs;
use std::os::unix::net::UnixListener;
use std::time::Duration;

use csi_kubelet::Fault;
use csi_registration::{RegistrarOptions, State};

use crate::support::{Answers, REGISTRATION, Rig, Running, log, refusal};

#[tokio::test]
async fn r16_a_plugin_that_was_killed_is_not_offered_and_stays_registered_when_it_is_back() {
    let mut rig = Rig::new();
    let plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    rig.kubelet().registers().await;
    rig.state(State::Registered).await;
    let socket = rig.socket_id();

    plugin.kill().await;
    let status = rig
        .status_when("away", |status| !status.plugin.answering)
        .await;
    assert_eq!(status.state, State::Registered);
    let reason = format!(
        "nobody listens on {}; its server is gone and left the socket, or is about to listen",
        rig.plugin_socket().display()
    );
    assert_eq!(status.plugin.reason, reason);
    // A kubelet that is restarted meanwhile.
    let mut kubelet = rig.kubelet();
    let asked = kubelet.comes_to("GetInfo").await;
    assert_eq!(
        (&asked["code"], &asked["message"]),
        (
            &"UNAVAILABLE".into(),
            &format!("rpc error: code = Unavailable desc = the plugin does not answer: {reason}")
                .into()
        )
    );

    let plugin = rig.plugin(Answers::default());
    kubelet.registers().await;
    let status = rig
        .status_when("back", |status| status.plugin.answering)
        .await;
    assert_eq!((status.state, status.rebinds), (State::Registered, 0));
    assert_eq!(rig.socket_id(), socket);
    assert!(plugin.count("GetPluginInfo") >= 1);
}

#[tokio::test]
async fn r16_a_plugin_that_comes_back_under_another_name_is_registered_under_that() {
    let mut rig = Rig::new();
    let plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let mut kubelet = rig.kubelet();
    kubelet.registers().await;
    rig.state(State::Registered).await;
    plugin.kill().await;
    let _plugin = rig.plugin(Answers {
        info: Ok(("tape.example.org".to_owned(), "1.0.0".to_owned())),
        ..Answers::default()
    });
    let gone = kubelet.comes_to("deregistered").await;
    assert_eq!(gone["driver"], "disk.example.org");
    let other = rig.registry().join("tape.example.org-reg.sock");
    assert_eq!(kubelet.registers().await.name, "tape.example.org");
    let status = rig
        .status_when("the other name", |status| {
            status.state == State::Registered && status.socket.as_deref() == Some(&other)
        })
        .await;
    assert_eq!(status.driver.as_deref(), Some("tape.example.org"));
    assert!(!rig.socket().exists());
}

#[tokio::test]
async fn r16_while_the_plugin_is_away_no_new_socket_follows_a_refusal() {
    let mut rig = Rig::new();
    let plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let mut kubelet = rig.kubelet_with(&Fault::RefuseFirst(1));
    kubelet.refuses().await;
    plugin.kill().await;
    // Each GetInfo that fails doubles the kubelet's pause, up to two minutes.
    let status = rig.state(State::WaitingForPlugin).await;
    assert!(!status.socket_is_shown);
    assert!(!rig.socket().exists());
    kubelet.comes_to("deregistered").await;
    let _plugin = rig.plugin(Answers::default());
    assert_eq!(kubelet.names_until("registered").await, REGISTRATION);
    let status = rig.state(State::Registered).await;
    assert_eq!(
        status.last_refusal.unwrap().message,
        refusal("refusal 1 of 1 that were asked for")
    );
}

#[tokio::test]
async fn r16_a_socket_deleted_while_the_plugin_is_away_is_shown_when_it_is_back() {
    let mut rig = Rig::new();
    let plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let mut kubelet = rig.kubelet();
    kubelet.registers().await;
    rig.state(State::Registered).await;
    plugin.kill().await;
    rig.status_when("away", |status| !status.plugin.answering)
        .await;
    fs::remove_file(rig.socket()).unwrap();
    let status = rig.state(State::WaitingForPlugin).await;
    assert!(!status.socket_is_shown && !rig.socket().exists());
    kubelet.comes_to("deregistered").await;
    let _plugin = rig.plugin(Answers::default());
    assert_eq!(kubelet.names_until("registered").await, REGISTRATION);
    assert_eq!(rig.state(State::Registered).await.rebinds, 1);
}

#[tokio::test]
async fn r17_a_socket_that_accepts_and_never_speaks_is_left_for_the_one_that_follows() {
    let mut rig = Rig::new();
    let path = rig.plugin_socket();
    let mute = UnixListener::bind(&path).unwrap();
    rig.start(rig.options());
    let reason = format!(
        "connected to {}, but no HTTP/2 SETTINGS came within 1s; its server hangs, or speaks another protocol",
        path.display()
    );
    let status = rig
        .status_when("mute", |status| status.reason == reason)
        .await;
    assert_eq!(status.state, State::WaitingForPlugin);
    // The old one goes on listening, on a file that is gone.
    let _plugin = rig.plugin(Answers::default());
    rig.kubelet().registers().await;
    rig.state(State::Registered).await;
    drop(mute);
}

#[tokio::test]
async fn r17_a_socket_swapped_under_a_living_connection_is_noticed() {
    let mut rig = Rig::new();
    let first = rig.plugin(Answers::default());
    rig.start(rig.options());
    rig.kubelet().registers().await;
    rig.state(State::Registered).await;
    // The first plugin lives on and keeps its connection.
    fs::rename(rig.plugin_socket(), rig.root().join("old.sock")).unwrap();
    let second = rig.plugin(Answers::default());
    crate::support::until("the second is asked", || second.count("NodeGetInfo") == 1).await;
    drop(first);
    let status = rig
        .status_when("answering", |status| status.plugin.answering)
        .await;
    assert_eq!((status.state, status.rebinds), (State::Registered, 0));
}

async fn registers_with(answers: Answers, call_timeout: Option<Duration>) -> (Rig, Running) {
    let mut rig = Rig::new();
    let plugin = rig.plugin(answers);
    let mut options = rig.options();
    if let Some(limit) = call_timeout {
        options.call_timeout = limit;
    }
    rig.start(options);
    rig.kubelet().registers().await;
    (rig, plugin)
}

#[tokio::test]
async fn r19_by_default_an_answer_may_be_late_by_what_ends_other_registrars() {
    for millis in [900, 1500] {
        let answers = Answers {
            info_takes: Duration::from_millis(millis),
            ..Answers::default()
        };
        let (_rig, plugin) = registers_with(answers, None).await;
        assert_eq!(plugin.count("GetPluginInfo"), 1, "{millis} ms");
    }
}

#[tokio::test]
async fn r19_a_plugin_over_the_limit_is_asked_again_and_the_message_names_the_limit() {
    let mut rig = Rig::new();
    let plugin = rig.plugin(Answers {
        info_takes: Duration::from_secs(3600),
        ..Answers::default()
    });
    rig.start(RegistrarOptions {
        call_timeout: Duration::from_millis(300),
        ..rig.options()
    });
    let reason = "GetPluginInfo: no answer within 300ms; the limit is that of --timeout, and it is asked again";
    let status = rig
        .status_when("over the limit", |status| status.reason == reason)
        .await;
    assert_eq!(status.state, State::WaitingForPlugin);
    crate::support::until("asked again", || plugin.count("GetPluginInfo") >= 3).await;
    assert!(!rig.socket().exists());
    plugin.change(|answers| answers.info_takes = Duration::ZERO);
    rig.kubelet().registers().await;
    rig.state(State::Registered).await;
}

#[tokio::test]
async fn r20_a_registrar_that_is_there_long_before_the_plugin_says_so_once() {
    let mut rig = Rig::new();
    tokio::time::pause();
    rig.start(rig.options());
    tokio::time::sleep(Duration::from_secs(90)).await;
    assert_eq!(rig.status().state, State::WaitingForPlugin);
    assert!(!rig.status().problem);
    let waiting = log::lines();
    assert_eq!(waiting.len(), 1, "{waiting:#?}");
    let reason = format!("nothing is at {}", rig.plugin_socket().display());
    assert!(waiting[0].contains("waiting_for_plugin"), "{waiting:#?}");
    assert!(waiting[0].contains(&reason), "{waiting:#?}");

    tokio::time::resume();
    let _plugin = rig.plugin(Answers::default());
    rig.kubelet().registers().await;
    rig.state(State::Registered).await;
    let lines = log::lines();
    let states: Vec<_> = lines
        .iter()
        .filter_map(|line| line.split_once("registration state=\""))
        .map(|(_, rest)| rest.split('"').next().unwrap())
        .collect();
    assert_eq!(
        states,
        ["waiting_for_plugin", "waiting_for_kubelet", "registered"],
        "{lines:#?}"
    );
}
