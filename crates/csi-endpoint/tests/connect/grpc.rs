//! A gRPC server of our own making: every call succeeds with an empty message, that of `LARGE` with large headers too.

use std::path::Path;

use bytes::Bytes;
use csi_endpoint::Channel;
use h2::server::SendResponse;
use http::{HeaderMap, HeaderValue, Response, uri::PathAndQuery};
use tokio::{
    net::{UnixListener, UnixStream},
    sync::mpsc,
    task::JoinSet,
};
use tonic::{Request, Status, client::Grpc};
use tonic_prost::ProstCodec;

/// The call whose answer has [`LARGE_HEADERS`] bytes of headers and more.
const LARGE: &str = "/test.Service/Large";
pub(crate) const LARGE_HEADERS: usize = 20_000;

/// A server that stops, with all its connections, when it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    authorities: mpsc::UnboundedReceiver<String>,
    _tasks: JoinSet<()>,
}

impl Server {
    /// Binds as most plugins do: the file is there a moment before it listens, and stays behind.
    pub(crate) fn bind(path: &Path) -> Self {
        Self::on(UnixListener::bind(path).unwrap())
    }

    pub(crate) fn on(listener: UnixListener) -> Self {
        let (seen, authorities) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                connections.spawn(serve(stream, seen.clone()));
            }
        });
        Self {
            authorities,
            _tasks: tasks,
        }
    }

    /// The authority of the next call.
    pub(crate) async fn authority(&mut self) -> String {
        let limit = std::time::Duration::from_secs(20);
        let call = tokio::time::timeout(limit, self.authorities.recv()).await;
        call.unwrap().unwrap()
    }
}

async fn serve(stream: UnixStream, seen: mpsc::UnboundedSender<String>) {
    // A peer that leaves early is no concern of a server.
    let Ok(mut connection) = h2::server::handshake(stream).await else {
        return;
    };
    while let Some(Ok((request, respond))) = connection.accept().await {
        let headers = match request.uri().path() {
            LARGE => "x".repeat(LARGE_HEADERS),
            _ => "x".to_owned(),
        };
        seen.send(request.uri().authority().unwrap().to_string())
            .ok();
        answer(respond, &headers);
    }
}

fn answer(mut respond: SendResponse<Bytes>, header: &str) {
    let head = Response::builder()
        .header("content-type", "application/grpc")
        .header("x-test", header)
        .body(())
        .unwrap();
    let mut body = respond.send_response(head, false).unwrap();
    body.send_data(Bytes::from_static(&[0; 5]), false).unwrap();
    let ok = HeaderMap::from_iter([(
        "grpc-status".parse().unwrap(),
        HeaderValue::from_static("0"),
    )]);
    body.send_trailers(ok).unwrap();
}

/// Makes a call.
pub(crate) async fn call(channel: &Channel) -> Result<(), Status> {
    call_of(channel, "/test.Service/Method").await
}

/// Makes a call whose answer has large headers.
pub(crate) async fn large_call(channel: &Channel) -> Result<(), Status> {
    call_of(channel, LARGE).await
}

async fn call_of(channel: &Channel, path: &'static str) -> Result<(), Status> {
    let mut client = Grpc::new(channel.clone());
    client.ready().await?;
    let path = PathAndQuery::from_static(path);
    let codec = ProstCodec::<(), ()>::default();
    client
        .unary(Request::new(()), path, codec)
        .await
        .map(|_| ())
}
