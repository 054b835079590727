//! The plugin restarts, idles, or becomes another: what is registered anew and what is not.

use std::time::{Duration, Instant};

use csi_proto::csi::v1::NodeGetInfoResponse;
use csi_registration::{CallObserver, RegisterWhen, RegistrarOptions, State};
use tonic::Status as Code;

use crate::support::{Answers, Impatient, Kubelet, Rig, Running, log, until};

async fn registered() -> (Rig, Running, Kubelet) {
    let mut rig = Rig::new();
    let plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let mut kubelet = rig.kubelet();
    kubelet.registers().await;
    rig.state(State::Registered).await;
    (rig, plugin, kubelet)
}

#[tokio::test]
async fn a_plugin_that_restarts_as_the_same_is_asked_again_and_not_registered_anew() {
    let (rig, plugin, _kubelet) = registered().await;
    let socket = rig.socket_id();
    plugin.kill().await;
    rig.status_when("away", |status| !status.plugin.answering)
        .await;
    let plugin = rig.plugin(Answers::default());
    until("asked to the end", || plugin.count("NodeGetInfo") == 1).await;
    let status = rig
        .status_when("back", |status| status.plugin.answering)
        .await;
    assert_eq!((status.state, status.rebinds), (State::Registered, 0));
    assert_eq!(rig.socket_id(), socket);
}

#[tokio::test]
async fn a_plugin_that_restarts_with_another_version_or_node_is_registered_anew() {
    let newer = Answers {
        info: Ok(("disk.example.org".to_owned(), "1.1.0".to_owned())),
        ..Answers::default()
    };
    let moved = Answers {
        node: Ok(NodeGetInfoResponse {
            node_id: "node-2".to_owned(),
            ..Default::default()
        }),
        ..Answers::default()
    };
    let smaller = Answers {
        node: Ok(NodeGetInfoResponse {
            node_id: "node-1".to_owned(),
            max_volumes_per_node: 8,
            ..Default::default()
        }),
        ..Answers::default()
    };
    for another in [newer, moved, smaller] {
        let (rig, plugin, mut kubelet) = registered().await;
        let socket = rig.socket_id();
        plugin.kill().await;
        let _plugin = rig.plugin(another);
        kubelet.comes_to("deregistered").await;
        kubelet.registers().await;
        let status = rig
            .status_when("registered anew", |status| {
                status.rebinds == 1 && status.state == State::Registered
            })
            .await;
        assert_eq!(status.refusals, 0);
        assert_ne!(rig.socket_id(), socket);
    }
}

#[tokio::test]
async fn a_plugin_that_closes_idle_connections_is_not_away() {
    let mut rig = Rig::new();
    let inner = rig.root().join("inner.sock");
    let plugin = Running::start(&inner, Answers::default());
    let age = Duration::from_millis(50);
    let impatient = Impatient::start(&rig.plugin_socket(), &inner, age);
    rig.start(rig.options());
    rig.kubelet().registers().await;
    rig.state(State::Registered).await;
    let lines = log::lines();
    let mut changes = rig.watch();
    changes.mark_unchanged();
    let (asked, cut, since) = (
        plugin.count("GetPluginInfo"),
        impatient.cut(),
        Instant::now(),
    );
    until("connections are cut", || impatient.cut() >= cut + 8).await;
    // Once a second at most, and not each time the connection is cut.
    let asked = plugin.count("GetPluginInfo") - asked;
    let most = since.elapsed().as_secs() + 2;
    assert!(
        (2..=most).contains(&asked.try_into().unwrap()),
        "{asked} of {most}"
    );
    assert!(!changes.has_changed().unwrap(), "{:?}", rig.status());
    assert_eq!(log::lines(), lines);
}

