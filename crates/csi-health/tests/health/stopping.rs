//! The end of a server.

use std::time::{Duration, Instant};

use csi_health::HttpOptions;
use tokio::io::AsyncWriteExt;

use crate::http::{answer_ending_with, ask, connect, rest};
use crate::plugin::Reply;
use crate::rig::{Parts, Rig, in_time};

#[tokio::test]
async fn idle_connections_are_cut_and_the_answer_in_flight_is_finished() {
    let parts = Parts {
        http: HttpOptions {
            // Far longer than anything here: only the right end is in time.
            grace: Duration::from_secs(600),
            header_timeout: Duration::from_secs(600),
            ..HttpOptions::default()
        },
        ..Parts::default()
    };
    let rig = Rig::with(Reply::Ready(None), parts).await;
    let mut mute = connect(rig.address).await;
    let mut idle = connect(rig.address).await;
    ask(&mut idle, "/healthz").await;
    answer_ending_with(&mut idle, "\r\n\r\nok").await;
    let mut half = connect(rig.address).await;
    half.write_all(b"GET /healthz HTTP/1.1\r\nhost: no")
        .await
        .unwrap();
    rig.plugin.reply(Reply::Held);
    let mut busy = connect(rig.address).await;
    ask(&mut busy, "/healthz").await;
    rig.plugin.counted(|counts| counts.in_flight == 1).await;

    let address = rig.address;
    let (plugin, server) = rig.stop();
    for client in [&mut mute, &mut idle, &mut half] {
        assert_eq!(rest(client).await, "");
    }
    plugin.release();
    assert!(rest(&mut busy).await.ends_with("\r\n\r\nok"));
    in_time(server).await.unwrap();
    let refused = tokio::net::TcpStream::connect(address).await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_waited_for_no_longer_than_the_grace_period() {
    let rig = Rig::start(Reply::Held).await;
    let mut busy = connect(rig.address).await;
    ask(&mut busy, "/healthz").await;
    rig.plugin.counted(|counts| counts.in_flight == 1).await;
    let start = Instant::now();
    let (plugin, server) = rig.stop();
    in_time(server).await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(rest(&mut busy).await, "");
    plugin.counted(|counts| counts.in_flight == 0).await;
}
