//! A GET request and its answer.

use std::pin::pin;

use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::dial::Dial;
use crate::runtime::causes::with_causes;
use crate::{ExpectedText, HttpStatus, HttpUrl};

/// How much of a body is searched.
const MAX_BODY: usize = 64 * 1024;

/// How long the head of an answer may be, in bytes.
const MAX_HEAD: usize = 64 * 1024;

const USER_AGENT: &str = concat!("csi-identity/", env!("CARGO_PKG_VERSION"));

#[derive(Debug)]
pub(super) struct HttpProbe {
    url: HttpUrl,
    status: Option<HttpStatus>,
    body: Option<ExpectedText>,
    dial: Dial,
    /// Whether a run has come as far as to have a connection.
    connected: bool,
}

impl HttpProbe {
    pub(super) fn new(
        url: HttpUrl,
        status: Option<HttpStatus>,
        body: Option<ExpectedText>,
    ) -> Self {
        let dial = Dial::new(url.address().clone());
        Self {
            url,
            status,
            body,
            dial,
            connected: false,
        }
    }

    pub(super) async fn run(&mut self) -> Result<(), String> {
        self.connected = false;
        let stream = self.dial.connect().await?;
        self.connected = true;
        self.exchange(stream)
            .await
            .map_err(|failure| format!("{} {failure}", self.url.without_query()))
    }

    pub(super) fn doing(&self) -> String {
        if self.connected {
            format!("waiting for the answer of {}", self.url.without_query())
        } else {
            self.dial.doing()
        }
    }

    /// Asks and judges on a connection that is used for nothing else.
    async fn exchange(&self, stream: TcpStream) -> Result<(), String> {
        let broken = |error: hyper::Error| format!("gave no answer: {}", with_causes(&error));
        let (mut sender, connection) = http1::Builder::new()
            .max_buf_size(MAX_HEAD)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(broken)?;
        let request = Request::get(self.url.path_and_query())
            .header(header::HOST, self.url.authority())
            .header(header::USER_AGENT, USER_AGENT)
            .header(header::ACCEPT, "*/*")
            .header(header::CONNECTION, "close")
            .body(Empty::<Bytes>::new())
            .map_err(|error| format!("cannot be asked: {error}"))?;
        let mut judged = pin!(async {
            let answer = sender.send_request(request).await.map_err(broken)?;
            self.judge_status(answer.status())?;
            self.judge_body(answer.into_body()).await
        });
        // Bytes move only while the connection is polled too. It may end first, when all is read.
        tokio::select! {
            biased;
            result = &mut judged => result,
            _ended = connection => judged.await,
        }
    }

    fn judge_status(&self, status: StatusCode) -> Result<(), String> {
        match self.status {
            Some(expected) if status.as_u16() == expected.as_u16() => Ok(()),
            Some(expected) => Err(format!("answered {status}, expected {expected}")),
            None if status.is_success() => Ok(()),
            None => Err(format!("answered {status}, expected 200 to 299")),
        }
    }

    async fn judge_body(&self, mut body: Incoming) -> Result<(), String> {
        let Some(expected) = &self.body else {
            return Ok(());
        };
        let wanted = expected.as_str().as_bytes();
        let mut seen = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| format!("broke off: {}", with_causes(&error)))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            // The text may span two frames, but what was searched already need not be searched again.
            let from = seen.len().saturating_sub(wanted.len());
            let room = MAX_BODY - seen.len();
            seen.extend(data.iter().take(room));
            if occurs(wanted, &seen[from..]) {
                return Ok(());
            }
            if seen.len() == MAX_BODY {
                return Err(format!(
                    "answered without {:?} in the first 64 KiB of the body",
                    expected.as_str()
                ));
            }
        }
        Err(format!(
            "answered without {:?} in the body",
            expected.as_str()
        ))
    }
}

/// Whether `text` has `wanted` in it, which is not empty.
fn occurs(wanted: &[u8], text: &[u8]) -> bool {
    text.windows(wanted.len()).any(|window| window == wanted)
}
