//! Who is let in: uids on the list, and as many as there are places.

use std::time::Duration;

use csi_endpoint::{ConnectError, ConnectOptions, Limits, connect};
use rustix::process::geteuid;

use crate::bounded::{pass, within};
use crate::log;
use crate::raw::{GOOD, Raw, first_call};
use crate::served::{Served, ask};
use crate::wire;

fn allowing(uids: Vec<u32>) -> Limits {
    Limits {
        allow_uids: Some(uids),
        ..Limits::default()
    }
}

#[tokio::test]
async fn a_user_on_the_list_is_served() {
    let uid = geteuid().as_raw();
    let served = Served::with_limits(allowing(vec![uid + 1, uid]));
    assert_eq!(ask(&mut served.client().await).await.r#type, "CSIPlugin");
}

#[tokio::test]
async fn a_stranger_is_turned_away_without_an_answer_and_logged() {
    let uid = geteuid().as_raw();
    let served = Served::with_limits(allowing(vec![uid + 1]));

    let raw = Raw::connect(&served).await;
    assert_eq!(raw.ending().await, []);

    let options = ConnectOptions::default();
    let attempt = connect(&served.endpoint, &options);
    let error = within("connecting", attempt).await.unwrap_err();
    assert!(matches!(error, ConnectError::Closed { .. }), "{error:?}");

    let expected = format!(
        " WARN csi_endpoint::incoming: refusing a connection: the user id is not on the allow-list pid={} uid={uid}\n",
        std::process::id()
    );
    assert_eq!(log::text(), expected, "once, not for each of the two");
}

#[tokio::test]
async fn strangers_cannot_fill_the_log_and_are_not_forgotten_either() {
    let uid = geteuid().as_raw();
    let served = Served::with_limits(allowing(vec![uid + 1]));
    let lines = || log::text().lines().count();
    for expected in 1..4 {
        for _ in 0..10 {
            assert_eq!(Raw::connect(&served).await.ending().await, []);
        }
        assert_eq!(lines(), expected);
        pass(Duration::from_secs(60)).await;
    }
}

#[tokio::test]
async fn nobody_on_the_list_means_nobody() {
    let served = Served::with_limits(allowing(vec![]));
    assert_eq!(Raw::connect(&served).await.ending().await, []);
}

#[tokio::test]
async fn one_over_the_limit_is_closed_at_once_and_served_when_a_place_is_free() {
    let served = Served::with_limits(Limits {
        max_connections: 2,
        ..Limits::default()
    });
    let mut first = served.client().await;
    let second = Raw::opened(&served).await;

    for _ in 0..3 {
        assert_eq!(Raw::connect(&served).await.ending().await, []);
    }
    ask(&mut first).await;
    let expected = format!(
        " WARN csi_endpoint::incoming: refusing connections: as many as allowed are open pid={} uid={} limit=2\n",
        std::process::id(),
        geteuid().as_raw()
    );
    assert_eq!(log::text(), expected, "once, not for each of the three");

    drop(second);
    let served_again = async {
        loop {
            // The place is free when the server has seen the second one leave.
            let mut raw = Raw::connect(&served).await;
            let closed = raw
                .call(&[wire::opening(), first_call(GOOD)].concat(), 1)
                .await;
            if !closed {
                break raw.heard(closed);
            }
        }
    };
    let heard = within("a free place", served_again).await;
    assert_eq!(heard.answered(), [1]);
    ask(&mut first).await;
}