#[tokio::test]
async fn what_the_plugin_lacks_keeps_it_waiting_or_is_a_warning() {
    let mut rig = Rig::new();
    let plugin = rig.plugin(Answers {
        info: Err(Code::unimplemented("no identity yet")),
        capabilities: Err(Code::internal("later")),
        probe: Ok(Some(false)),
        ..Answers::default()
    });
    rig.start(rig.options());
    for (reason, change) in [
        (
            "GetPluginInfo: UNIMPLEMENTED: no identity yet",
            (|answers| answers.info = Ok((String::new(), "1.0.0".to_owned()))) as fn(&mut Answers),
        ),
        (
            "GetPluginInfo: the name is empty, so the plugin does not know yet who it is",
            |answers| answers.info = Answers::default().info,
        ),
        (
            "Probe: ready=false, so the plugin is still starting",
            |answers| answers.probe = Err(Code::failed_precondition("NOT_READY: disk")),
        ),
        ("Probe: FAILED_PRECONDITION: NOT_READY: disk", |answers| {
            answers.probe = Err(Code::unimplemented(""));
        }),
    ] {
        let status = rig
            .status_when(reason, |status| status.reason == reason)
            .await;
        assert_eq!(status.state, State::WaitingForPlugin);
        assert!(status.plugin.answering && !status.problem && !rig.socket().exists());
        plugin.change(change);
    }
    rig.kubelet().registers().await;
    let status = rig.state(State::Registered).await;
    assert_eq!(
        status.warnings[1..],
        [
            "GetPluginCapabilities: INTERNAL: later; sidecars exit on that",
            "Probe: UNIMPLEMENTED, taken as ready; sidecars exit on that",
        ]
    );
}

#[tokio::test]
async fn a_plugin_to_be_registered_when_it_serves_is_shown_before_it_is_ready() {
    let mut rig = Rig::new();
    let plugin = rig.plugin(Answers {
        probe: Ok(Some(false)),
        ..Answers::default()
    });
    rig.start(RegistrarOptions {
        register_when: RegisterWhen::Serving,
        ..rig.options()
    });
    rig.kubelet().registers().await;
    let starting = "Probe: ready=false, so the plugin is still starting".to_owned();
    let status = rig
        .status_when("a warning", |status| status.warnings.contains(&starting))
        .await;
    assert_eq!(status.state, State::Registered);
    // It is asked again, and while that says the same nothing changes.
    let mut changes = rig.watch();
    changes.mark_unchanged();
    let asked = plugin.count("Probe");
    until("asked again", || plugin.count("Probe") >= asked + 3).await;
    assert!(!changes.has_changed().unwrap(), "{:?}", rig.status());
    plugin.change(|answers| answers.probe = Ok(Some(true)));
    let status = rig
        .status_when("no warning", |status| !status.warnings.contains(&starting))
        .await;
    assert_eq!((status.state, status.rebinds), (State::Registered, 0));
}

#[tokio::test]
async fn a_plugin_to_be_registered_when_it_serves_is_shown_while_node_get_info_takes_its_time() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers {
        node_takes: Duration::from_secs(3600),
        ..Answers::default()
    });
    rig.start(RegistrarOptions {
        register_when: RegisterWhen::Serving,
        ..rig.options()
    });
    rig.state(State::WaitingForKubelet).await;
    assert!(rig.socket().exists());
}

#[tokio::test]
async fn an_observer_hears_of_each_call_with_its_code() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers {
        capabilities: Err(Code::internal("later")),
        ..Answers::default()
    });
    let (hear, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let observer = CallObserver::new(move |method, code, took| {
        let _ = hear.send((method, code, took));
    });
    rig.start(RegistrarOptions {
        observer: Some(observer),
        ..rig.options()
    });
    rig.state(State::WaitingForKubelet).await;
    for (method, code) in [
        ("/csi.v1.Identity/GetPluginInfo", tonic::Code::Ok),
        (
            "/csi.v1.Identity/GetPluginCapabilities",
            tonic::Code::Internal,
        ),
        ("/csi.v1.Identity/Probe", tonic::Code::Ok),
        ("/csi.v1.Node/NodeGetInfo", tonic::Code::Ok),
    ] {
        let (heard_method, heard_code, took) = heard.recv().await.unwrap();
        assert_eq!((heard_method, heard_code), (method, code));
        assert!(took > Duration::ZERO);
    }
}
