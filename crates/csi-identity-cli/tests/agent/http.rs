//! A client that asks once and tells everything.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use serde_json::Value;

use crate::program::PATIENCE;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) body: String,
}

pub(crate) fn get(address: SocketAddr, path: &str) -> Answer {
    ask(address, path, "")
}

/// The answer that has all parts.
pub(crate) fn json(address: SocketAddr, path: &str) -> Value {
    let answer = ask(address, path, "accept: application/json\r\n");
    serde_json::from_str(&answer.body).unwrap()
}

/// `headers` are lines that each end with CR LF.
fn ask(address: SocketAddr, path: &str, headers: &str) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: node\r\n{headers}connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    Answer {
        code: head.split(' ').nth(1).unwrap().parse().unwrap(),
        body: body.to_owned(),
    }
}
