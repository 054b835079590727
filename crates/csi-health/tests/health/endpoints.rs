//! What each endpoint makes of each answer of a plugin.

use csi_registration::{State, Status};
use tonic::Code;

use crate::http::{get, request};
use crate::plugin::Reply;
use crate::rig::{Parts, Rig, registered};

const NOT_READY: &str = "driver responded but is not ready";
const GARBAGE: &str = "INTERNAL: failed to decode Protobuf message: invalid varint";
const UNIMPLEMENTED: &str = "ok\nwarning: the plugin does not implement Probe, which every caller but the kubelet \
                             takes for a failure (UNIMPLEMENTED: no)\n";

#[tokio::test]
async fn r24_each_answer_of_a_plugin_has_its_code_and_body_at_each_endpoint() {
    let cases = [
        (Reply::Ready(None), [(200, "ok"), (200, "ok"), (200, "ok")]),
        (
            Reply::Ready(Some(true)),
            [(200, "ok"), (200, "ok"), (200, "ok")],
        ),
        (
            Reply::Ready(Some(false)),
            [
                (500, NOT_READY),
                (200, "ok, though the plugin says that it is not ready yet"),
                (503, NOT_READY),
            ],
        ),
        (
            Reply::Error(Code::FailedPrecondition, "NOT_READY: pool\r\n\tp0"),
            [
                (500, "FAILED_PRECONDITION: NOT_READY: pool p0"),
                (503, "FAILED_PRECONDITION: NOT_READY: pool p0"),
                (503, "FAILED_PRECONDITION: NOT_READY: pool p0"),
            ],
        ),
        (
            Reply::Error(Code::Unavailable, ""),
            [
                (500, "UNAVAILABLE: no reason given"),
                (503, "UNAVAILABLE: no reason given"),
                (503, "UNAVAILABLE: no reason given"),
            ],
        ),
        (
            Reply::Error(Code::Unimplemented, "no"),
            [
                (500, "UNIMPLEMENTED: no"),
                (200, UNIMPLEMENTED),
                (200, UNIMPLEMENTED),
            ],
        ),
        (
            Reply::Garbage,
            [(500, GARBAGE), (503, GARBAGE), (503, GARBAGE)],
        ),
    ];
    for (reply, answers) in cases {
        let rig = Rig::start(reply).await;
        for (path, (code, body)) in ["/healthz", "/livez", "/readyz"].iter().zip(answers) {
            let answer = get(rig.address, path).await;
            assert_eq!(
                (answer.code, answer.body.as_str()),
                (code, body),
                "{reply:?} {path}"
            );
            assert_eq!(
                answer.header("content-type"),
                Some("text/plain; charset=utf-8")
            );
            let head = request(rig.address, "HEAD", path, "").await;
            assert_eq!((head.code, head.body.as_str()), (code, ""), "{reply:?}");
            assert_eq!(
                head.header("content-length"),
                answer.header("content-length")
            );
        }
        let metrics = get(rig.address, "/metrics").await;
        assert_eq!(metrics.code, 200);
    }
}

#[tokio::test]
async fn a_long_reason_is_cut() {
    const LONG: &str = match std::str::from_utf8(&[b'x'; 3000]) {
        Ok(text) => text,
        Err(_) => panic!(),
    };
    let rig = Rig::start(Reply::Error(Code::Internal, LONG)).await;
    let answer = get(rig.address, "/healthz").await;
    assert_eq!((answer.code, answer.body.len()), (500, 1024));
}

