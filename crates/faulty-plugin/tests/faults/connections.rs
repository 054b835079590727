//! Faults that take the connection with them, or never let it begin.

use csi_endpoint::{ConnectOptions, connect};
use faulty_plugin::Ended;

use crate::call::{Ask, Client, Seen};
use crate::plugin::Served;

pub(crate) const FAULTS: [&str; 7] = [
    "wire-goaway",
    "wire-cut",
    "wire-close-after-call",
    "http2-mute",
    "http2-speaks-http1",
    "http2-closes",
    "lost-client-kills",
];

#[tokio::test]
async fn a_connection_ends_as_its_fault_wants_it() {
    let info = "disk.faultless.dev 1.2.3, manifest of 6";
    for (fault, answer, end) in [
        (
            "wire-goaway",
            "stream closed because of a broken pipe",
            "connection error received: detected excessive load generating behavior",
        ),
        ("wire-close-after-call", info, "closed"),
    ] {
        let plugin = Served::faulty(fault);
        // Each time, and on a connection of its own.
        for _ in 0..2 {
            let client = Client::connect(plugin.socket()).await;
            let seen = client.call(Ask::of("Identity/GetPluginInfo")).await;
            assert_eq!(seen.to_string(), answer, "{fault}");
            let ended = match client.end().await {
                Ok(()) => "closed".to_owned(),
                Err(error) => error.to_string(),
            };
            assert_eq!(ended, end, "{fault}");
        }
    }
}

#[tokio::test]
async fn a_connection_that_is_cut_brings_no_answer_and_ends() {
    let plugin = Served::faulty("wire-cut");
    for _ in 0..2 {
        let client = Client::connect(plugin.socket()).await;
        let probe = client.call(Ask::of("Identity/Probe")).await;
        assert_eq!(probe.to_string(), "ready=true");
        let seen = client.call(Ask::of("Identity/GetPluginInfo")).await;
        assert!(matches!(seen, Seen::Broken(_)), "{seen}");
        // How it ends for the client depends on what is on its way; that it ends does not.
        let _reset_or_closed = client.end().await;
    }
}

#[tokio::test]
async fn a_connection_does_not_begin_where_nobody_speaks_http2() {
    for (fault, reason) in [
        ("http2-mute", "no HTTP/2"),
        ("http2-speaks-http1", "HTTP/1.1 400"),
        ("http2-closes", "closed"),
    ] {
        let plugin = Served::faulty(fault);
        let error = connect(&plugin.endpoint(), &ConnectOptions::default())
            .await
            .unwrap_err();
        assert!(error.to_string().contains(reason), "{fault}: {error}");
    }
}

#[tokio::test]
async fn a_client_that_goes_in_the_middle_of_a_call_is_the_end_of_one_plugin() {
    let mut plugin = Served::faulty("lost-client-kills");
    let client = Client::connect(plugin.socket()).await;
    assert_eq!(
        client.call(Ask::of("Identity/Probe")).await.to_string(),
        "ready=true"
    );
    drop(client);

    // One that goes after its call is none that matters.
    let client = Client::connect(plugin.socket()).await;
    client.leave(Ask::of("Identity/Probe")).await;
    assert_eq!((&mut plugin.task).await.unwrap(), Ended::Died);

    let good = Served::good();
    for _ in 0..2 {
        let client = Client::connect(good.socket()).await;
        client.leave(Ask::of("Identity/Probe")).await;
    }
    let client = Client::connect(good.socket()).await;
    assert_eq!(
        client.call(Ask::of("Identity/Probe")).await.to_string(),
        "ready=true"
    );
}
