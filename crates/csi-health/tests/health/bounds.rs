//! Clients that take more than they are granted.

use std::io::ErrorKind;
use std::time::Duration;

use csi_health::HttpOptions;
use tokio::io::AsyncWriteExt;

use crate::http::{answer_ending_with, ask, connect, get, rest};
use crate::plugin::Reply;
use crate::rig::{Parts, Rig, in_time};

async fn rig(http: HttpOptions) -> Rig {
    let parts = Parts {
        http,
        ..Parts::default()
    };
    Rig::with(Reply::Ready(None), parts).await
}

#[tokio::test]
async fn a_client_that_does_not_finish_its_request_is_cut() {
    let rig = rig(HttpOptions {
        header_timeout: Duration::from_millis(200),
        ..HttpOptions::default()
    })
    .await;
    for beginning in ["", "GET /healthz HTTP/1.1\r\nhost: no"] {
        let mut client = connect(rig.address).await;
        client.write_all(beginning.as_bytes()).await.unwrap();
        assert_eq!(get(rig.address, "/healthz").await.code, 200);
        assert_eq!(rest(&mut client).await, "");
    }
    // The same after a request, with the connection idle.
    let mut client = connect(rig.address).await;
    ask(&mut client, "/healthz").await;
    answer_ending_with(&mut client, "\r\n\r\nok").await;
    assert_eq!(rest(&mut client).await, "");
}

#[tokio::test]
async fn a_head_over_the_limit_is_refused() {
    let rig = rig(HttpOptions::default()).await;
    let mut client = connect(rig.address).await;
    let head = format!("GET /healthz HTTP/1.1\r\nx: {}", "y".repeat(17 * 1024));
    client.write_all(head.as_bytes()).await.unwrap();
    let answer = answer_ending_with(&mut client, "\r\n\r\n").await;
    assert_eq!(answer.code, 431);
}

#[tokio::test]
async fn a_client_that_does_not_fetch_its_answers_is_cut() {
    let rig = rig(HttpOptions {
        write_timeout: Duration::from_millis(200),
        ..HttpOptions::default()
    })
    .await;
    let mut client = connect(rig.address).await;
    let requests = "GET /metrics HTTP/1.1\r\nhost: node\r\n\r\n".repeat(100);
    let error = in_time(async {
        loop {
            if let Err(error) = client.write_all(requests.as_bytes()).await {
                return error;
            }
        }
    })
    .await;
    assert!(
        [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe].contains(&error.kind()),
        "{error}"
    );
    assert_eq!(get(rig.address, "/healthz").await.code, 200);
}

#[tokio::test]
async fn connections_over_the_limit_are_closed_and_there_is_room_again_after() {
    let rig = rig(HttpOptions {
        max_connections: 2,
        ..HttpOptions::default()
    })
    .await;
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut client = connect(rig.address).await;
        ask(&mut client, "/healthz").await;
        answer_ending_with(&mut client, "\r\n\r\nok").await;
        open.push(client);
    }
    for _ in 0..3 {
        assert_eq!(rest(&mut connect(rig.address).await).await, "");
    }
    for client in &mut open {
        ask(client, "/healthz").await;
        answer_ending_with(client, "\r\n\r\nok").await;
    }
    // The end of a connection is read by the server before what comes after it.
    let mut gone = open.remove(0);
    gone.shutdown().await.unwrap();
    assert_eq!(rest(&mut gone).await, "");
    in_time(async {
        loop {
            let mut client = connect(rig.address).await;
            let asked = client.write_all(b"GET /healthz HTTP/1.0\r\n\r\n").await;
            if asked.is_ok() && read_all(&mut client).await.ends_with(b"\r\n\r\nok") {
                return;
            }
        }
    })
    .await;
}

/// What comes, of a connection that may be reset.
async fn read_all(client: &mut tokio::net::TcpStream) -> Vec<u8> {
    use tokio::io::AsyncReadExt;
    let mut bytes = Vec::new();
    let _reset = client.read_to_end(&mut bytes).await;
    bytes
}
