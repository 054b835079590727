//! One connection.

use std::sync::Arc;
use std::time::Duration;

use csi_endpoint::AuthorityRepair;
use h2::Reason;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::{Served, call};
use crate::habits::Greeting;

/// Decoded size of the headers of a request.
const MAX_HEADER_LIST: u32 = 16 * 1024;

/// How long nothing is said, at most.
const MUTE: Duration = Duration::from_secs(60);

/// How long a client may take for what was written last.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What a call has done to its connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    Close,
    GoAway(Reason),
    Cut,
}

pub(super) async fn serve(stream: UnixStream, served: Arc<Served>) {
    let habits = served.plugin.habits;
    let killed = served.killed.clone();
    let talk = async {
        match habits.greeting {
            Greeting::Mute => mute(stream).await,
            Greeting::Http1 => refuse(stream).await,
            Greeting::Closed => drop(stream),
            Greeting::Http2 if habits.stock_authority => http2(stream, served).await,
            Greeting::Http2 => {
                let stream = AuthorityRepair::new(stream, MAX_HEADER_LIST as usize);
                http2(stream, served).await;
            }
        }
    };
    tokio::select! {
        () = talk => {}
        () = killed.cancelled() => {}
    }
}

/// Listens until the client has enough of it, or nothing was said for long enough.
async fn mute(mut stream: UnixStream) {
    // The stream is closed in both cases.
    let _ended = tokio::time::timeout(MUTE, listen(&mut stream)).await;
}

async fn listen(stream: &mut (impl AsyncRead + Unpin)) {
    let mut bytes = [0; 1024];
    while stream.read(&mut bytes).await.is_ok_and(|read| read > 0) {}
}

async fn refuse(mut stream: UnixStream) {
    let answer = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    // The client may have gone, which is its affair.
    let _ = stream.write_all(answer).await;
    let _ = stream.shutdown().await;
    mute(stream).await;
}

async fn http2(mut stream: impl AsyncRead + AsyncWrite + Unpin, served: Arc<Served>) {
    if let Last::Read = converse(&mut stream, served).await {
        // What is not read when a socket is closed takes what was written with it, GOAWAY for one.
        let _ended = tokio::time::timeout(LAST_WORDS, listen(&mut stream)).await;
    }
}

/// Whether the client is to read the last that was written.
#[derive(Clone, Copy, Debug)]
enum Last {
    Read,
    Lost,
}

async fn converse(stream: impl AsyncRead + AsyncWrite + Unpin, served: Arc<Served>) -> Last {
    let mut builder = h2::server::Builder::new();
    builder.max_header_list_size(MAX_HEADER_LIST);
    let Ok(mut connection) = builder.handshake(stream).await else {
        return Last::Read;
    };
    let (order, mut orders) = mpsc::unbounded_channel();
    // Dropped with the connection, and the calls end.
    let mut calls = JoinSet::new();
    let mut closing = false;
    loop {
        tokio::select! {
            accepted = connection.accept() => match accepted {
                Some(Ok((request, respond))) => {
                    calls.spawn(call::serve(request, respond, Arc::clone(&served), order.clone()));
                }
                Some(Err(_)) | None => break,
            },
            Some(order) = orders.recv() => match order {
                Order::Close => connection.graceful_shutdown(),
                Order::GoAway(reason) => connection.abrupt_shutdown(reason),
                Order::Cut => return Last::Lost,
            },
            Some(_) = calls.join_next() => {}
            () = served.stopping.cancelled(), if !closing => {
                closing = true;
                connection.graceful_shutdown();
            }
        }
    }
    // What has ended is not in the middle of anything.
    while calls.try_join_next().is_some() {}
    if served.plugin.habits.dies_of_lost_clients && !calls.is_empty() {
        served.killed.cancel();
    }
    Last::Read
}
