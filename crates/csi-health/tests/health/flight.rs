//! One Probe at a time, and none of yesterday's.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::poll_immediate;
use tokio::task::JoinSet;

use crate::http::{ask, connect, get};
use crate::plugin::Reply;
use crate::rig::{PATIENCE, Parts, Probed, Rig, in_time};

#[tokio::test]
async fn all_who_ask_while_a_probe_is_in_flight_share_its_answer() {
    let Probed { plugin, prober, .. } = Probed::start(Reply::Held, PATIENCE).await;
    let mut callers: Vec<_> = (0..200)
        .map(|_| {
            let prober = prober.clone();
            Box::pin(async move { prober.probe().await })
        })
        .collect();
    for caller in &mut callers {
        assert_eq!(poll_immediate(caller).await, None);
    }
    plugin.release();
    let mut outcomes = Vec::new();
    for caller in callers {
        outcomes.push(in_time(caller).await);
    }
    assert!(outcomes.iter().all(|one| Arc::ptr_eq(one, &outcomes[0])));
    assert_eq!(plugin.counts().probes, 1);
}

#[tokio::test]
async fn each_request_that_comes_later_has_a_probe_of_its_own() {
    let rig = Rig::start(Reply::Ready(None)).await;
    for count in 1..=50 {
        assert_eq!(get(rig.address, "/healthz").await.code, 200);
        assert_eq!(rig.plugin.counts().probes, count);
    }
}

#[tokio::test]
async fn an_answer_that_somebody_has_not_fetched_yet_is_not_used_again() {
    let Probed { plugin, prober, .. } = Probed::start(Reply::Held, PATIENCE).await;
    let mut quick = Box::pin(prober.probe());
    let mut slow = Box::pin(prober.probe());
    assert_eq!(poll_immediate(&mut quick).await, None);
    assert_eq!(poll_immediate(&mut slow).await, None);
    plugin.release();
    let answered = in_time(quick).await;

    plugin.release();
    let later = in_time(prober.probe()).await;
    assert!(!Arc::ptr_eq(&answered, &later));
    assert_eq!(plugin.counts().probes, 2);
    assert!(Arc::ptr_eq(&answered, &slow.now_or_never().unwrap()));
}

#[tokio::test]
async fn r23_a_crowd_that_leaves_a_hanging_plugin_has_one_probe_in_flight_and_leaves_none() {
    let rig = Rig::start(Reply::Held).await;
    for wave in 1..=3 {
        let mut clients = Vec::new();
        for _ in 0..200 {
            let mut client = connect(rig.address).await;
            ask(&mut client, "/healthz").await;
            clients.push(client);
        }
        let counts = rig.plugin.counted(|counts| counts.probes >= wave).await;
        assert_eq!((counts.in_flight, counts.most), (1, 1));
        drop(clients);
        rig.plugin.counted(|counts| counts.in_flight == 0).await;
    }
    assert_eq!(rig.plugin.counts().most, 1);

    rig.plugin.reply(Reply::Ready(None));
    assert_eq!(get(rig.address, "/healthz").await.body, "ok");
}

#[tokio::test]
async fn r23_a_crowd_that_stays_at_a_hanging_plugin_is_answered_after_the_timeout() {
    let parts = Parts {
        timeout: Duration::from_millis(300),
        ..Parts::default()
    };
    let rig = Rig::with(Reply::Held, parts).await;
    let mut clients = JoinSet::new();
    for _ in 0..200 {
        clients.spawn(get(rig.address, "/livez"));
    }
    while let Some(answer) = in_time(clients.join_next()).await {
        let answer = answer.unwrap();
        assert_eq!(
            (answer.code, answer.body.as_str()),
            (503, "the plugin did not answer Probe within 300ms")
        );
    }
    let counts = rig.plugin.counted(|counts| counts.in_flight == 0).await;
    assert_eq!(counts.most, 1);
}
