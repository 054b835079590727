//! The end: answers in flight are waited for, nobody can hold it up, and the socket goes.

use std::fs;
use std::io;
use std::time::Duration;

use csi_endpoint::{BindOptions, Limits, Listener, Removed, ServeOptions, Stopped};
use csi_proto::pluginregistration::v1::RegistrationStatus;
use httlib_hpack::Encoder;
use tokio::net::UnixStream;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use tonic::{Code, Status};

use crate::bounded::{until, within};
use crate::raw::{BAD, GOOD, Raw, first_call, get_info};
use crate::registration::Waiting;
use crate::served::{Client, Served, ask};
use crate::wire;

/// Longer than any test is waited for.
const NEVER: Duration = Duration::from_secs(3600);
const SHORT: Duration = Duration::from_millis(50);
/// How long a server waits for requests that may still come, before it cuts idle connections.
const CALM: Duration = Duration::from_millis(250);
/// Far below the second that a server waits for the end of what it has cut.
const MOMENT: Duration = Duration::from_millis(100);

const DRAINED: Stopped = Stopped {
    drained: true,
    socket: Removed::Yes,
};
const CUT: Stopped = Stopped {
    drained: false,
    socket: Removed::Yes,
};

fn served(grace: Duration) -> Served {
    Served::start(ServeOptions {
        grace,
        limits: Limits {
            preface_timeout: NEVER,
            ..Limits::default()
        },
    })
}

/// Stops with a clock that stands still while anybody has something to do, and says how long it took by that clock.
async fn stopped_by_the_clock(served: &mut Served) -> (Stopped, Duration) {
    tokio::time::pause();
    let start = Instant::now();
    let stopped = served.stopped().await;
    let took = start.elapsed();
    tokio::time::resume();
    (stopped, took)
}

/// Makes a call that waits for its answer; it has begun.
async fn waiting_call(served: &Served, client: &Client) -> JoinHandle<Result<(), Status>> {
    let mut client = client.clone();
    let call = tokio::spawn(async move {
        let status = RegistrationStatus::default();
        let answer = client.notify_registration_status(status).await;
        answer.map(|_| ())
    });
    let mut waiting = served.plugin.waiting();
    let begun = waiting.wait_for(|calls| calls.begun == calls.answered + calls.dropped + 1);
    within("a call that waits", begun).await.unwrap();
    call
}

/// Waits until no connection is accepted any more.
async fn refused(served: &Served) {
    let path = served.endpoint.path();
    let refused = |result: io::Result<_>| {
        result.is_err_and(|error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused)
    };
    until("new connections are refused", || {
        refused(std::os::unix::net::UnixStream::connect(path))
    })
    .await;
}

#[tokio::test]
async fn a_server_without_clients_stops_at_once() {
    for grace in [NEVER, Duration::ZERO] {
        let mut served = served(grace);
        assert_eq!(served.stopped().await, DRAINED);
        assert!(!served.endpoint.path().exists());
    }
}

#[tokio::test]
async fn idle_clients_do_not_hold_up_the_stop() {
    let mut served = served(NEVER);
    let mut client = served.client().await;
    ask(&mut client).await;
    assert_eq!(served.stopped().await, DRAINED);
}

