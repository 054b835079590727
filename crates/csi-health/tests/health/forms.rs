//! The same answers with every part in them.

use std::time::Duration;

use csi_registration::{State, Status, Timestamp};
use serde_json::{Value, json};
use tonic::Code;

use crate::http::{Answer, get, request};
use crate::plugin::Reply;
use crate::rig::{Parts, Rig, registered};

async fn json_of(rig: &Rig, path: &str) -> (Answer, Value) {
    let answer = request(rig.address, "GET", path, "accept: application/json\r\n").await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let value = serde_json::from_str(&answer.body).unwrap();
    (answer, value)
}

fn waiting() -> Parts {
    let status = Status {
        state: State::WaitingForKubelet,
        reason: "no kubelet has called".to_owned(),
        ..registered()
    };
    Parts {
        status: Some(status),
        ..Parts::default()
    }
}

#[tokio::test]
async fn json_has_every_part_and_the_whole_status() {
    let rig = Rig::with(Reply::Ready(Some(false)), waiting()).await;
    let (answer, mut value) = json_of(&rig, "/readyz?verbose").await;
    assert_eq!(answer.code, 503);
    let probe = value["components"]["probe"].as_object_mut().unwrap();
    let latency = probe.remove("latency_seconds").unwrap();
    assert!(latency.as_f64().unwrap() > 0.0);
    let since = probe.remove("since").unwrap();
    since.as_str().unwrap().parse::<Timestamp>().unwrap();
    let status: Status = serde_json::from_value(value["registration"].take()).unwrap();
    assert_eq!(status, *rig.status.as_ref().unwrap().borrow());
    assert_eq!(
        value,
        json!({
            "check": "readyz",
            "ok": false,
            "message": "driver responded but is not ready",
            "driver": "disk.acme.io",
            "components": {
                "plugin": {
                    "ok": true,
                    "state": "answering",
                    "reason": "disk.acme.io 1.2.3",
                    "since": "2026-02-03T04:05:06.789Z",
                },
                "probe": {
                    "ok": false,
                    "state": "not_ready",
                    "reason": "driver responded but is not ready",
                },
                "registration": {
                    "ok": false,
                    "state": "waiting_for_kubelet",
                    "reason": "no kubelet has called",
                    "since": "2026-02-03T04:05:06.789Z",
                },
                "socket": {
                    "ok": true,
                    "state": "shown",
                    "reason": "/registration/disk.acme.io-reg.sock",
                },
            },
            "warnings": ["node_id is long"],
            "registration": null,
        })
    );
}

#[tokio::test]
async fn without_a_registration_there_are_two_parts() {
    let rig = Rig::start(Reply::Error(Code::Unimplemented, "no")).await;
    for (path, code, ok) in [
        ("/healthz", 500, false),
        ("/livez", 200, true),
        ("/registrationz", 404, false),
    ] {
        let (answer, value) = json_of(&rig, path).await;
        assert_eq!((answer.code, &value["ok"]), (code, &json!(ok)), "{path}");
        let parts: Vec<_> = value["components"].as_object().unwrap().keys().collect();
        assert_eq!(parts, ["plugin", "probe"]);
        assert_eq!(value["components"]["plugin"]["ok"], true);
        assert_eq!(value["registration"], Value::Null);
        assert_eq!(value["driver"], Value::Null);
        assert_eq!(value["warnings"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_state_is_as_old_as_its_first_answer() {
    let rig = Rig::start(Reply::Ready(Some(false))).await;
    let since = |value: &Value| {
        let since = value["components"]["probe"]["since"].as_str().unwrap();
        since.parse::<Timestamp>().unwrap()
    };
    let (_, first) = json_of(&rig, "/livez").await;
    // Long enough to be seen in a text that has milliseconds.
    while since(&first).elapsed() < Duration::from_millis(5) {
        let (_, next) = json_of(&rig, "/livez").await;
        assert_eq!(since(&next), since(&first));
    }
    let (_, next) = json_of(&rig, "/livez").await;
    assert_eq!(since(&next), since(&first));
    rig.plugin.reply(Reply::Ready(Some(true)));
    let (_, next) = json_of(&rig, "/livez").await;
    assert!(since(&next) > since(&first));
}

#[tokio::test]
async fn verbose_text_has_a_line_for_each_part_and_the_same_code() {
    let rig = Rig::with(Reply::Ready(None), waiting()).await;
    for (path, code, last) in [
        ("/healthz?verbose", 200, "healthz check passed"),
        ("/registrationz?verbose", 503, "registrationz check failed"),
    ] {
        let answer = get(rig.address, path).await;
        assert_eq!(answer.code, code);
        let lines: Vec<_> = answer.body.lines().collect();
        assert_eq!(
            lines[0],
            "[+]plugin ok: disk.acme.io 1.2.3, since 2026-02-03T04:05:06.789Z"
        );
        assert!(lines[1].starts_with("[+]probe ok: the plugin is ready, took "));
        assert_eq!(
            lines[2..],
            [
                "[-]registration waiting_for_kubelet: no kubelet has called, since 2026-02-03T04:05:06.789Z",
                "[+]socket ok: /registration/disk.acme.io-reg.sock",
                "[!]warning: node_id is long",
                "driver: disk.acme.io",
                last,
            ]
        );
    }
}

#[tokio::test]
async fn text_from_outside_stays_one_line() {
    let parts = Parts {
        status: Some(Status {
            state: State::Refused,
            reason: "no\n[+]registration ok".to_owned(),
            driver: Some("a\r\nb".to_owned()),
            warnings: vec!["c\nd".to_owned()],
            socket: Some("/e\nf".into()),
            ..registered()
        }),
        ..Parts::default()
    };
    let rig = Rig::with(Reply::Error(Code::Internal, "g\nh"), parts).await;
    let answer = get(rig.address, "/livez?verbose").await;
    assert_eq!(answer.body.lines().count(), 7, "{}", answer.body);
    assert_eq!(answer.header("csi-driver"), Some("a b"));
}

#[tokio::test]
async fn what_the_plugin_does_now_counts_for_more_than_what_is_remembered_of_it() {
    let rig = Rig::with(Reply::Ready(None), waiting()).await;
    rig.status.as_ref().unwrap().send_modify(|status| {
        status.plugin.answering = false;
        status.plugin.reason = "it was gone".to_owned();
    });
    let (_, value) = json_of(&rig, "/livez").await;
    let plugin = &value["components"]["plugin"];
    assert_eq!(
        (&plugin["state"], &plugin["reason"]),
        (&json!("answering"), &json!("it answers calls"))
    );
    assert_ne!(plugin["since"], json!("2026-02-03T04:05:06.789Z"));

    rig.status.as_ref().unwrap().send_replace(registered());
    let socket = rig.plugin.socket().display().to_string();
    rig.plugin.kill().await;
    let text = get(rig.address, "/livez?verbose").await.body;
    let gone = format!("[-]plugin not_answering: nothing is at {socket}, though ");
    assert!(text.starts_with(&gone), "{text}");
    assert!(!text.contains("disk.acme.io 1.2.3"), "{text}");
}
