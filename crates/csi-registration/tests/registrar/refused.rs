//! The kubelet answers "no", or would: reports 31, 32 and 34.

use csi_kubelet::Fault;
use csi_proto::csi::v1::NodeGetInfoResponse;
use csi_registration::{Ended, RegistrarOptions, State};
use tonic::Status as Code;

use crate::support::{Answers, Kubelet, Rig, log, refusal};

#[tokio::test]
async fn r31_a_kubelet_that_never_asks_again_is_shown_a_new_socket() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let mut kubelet = rig.kubelet_with(&Fault::RefuseFirst(2));
    let [first, second] =
        [1, 2].map(|number| refusal(&format!("refusal {number} of 2 that were asked for")));
    assert_eq!(kubelet.refuses().await, first);
    let status = rig.state(State::Refused).await;
    assert_eq!(status.reason, first);
    let refused = rig.socket_id();
    assert_eq!(kubelet.refuses().await, second);
    let status = rig
        .status_when("refused again", |status| status.refusals == 2)
        .await;
    assert_eq!(status.rebinds, 1);
    assert_ne!(rig.socket_id(), refused);
    kubelet.registers().await;
    let status = rig.state(State::Registered).await;
    assert_eq!((status.refusals, status.rebinds), (2, 2));
    // What was said stays to be read.
    assert_eq!(status.last_refusal.unwrap().message, second);
}

#[tokio::test]
async fn r31_a_kubelet_that_comes_again_by_itself_is_taken_at_its_word() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let options = rig.kubelet_options().version("1.36");
    let mut kubelet = Kubelet::start(&options.fault(&Fault::RefuseFirst(1)));
    kubelet.refuses().await;
    kubelet.registers().await;
    let status = rig.state(State::Registered).await;
    assert_eq!((status.refusals, status.rebinds), (1, 0));
}

#[tokio::test]
async fn r32_a_long_reason_of_many_lines_is_one_line_of_bounded_length() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let first = "detected topology value collision: driver reported \"zone\":\"a\" but existing label is \"zone\":\"b\"";
    let long = format!(
        "{first}\n\tat\u{1b}[31m line 2\r\n{}",
        "x".repeat(64 * 1024)
    );
    let _kubelet = rig.kubelet_that_refuses(&long);
    let status = rig.state(State::Refused).await;
    let start = refusal(&format!("{first} at [31m line 2 "));
    let line = format!("{start}{} ...", "x".repeat(1024 - start.len()));
    assert_eq!(status.reason, line);
    assert_eq!(status.last_refusal.unwrap().message, line);
}

#[tokio::test]
async fn r34_a_plugin_without_a_node_service_is_not_shown_and_the_reason_says_so() {
    let mut rig = Rig::new();
    let plugin = rig.plugin(Answers {
        serves_node: false,
        ..Answers::default()
    });
    rig.start(rig.options());
    let reason = "NodeGetInfo: UNIMPLEMENTED, and a kubelet registers no plugin without it; serve csi.v1.Node on this \
                  socket, or leave the registration out";
    rig.status_when("no Node service", |status| status.reason == reason)
        .await;
    assert_eq!(rig.status().state, State::WaitingForPlugin);
    assert!(!rig.socket().exists());
    plugin.kill().await;
    let _plugin = rig.plugin(Answers::default());
    rig.kubelet().registers().await;
}