#[tokio::test]
async fn a_request_in_flight_is_answered_while_new_connections_are_refused() {
    let mut served = served(NEVER);
    let client = served.client().await;
    let call = waiting_call(&served, &client).await;

    served.begin_stop();
    refused(&served).await;
    assert!(served.endpoint.path().exists(), "the socket goes last");
    assert!(!call.is_finished());

    served.plugin.let_go(1);
    within("the answer", call).await.unwrap().unwrap();
    assert_eq!(served.ended().await, DRAINED);
    assert!(!served.endpoint.path().exists());
    let answered = Waiting {
        begun: 1,
        answered: 1,
        dropped: 0,
    };
    assert_eq!(*served.plugin.waiting().borrow(), answered);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn under_load_no_call_that_has_begun_is_dropped() {
    let mut served = served(NEVER);
    served.plugin.let_go(1_000_000);
    let mut asking = JoinSet::new();
    for _ in 0..8 {
        let mut client = served.client().await;
        asking.spawn(async move {
            let status = RegistrationStatus::default();
            while client
                .notify_registration_status(status.clone())
                .await
                .is_ok()
            {}
        });
    }
    let mut waiting = served.plugin.waiting();
    let busy = waiting.wait_for(|calls| calls.answered > 500);
    within("many answers", busy).await.unwrap();

    assert_eq!(served.stopped().await, DRAINED);

    // Not waited for: a call of tonic's client may hang where its server, tonic's own too, ends at that very moment.
    asking.shutdown().await;
    let waiting = *served.plugin.waiting().borrow();
    assert_eq!((waiting.dropped, waiting.answered), (0, waiting.begun));
}

#[tokio::test]
async fn a_call_that_is_never_answered_is_cut_when_the_grace_is_over_and_dropped() {
    let grace = Duration::from_secs(10);
    let mut served = served(grace);
    let client = served.client().await;
    let call = waiting_call(&served, &client).await;

    let (stopped, took) = stopped_by_the_clock(&mut served).await;
    assert_eq!(stopped, CUT);
    assert!((grace..grace + MOMENT).contains(&took), "{took:?}");

    let status = within("the end of the call", call).await.unwrap();
    let status = status.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    let lost = "the connection was lost before the answer came: ";
    assert!(status.message().starts_with(lost), "{status}");
    let mut waiting = served.plugin.waiting();
    let dropped = waiting.wait_for(|calls| calls.dropped == 1);
    within("the call is dropped", dropped).await.unwrap();
    until("no connection is left", || served.plugin.holders() == 1).await;
}

#[tokio::test]
async fn a_client_that_waits_for_nothing_and_does_not_react_does_not_hold_up_the_stop() {
    let mut served = served(NEVER);
    let mut encoder = Encoder::with_dynamic_size(4096);
    let mut raws = vec![Raw::opened(&served).await];
    for authority in [GOOD, BAD] {
        let mut raw = Raw::opened(&served).await;
        assert!(!raw.call(&first_call(authority), 1).await);
        raws.push(raw);
    }
    // One that stops inside its headers.
    let mut half = Raw::opened(&served).await;
    half.send(&get_info(&mut encoder, BAD, 1, &[])[..12]).await;
    raws.push(half);

    let (stopped, took) = stopped_by_the_clock(&mut served).await;
    assert_eq!(stopped, DRAINED);
    assert!(took < CALM + MOMENT, "{took:?}");
    assert_eq!(served.plugin.holders(), 1, "none outlives serve");
    for raw in raws {
        let frames = raw.ending().await;
        assert!(frames.iter().any(|frame| frame.kind == wire::GOAWAY));
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_is_cut_after_the_grace() {
    for authority in [GOOD, BAD] {
        let mut served = served(SHORT);
        let raw = deaf(&served, authority).await;
        assert_eq!(served.stopped().await, CUT);
        until("its connection is gone", || served.plugin.holders() == 1).await;
        drop(raw);
    }
}

/// A client that asks for much and reads nothing of it, so that the server cannot write any more.
async fn deaf(served: &Served, authority: &str) -> Raw {
    let mut raw = Raw::opened(served).await;
    let mut encoder = Encoder::with_dynamic_size(4096);
    let size = [("answer-size".to_owned(), "3000000".to_owned())];
    let window = 0x7000_0000_u32.to_be_bytes();
    let initial_window_size = [&[0, 4][..], &window].concat();
    raw.send(&wire::frame(wire::SETTINGS, 0, 0, &initial_window_size))
        .await;
    raw.send(&wire::frame(0x8, 0, 0, &window)).await;
    raw.send(&get_info(&mut encoder, authority, 1, &size)).await;
    let mut queued = 0;
    until("the socket is full", || {
        let now = rustix::io::ioctl_fionread(&raw.stream).unwrap();
        let full = now > 50_000 && now == queued;
        queued = now;
        full
    })
    .await;
    raw
}

#[tokio::test]
async fn a_client_that_never_began_does_not_hold_up_the_stop() {
    let mut served = served(NEVER);
    let mute = Raw::connect(&served).await;
    let mut stuck = Raw::connect(&served).await;
    stuck.send(&wire::PREFACE[..12]).await;
    ask(&mut served.client().await).await;
    assert_eq!(served.stopped().await, DRAINED);
    mute.ending().await;
    stuck.ending().await;
}

#[tokio::test]
async fn a_file_that_took_the_path_stays() {
    let mut served = served(NEVER);
    let path = served.endpoint.path().to_owned();
    fs::remove_file(&path).unwrap();
    fs::write(&path, "somebody else's").unwrap();
    let stopped = Stopped {
        drained: true,
        socket: Removed::NotOurs,
    };
    assert_eq!(served.stopped().await, stopped);
    assert_eq!(fs::read_to_string(&path).unwrap(), "somebody else's");
}

#[tokio::test]
async fn a_file_that_is_gone_already_is_no_failure() {
    let mut served = served(NEVER);
    fs::remove_file(served.endpoint.path()).unwrap();
    let stopped = Stopped {
        drained: true,
        socket: Removed::AlreadyGone,
    };
    assert_eq!(served.stopped().await, stopped);
}

#[tokio::test]
async fn a_successor_may_take_the_path_during_the_drain_and_keeps_it() {
    let mut served = served(NEVER);
    let client = served.client().await;
    let call = waiting_call(&served, &client).await;
    served.begin_stop();
    refused(&served).await;

    let successor = Listener::bind(&served.endpoint, &BindOptions::default()).unwrap();
    served.plugin.let_go(1);
    within("the answer", call).await.unwrap().unwrap();
    let stopped = Stopped {
        drained: true,
        socket: Removed::NotOurs,
    };
    assert_eq!(served.ended().await, stopped);
    assert!(successor.is_still_ours());
    UnixStream::connect(served.endpoint.path()).await.unwrap();
}

#[tokio::test]
async fn serving_that_is_dropped_cuts_its_connections_and_removes_its_socket() {
    let mut served = served(NEVER);
    let client = served.client().await;
    let call = waiting_call(&served, &client).await;
    let idle = Raw::opened(&served).await;

    served.abandon().await;

    idle.ending().await;
    within("the end of the call", call)
        .await
        .unwrap()
        .unwrap_err();
    until("no connection is left", || served.plugin.holders() == 1).await;
    assert!(!served.endpoint.path().exists());
}
