//! Faults that are about time. Only that something took long is asserted, never that it was quick.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::answers::GOOD;
use crate::call::{Ask, Client};
use crate::plugin::Served;

/// A fault, the call that it is about, and how long that takes at least, in milliseconds.
pub(crate) const SHOWN: [(&str, &str, u64); 11] = [
    ("info-slow", "Identity/GetPluginInfo", 1200),
    ("info-hangs", "Identity/GetPluginInfo", u64::MAX),
    ("capabilities-slow", "Identity/GetPluginCapabilities", 1200),
    (
        "capabilities-hang",
        "Identity/GetPluginCapabilities",
        u64::MAX,
    ),
    ("probe-slow-1s", "Identity/Probe", 1200),
    ("probe-slow-3s", "Identity/Probe", 3500),
    ("probe-hangs", "Identity/Probe", u64::MAX),
    ("probe-serialised", "Identity/Probe", 600),
    ("probe-blocks-all", "Identity/Probe", 600),
    ("node-info-slow", "Node/NodeGetInfo", 2500),
    ("deadline-ignored", "Identity/Probe", 800),
];

fn good(call: &str) -> &'static str {
    GOOD.into_iter().find(|row| row.0 == call).unwrap().1
}

#[tokio::test]
async fn a_slow_call_is_slow_and_its_answer_good() {
    // All at once: together they take as long as the slowest.
    let mut tests = JoinSet::new();
    for (fault, call, least) in SHOWN.into_iter().filter(|row| row.2 != u64::MAX) {
        tests.spawn(async move {
            let plugin = Served::faulty(fault);
            let client = Client::connect(plugin.socket()).await;
            let begun = Instant::now();
            let seen = client.call(Ask::of(call)).await;
            assert_eq!(seen.to_string(), good(call), "{fault}");
            assert!(begun.elapsed() >= Duration::from_millis(least), "{fault}");
        });
    }
    tests.join_all().await;
}

#[tokio::test]
async fn a_deadline_ends_a_call_unless_it_is_ignored() {
    for (fault, call, _) in SHOWN.into_iter().filter(|row| row.0 != "deadline-ignored") {
        let plugin = Served::faulty(fault);
        let client = Client::connect(plugin.socket()).await;
        let mut ask = Ask::of(call);
        ask.headers.push(("grpc-timeout", "50m"));
        let seen = client.call(ask).await;
        let over = "DeadlineExceeded: the deadline of the call has passed";
        assert_eq!(seen.to_string(), over, "{fault}");
    }

    let plugin = Served::faulty("deadline-ignored");
    let client = Client::connect(plugin.socket()).await;
    let mut ask = Ask::of("Identity/Probe");
    ask.headers.push(("grpc-timeout", "50m"));
    assert_eq!(client.call(ask).await.to_string(), "ready=true");
}

#[tokio::test]
async fn probes_wait_for_each_other_where_they_are_serialised() {
    for fault in ["probe-serialised", "probe-blocks-all"] {
        let plugin = Served::faulty(fault);
        let client = Client::connect(plugin.socket()).await;
        let probe = || client.call(Ask::of("Identity/Probe"));
        let begun = Instant::now();
        let seen = tokio::join!(probe(), probe(), probe());
        for seen in [seen.0, seen.1, seen.2] {
            assert_eq!(seen.to_string(), "ready=true");
        }
        assert!(begun.elapsed() >= Duration::from_millis(1800), "{fault}");
    }
}

#[tokio::test]
async fn another_call_waits_for_a_probe_only_where_that_blocks_all() {
    for (fault, first) in [("probe-serialised", "info"), ("probe-blocks-all", "probe")] {
        let plugin = Served::faulty(fault);
        let client = Client::connect(plugin.socket()).await;
        let probe = async {
            client.call(Ask::of("Identity/Probe")).await;
            "probe"
        };
        let info = async {
            client.call(Ask::of("Identity/GetPluginInfo")).await;
            "info"
        };
        // Polled in this order, so they are sent in it.
        let ended = tokio::select! {
            biased;
            ended = probe => ended,
            ended = info => ended,
        };
        assert_eq!(ended, first, "{fault}");
    }
}

#[tokio::test]
async fn a_cancelled_call_goes_on_only_where_that_is_the_fault() {
    let begun = Instant::now();
    let plugin = Served::faulty("cancel-ignored");
    let client = Client::connect(plugin.socket()).await;
    for _ in 0..2 {
        client.cancel(Ask::of("Identity/Probe")).await;
    }
    let seen = client.call(Ask::of("Identity/Probe")).await;
    assert_eq!(seen.to_string(), "ready=true");
    assert!(begun.elapsed() >= Duration::from_secs(4));

    let plugin = Served::good();
    let client = Client::connect(plugin.socket()).await;
    // Each for two seconds would be longer than a call here may take.
    for _ in 0..20 {
        client.cancel(Ask::of("Identity/Probe")).await;
    }
    let seen = client.call(Ask::of("Identity/Probe")).await;
    assert_eq!(seen.to_string(), "ready=true");
}
