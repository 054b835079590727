//! A client that sends what it is told to and hides nothing.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::rig::in_time;

/// An answer as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn parse(text: &str) -> Self {
        let (head, body) = text
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("{text:?}"));
        let code = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self {
            code,
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

pub(crate) async fn get(address: SocketAddr, path: &str) -> Answer {
    request(address, "GET", path, "").await
}

/// `headers` are lines that each end with CR LF.
pub(crate) async fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &str,
) -> Answer {
    let mut stream = connect(address).await;
    let text =
        format!("{method} {path} HTTP/1.1\r\nhost: node\r\n{headers}connection: close\r\n\r\n");
    stream.write_all(text.as_bytes()).await.unwrap();
    Answer::parse(&rest(&mut stream).await)
}

pub(crate) async fn connect(address: SocketAddr) -> TcpStream {
    in_time(TcpStream::connect(address)).await.unwrap()
}

/// Sends a request on a connection that stays open.
pub(crate) async fn ask(stream: &mut TcpStream, path: &str) {
    let text = format!("GET {path} HTTP/1.1\r\nhost: node\r\n\r\n");
    stream.write_all(text.as_bytes()).await.unwrap();
}

/// Reads an answer that ends with the body `end`.
pub(crate) async fn answer_ending_with(stream: &mut TcpStream, end: &str) -> Answer {
    let mut text = String::new();
    while !text.ends_with(end) {
        let mut buffer = [0; 1024];
        let len = in_time(stream.read(&mut buffer)).await.unwrap();
        assert_ne!(len, 0, "the connection ended after {text:?}");
        text.push_str(std::str::from_utf8(&buffer[..len]).unwrap());
    }
    Answer::parse(&text)
}

/// All that comes until the connection ends.
pub(crate) async fn rest(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    in_time(stream.read_to_string(&mut text)).await.unwrap();
    text
}
