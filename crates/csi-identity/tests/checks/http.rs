use csi_identity::CheckTarget;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use crate::watched::{PATIENT, QUICK, bounded, complaint};

/// A server that answers each connection with the same bytes and closes it; what it was asked comes out of the channel.
async fn server(answer: &'static str) -> (String, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (sender, asked) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let head = head_of_request(&mut stream).await;
            if sender.send(head).is_err() || stream.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
    });
    (address, asked)
}

async fn head_of_request(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

fn http(address: &str, path: &str, status: Option<u16>, body: Option<&str>) -> CheckTarget {
    CheckTarget::Http {
        url: format!("http://{address}{path}").parse().unwrap(),
        status: status.map(|number| number.try_into().unwrap()),
        body: body.map(|text| text.parse().unwrap()),
    }
}

#[tokio::test]
async fn an_answer_is_judged_by_status_and_body() {
    const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nall ok\r\n";
    const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nall \r\n4\r\nok\r\n\r\n0\r\n\r\n";
    const UNTIL_CLOSE: &str = "HTTP/1.0 200 OK\r\n\r\nall ok\r\n";
    const EMPTY: &str = "HTTP/1.1 204 No Content\r\n\r\n";
    const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 6\r\n\r\nall ok";
    const MOVED: &str = "HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n";
    const SHORT: &str = "HTTP/1.1 200 OK\r\nContent-Length: 80\r\n\r\nall";
    const STRANGE: &str = "SSH-2.0-OpenSSH_9.6\r\n";
    for (answer, status, body, expected) in [
        (OK, None, None, None),
        (OK, Some(200), Some("all ok"), None),
        (CHUNKED, None, Some("all ok"), None),
        (UNTIL_CLOSE, None, Some("all ok"), None),
        (EMPTY, None, None, None),
        (BUSY, Some(503), Some("all ok"), None),
        (MOVED, Some(302), None, None),
        (
            BUSY,
            None,
            None,
            Some("answered 503 Service Unavailable, expected 200 to 299"),
        ),
        (OK, Some(204), None, Some("answered 200 OK, expected 204")),
        (
            MOVED,
            None,
            None,
            Some("answered 302 Found, expected 200 to 299"),
        ),
        (
            OK,
            None,
            Some("all is ok"),
            Some(r#"answered without "all is ok" in the body"#),
        ),
        (
            EMPTY,
            None,
            Some("ok"),
            Some(r#"answered without "ok" in the body"#),
        ),
        (
            SHORT,
            None,
            Some("ok"),
            Some(
                "broke off: error reading a body from connection: end of file before message length reached",
            ),
        ),
        (
            STRANGE,
            None,
            None,
            Some("gave no answer: invalid HTTP version parsed"),
        ),
        (
            "",
            None,
            None,
            Some("gave no answer: connection closed before message completed"),
        ),
    ] {
        let (address, _asked) = server(answer).await;
        let found = complaint(http(&address, "/health", status, body), PATIENT).await;
        let expected = expected.map(|what| format!("http://{address}/health {what}"));
        assert_eq!(found, expected, "{answer:?} {status:?} {body:?}");
    }
}

#[tokio::test]
async fn a_server_is_asked_once_a_run_and_with_all_it_needs() {
    let (address, mut asked) = server("HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n").await;
    let found = complaint(http(&address, "/a?token=x", None, None), PATIENT).await;
    assert_eq!(
        found.unwrap(),
        format!("http://{address}/a answered 302 Found, expected 200 to 299"),
        "without the query, which may be secret"
    );
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        bounded(asked.recv()).await.unwrap(),
        format!(
            "GET /a?token=x HTTP/1.1\r\nhost: {address}\r\nuser-agent: csi-identity/{version}\r\naccept: */*\r\n\
             connection: close\r\n\r\n"
        )
    );
    assert!(asked.try_recv().is_err(), "the redirect is not followed");
}

#[tokio::test]
async fn a_body_without_end_is_searched_up_to_a_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let serve = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        head_of_request(&mut stream).await;
        let head = b"HTTP/1.1 200 OK\r\n\r\n";
        stream.write_all(head).await.unwrap();
        // Ends when the client has had enough.
        while stream.write_all(&[b'x'; 4096]).await.is_ok() {}
    };
    let target = http(&address, "/", None, Some("ok"));
    let (found, ()) = bounded(async { tokio::join!(complaint(target, PATIENT), serve) }).await;
    assert_eq!(
        found.unwrap(),
        format!(r#"http://{address}/ answered without "ok" in the first 64 KiB of the body"#)
    );
}

#[tokio::test]
async fn a_server_that_does_not_answer_fails() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    assert_eq!(
        complaint(http(&address, "/", None, None), QUICK)
            .await
            .unwrap(),
        format!("no result within 50ms: waiting for the answer of http://{address}/")
    );
}