#[tokio::test]
async fn registrationz_follows_the_state_and_the_socket_without_a_probe() {
    use State::{Lost, Refused, Registered, Superseded, WaitingForKubelet, WaitingForPlugin};
    let parts = Parts {
        status: Some(registered()),
        ..Parts::default()
    };
    let rig = Rig::with(Reply::Ready(None), parts).await;
    for (state, shown, code) in [
        (Registered, true, 200),
        (WaitingForKubelet, true, 503),
        (Refused, true, 503),
        (Refused, false, 404),
        (WaitingForPlugin, false, 404),
        (Lost, false, 404),
        (Superseded, false, 404),
    ] {
        rig.status.as_ref().unwrap().send_replace(Status {
            state,
            socket_is_shown: shown,
            reason: "the\nreason".to_owned(),
            ..registered()
        });
        let answer = get(rig.address, "/registrationz").await;
        assert_eq!(
            (answer.code, answer.body),
            (code, format!("{state}: the reason"))
        );
    }
    assert_eq!(rig.plugin.counts().probes, 0);
}

#[tokio::test]
async fn registrationz_says_that_registration_is_off() {
    let rig = Rig::start(Reply::Ready(None)).await;
    let answer = get(rig.address, "/registrationz").await;
    assert_eq!(
        (answer.code, answer.body.as_str()),
        (
            404,
            "registration is off: this process registers no plugin with the kubelet"
        )
    );
}

#[tokio::test]
async fn livez_alone_fails_when_only_a_restart_can_help() {
    let parts = Parts {
        status: Some(Status {
            state: State::Lost,
            reason: "the directory was removed".to_owned(),
            restart_needed: true,
            ..registered()
        }),
        ..Parts::default()
    };
    let rig = Rig::with(Reply::Ready(Some(true)), parts).await;
    let answer = get(rig.address, "/livez").await;
    assert_eq!(
        (answer.code, answer.body.as_str()),
        (503, "the directory was removed")
    );
    for path in ["/healthz", "/readyz"] {
        assert_eq!(get(rig.address, path).await.code, 200);
    }
}

#[tokio::test]
async fn other_methods_and_paths_are_refused_with_what_would_be_right() {
    let rig = Rig::start(Reply::Ready(None)).await;
    for path in [
        "/",
        "/healthz",
        "/livez",
        "/readyz",
        "/registrationz",
        "/metrics",
    ] {
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
            let answer = request(rig.address, method, path, "content-length: 0\r\n").await;
            assert_eq!(
                (answer.code, answer.body.as_str()),
                (405, "use GET or HEAD")
            );
            assert_eq!(answer.header("allow"), Some("GET,HEAD"), "{method} {path}");
        }
    }
    let answer = get(rig.address, "/health").await;
    assert_eq!(
        (answer.code, answer.body.as_str()),
        (404, "nothing is served under this path; / lists what is")
    );
    assert_eq!(rig.plugin.counts().probes, 0);
}

#[tokio::test]
async fn r28_every_answer_names_the_plugin_once_it_is_known() {
    let parts = Parts {
        status: Some(Status {
            driver: None,
            ..registered()
        }),
        ..Parts::default()
    };
    let rig = Rig::with(Reply::Ready(None), parts).await;
    let paths = ["/", "/healthz", "/registrationz", "/metrics", "/nowhere"];
    for path in paths {
        let answer = get(rig.address, path).await;
        assert_eq!(answer.header("csi-driver"), None);
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    rig.metrics.set_driver_name("given.acme.io");
    assert_eq!(
        get(rig.address, "/healthz").await.header("csi-driver"),
        Some("given.acme.io")
    );
    rig.status.as_ref().unwrap().send_replace(registered());
    for path in paths {
        let answer = get(rig.address, path).await;
        assert_eq!(answer.header("csi-driver"), Some("disk.acme.io"), "{path}");
    }
    let answer = request(rig.address, "POST", "/healthz", "content-length: 0\r\n").await;
    assert_eq!(answer.header("csi-driver"), Some("disk.acme.io"));
}

#[tokio::test]
async fn the_root_lists_the_endpoints() {
    let rig = Rig::start(Reply::Ready(None)).await;
    let answer = get(rig.address, "/").await;
    assert_eq!(answer.code, 200);
    for path in [
        "/healthz",
        "/livez",
        "/readyz",
        "/registrationz",
        "/metrics",
    ] {
        let line = format!("\n{path} ");
        assert!(answer.body.contains(&line), "{}", answer.body);
    }
}
