//! A gRPC call by hand, on HTTP/2 streams, and what came of it in one line.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use h2::client::{self, ResponseFuture, SendRequest};
use http::{HeaderMap, Request, StatusCode};
use tokio::net::UnixStream;
use tokio::task::JoinHandle;
use tonic::Code;

use crate::shown::{cut, hex, shown};

/// How long anything may take. Nothing here comes near, unless it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) path: String,
    pub(crate) content_type: &'static str,
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    pub(crate) message: Vec<u8>,
}

impl Ask {
    /// `Identity/Probe`, for example, with an empty message.
    pub(crate) fn of(rpc: &str) -> Self {
        Self {
            path: format!("/csi.v1.{rpc}"),
            content_type: "application/grpc",
            headers: Vec::new(),
            message: Vec::new(),
        }
    }

    fn head(&self) -> Request<()> {
        let mut request = Request::post(format!("http://localhost{}", self.path))
            .header("content-type", self.content_type)
            .header("te", "trailers");
        for (name, value) in &self.headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap()
    }
}

/// A connection to a plugin.
#[derive(Debug)]
pub(crate) struct Client {
    sender: SendRequest<Bytes>,
    connection: JoinHandle<Result<(), h2::Error>>,
}

impl Client {
    pub(crate) async fn connect(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).await.unwrap();
        let mut builder = client::Builder::new();
        builder.max_header_list_size(1024 * 1024);
        builder.initial_window_size(8 * 1024 * 1024);
        builder.initial_connection_window_size(8 * 1024 * 1024);
        let (sender, connection) = builder.handshake(stream).await.unwrap();
        Self {
            sender,
            connection: tokio::spawn(connection),
        }
    }

    /// Makes a call and reads all that comes of it.
    pub(crate) async fn call(&self, ask: Ask) -> Seen {
        let answer = self.answer(&ask);
        let path = ask.path.clone();
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(answer)) => Seen::Answer {
                path,
                answer: Box::new(answer),
            },
            Ok(Err(error)) => Seen::Broken(error),
            Err(_elapsed) => panic!("{path} takes for ever"),
        }
    }

    /// Begins a call and gives it up before its message has come, when the server knows of it.
    pub(crate) async fn cancel(&self, ask: Ask) {
        let mut sender = self.sender.clone().ready().await.unwrap();
        let begun = sender.send_request(ask.head(), false).unwrap();
        // Frames are taken in their order, so an answer to this one tells of the one before.
        let _after = self.call(Ask::of("Identity/GetPluginInfo")).await;
        drop(begun);
    }

    /// Begins a call and closes the connection, when the server knows of it.
    pub(crate) async fn leave(self, ask: Ask) {
        let begun = self.begin(&ask).await.unwrap();
        let _after = self.call(Ask::of("Identity/GetPluginInfo")).await;
        self.connection.abort();
        drop(begun);
    }

    /// Begins a call whose message does not come.
    pub(crate) async fn open(&self, rpc: &str) -> (ResponseFuture, h2::SendStream<Bytes>) {
        let ask = Ask::of(rpc);
        let mut sender = self.sender.clone().ready().await.unwrap();
        sender.send_request(ask.head(), false).unwrap()
    }

    /// How the connection ends, when nobody ends it here.
    pub(crate) async fn end(self) -> Result<(), h2::Error> {
        let Self { sender, connection } = self;
        let end = tokio::time::timeout(PATIENCE, connection).await;
        drop(sender);
        end.unwrap().unwrap()
    }

    async fn begin(&self, ask: &Ask) -> Result<ResponseFuture, h2::Error> {
        let len = u32::try_from(ask.message.len()).unwrap();
        let message = [&[0][..], &len.to_be_bytes(), &ask.message].concat();
        let mut sender = self.sender.clone().ready().await?;
        let (response, mut stream) = sender.send_request(ask.head(), false)?;
        stream.send_data(message.into(), true)?;
        Ok(response)
    }

    async fn answer(&self, ask: &Ask) -> Result<Answer, h2::Error> {
        let response = self.begin(ask).await?;
        let (head, mut incoming) = response.await?.into_parts();
        let mut body = Vec::new();
        while let Some(chunk) = incoming.data().await {
            body.extend(chunk?);
        }
        Ok(Answer {
            status: head.status,
            headers: head.headers,
            body,
            trailers: incoming.trailers().await?,
        })
    }
}

/// What came of a call. Its text has all of it that is not as in each good answer.
#[derive(Debug)]
pub(crate) enum Seen {
    Answer { path: String, answer: Box<Answer> },
    Broken(h2::Error),
}

#[derive(Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
    trailers: Option<HeaderMap>,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, answer) = match self {
            Self::Answer { path, answer } => (path, answer),
            Self::Broken(error) => return write!(f, "{error}"),
        };
        let mut parts = Vec::new();
        if answer.status != StatusCode::OK {
            parts.push(format!("HTTP {}", answer.status.as_u16()));
        }
        let mut fields = answer.headers.clone();
        let content_type = fields.remove("content-type").unwrap();
        let is_grpc = content_type == "application/grpc" && answer.status == StatusCode::OK;
        if content_type != "application/grpc" {
            parts.push(content_type.to_str().unwrap().to_owned());
        }
        let had_trailers = answer.trailers.is_some();
        let status = match &answer.trailers {
            Some(trailers) => trailers.clone(),
            None => std::mem::take(&mut fields),
        };
        parts.extend(fields.keys().map(|name| {
            let count = fields.get_all(name).iter().count();
            let value = cut(fields[name].to_str().unwrap());
            match count {
                1 => format!("{name}: {value}"),
                _ => format!("{count} times {name}: {value}"),
            }
        }));
        parts.extend(if is_grpc {
            messages(path, &answer.body)
        } else {
            vec![format!("{} bytes", answer.body.len())]
        });
        parts.push(ending(&status, had_trailers));
        parts.retain(|part| !part.is_empty());
        f.write_str(&parts.join(", "))
    }
}

/// The status as text; that of a good answer is none.
fn ending(fields: &HeaderMap, had_trailers: bool) -> String {
    let text = |name| {
        fields
            .get(name)
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
    };
    let Some(status) = text("grpc-status") else {
        return if had_trailers {
            "trailers without a status".to_owned()
        } else {
            "no status".to_owned()
        };
    };
    if status == "0" && fields.len() == 1 {
        return String::new();
    }
    let code = status.parse().ok().map(Code::from_i32);
    let mut text_of = match code.filter(|&code| (code as i32).to_string() == *status) {
        Some(code) => format!("{code:?}"),
        None => format!("status {status}"),
    };
    for name in ["grpc-message", "grpc-status-details-bin"] {
        if let Some(value) = text(name) {
            text_of += &format!(": {value}");
        }
    }
    text_of
}

/// The messages of a body as far as they can be read.
fn messages(path: &str, mut body: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    if body.is_empty() {
        return found;
    }
    while let Some((&[flag, ref len @ ..], rest)) = body.split_first_chunk::<5>() {
        let len = u32::from_be_bytes(*len) as usize;
        let there = len.min(rest.len());
        let (message, after) = rest.split_at(there);
        body = after;
        let shown = shown(path, message);
        found.push(match (flag, len - there) {
            (0, 0) => shown,
            (1, 0) => format!("compressed {}", hex(&message[..4.min(message.len())])),
            (_, missing) => format!("{shown} and {missing} bytes missing"),
        });
    }
    assert_eq!(body, b"");
    found
}
