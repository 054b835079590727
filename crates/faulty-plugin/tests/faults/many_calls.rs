//! Faults that only many calls show.

use faulty_plugin::Ended;

use crate::call::{Ask, Client, Seen};
use crate::plugin::Served;

pub(crate) const FAULTS: [&str; 5] = [
    "capabilities-change-late",
    "probe-unready-after-50",
    "probe-kills-after-50",
    "cancel-blocks",
    "cancel-ignored",
];

#[tokio::test]
async fn the_50th_answer_is_another_and_so_are_those_after_it() {
    for (fault, call, good, then) in [
        (
            "capabilities-change-late",
            "Identity/GetPluginCapabilities",
            "VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE",
            "VOLUME_ACCESSIBILITY_CONSTRAINTS",
        ),
        (
            "probe-unready-after-50",
            "Identity/Probe",
            "ready=true",
            "FailedPrecondition: too many open files",
        ),
    ] {
        let plugin = Served::faulty(fault);
        let client = Client::connect(plugin.socket()).await;
        for number in 1..=60 {
            let expected = if number < 50 { good } else { then };
            let seen = client.call(Ask::of(call)).await.to_string();
            assert_eq!(seen, expected, "{fault}: call {number}");
        }
    }
}

#[tokio::test]
async fn the_50th_probe_is_the_end_of_the_plugin() {
    let mut plugin = Served::faulty("probe-kills-after-50");
    let client = Client::connect(plugin.socket()).await;
    for _ in 1..50 {
        let seen = client.call(Ask::of("Identity/Probe")).await.to_string();
        assert_eq!(seen, "ready=true");
    }
    let seen = client.call(Ask::of("Identity/Probe")).await;
    assert!(matches!(seen, Seen::Broken(_)), "{seen}");
    assert_eq!((&mut plugin.task).await.unwrap(), Ended::Died);
}

#[tokio::test]
async fn nobody_is_answered_after_a_call_was_cancelled_only_where_that_is_the_fault() {
    let over = "DeadlineExceeded: the deadline of the call has passed";
    for (plugin, expected) in [
        (Served::faulty("cancel-blocks"), over),
        (Served::good(), "ready=true"),
    ] {
        let ask = Ask {
            headers: vec![("grpc-timeout", "500m")],
            ..Ask::of("Identity/Probe")
        };
        let client = Client::connect(plugin.socket()).await;
        assert_eq!(client.call(ask.clone()).await.to_string(), "ready=true");
        client.cancel(Ask::of("Identity/Probe")).await;
        assert_eq!(client.call(ask.clone()).await.to_string(), expected);
        let other = Client::connect(plugin.socket()).await;
        assert_eq!(other.call(ask).await.to_string(), expected);
    }
}