#[tokio::test]
async fn r34_what_a_kubelet_would_refuse_is_said_before_it_is_asked_and_noticed_when_mended() {
    let node = |node_id: &str| {
        Ok(NodeGetInfoResponse {
            node_id: node_id.to_owned(),
            ..Default::default()
        })
    };
    for (answer, reason) in [
        (
            node(""),
            "NodeGetInfo: node id is empty; give the name under which the storage system knows this node; a kubelet \
             refuses it"
                .to_owned(),
        ),
        (
            node(&"n".repeat(257)),
            "NodeGetInfo: node id is 257 bytes long, the limit is 256; the API server refuses it".to_owned(),
        ),
        (
            Err(Code::internal("no metadata server")),
            "NodeGetInfo: INTERNAL: no metadata server; a kubelet would refuse the plugin, and before 1.36 never ask again"
                .to_owned(),
        ),
    ] {
        let mut rig = Rig::new();
        let plugin = rig.plugin(Answers {
            node: answer,
            ..Answers::default()
        });
        rig.start(rig.options());
        let status = rig.status_when(&reason, |status| status.reason == reason).await;
        assert_eq!(status.state, State::WaitingForPlugin);
        assert!(!rig.socket().exists());
        plugin.change(|answers| answers.node = node("node-1"));
        rig.kubelet().registers().await;
        assert_eq!(rig.state(State::Registered).await.refusals, 0);
    }
}

#[tokio::test]
async fn a_refusal_ends_the_registrar_where_that_is_asked_for() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(RegistrarOptions {
        exit_on_refusal: true,
        ..rig.options()
    });
    let _kubelet = rig.kubelet_that_refuses("topology\nclash");
    assert_eq!(rig.ended().await, Ended::Refused(refusal("topology clash")));
    assert!(!rig.socket().exists());
    assert_eq!(rig.status().refusals, 1);
}

#[tokio::test]
async fn a_name_that_is_no_name_never_becomes_a_path() {
    let list = |rig: &Rig| {
        let folders = [
            rig.root().parent().unwrap().join("x-reg.sock"),
            rig.root().join("x-reg.sock"),
        ];
        let names = std::fs::read_dir(rig.registry()).unwrap().count();
        names + folders.iter().filter(|path| path.exists()).count()
    };
    for name in [
        "../x", "../../x", "a/b", "..", ".", "a\0b", "a.io\n", "/tmp/x",
    ] {
        let mut rig = Rig::new();
        let _plugin = rig.plugin(Answers {
            info: Ok((name.to_owned(), "1.0.0".to_owned())),
            ..Answers::default()
        });
        rig.start(rig.options());
        let status = rig.status_when(name, |status| status.problem).await;
        assert_eq!(status.state, State::WaitingForPlugin);
        let end = "; the API server refuses a CSINode with that name";
        assert!(status.reason.ends_with(end), "{}", status.reason);
        assert_eq!((status.socket, status.driver), (None, None));
        assert_eq!(list(&rig), 0, "{name:?}");
    }
}

#[tokio::test]
async fn r31_one_and_the_same_refusal_is_logged_once_until_the_kubelet_has_said_yes() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let mut kubelet = rig.kubelet_that_refuses("taken");
    for _ in 0..2 {
        kubelet.refuses().await;
    }
    drop(kubelet);
    rig.status_when("another socket", |status| status.rebinds == 2)
        .await;
    rig.kubelet_that_refuses("other").refuses().await;
    rig.kubelet().registers().await;
    rig.state(State::Registered).await;
    let lines = log::lines();
    let told = |word: &str| lines.iter().filter(|line| line.contains(word)).count();
    assert_eq!(told("taken\""), 1, "{lines:#?}");
    assert_eq!(told("other\""), 1, "{lines:#?}");
    assert_eq!(told("state=\"waiting_for_kubelet\""), 1, "{lines:#?}");
    assert_eq!(told("state=\"registered\""), 1, "{lines:#?}");
}

#[tokio::test]
async fn r31_another_reason_on_the_same_socket_is_logged_too() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let options = rig.kubelet_options().version("1.36");
    let mut kubelet = Kubelet::start(&options.fault(&Fault::RefuseFirst(2)));
    kubelet.registers().await;
    let status = rig.state(State::Registered).await;
    assert_eq!((status.refusals, status.rebinds), (2, 0));
    let lines = log::lines();
    for refusal in ["refusal 1 of 2", "refusal 2 of 2"] {
        let told = lines.iter().filter(|line| line.contains(refusal)).count();
        assert_eq!(told, 1, "{refusal}: {lines:#?}");
    }
}
