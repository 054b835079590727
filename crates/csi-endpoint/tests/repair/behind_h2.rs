//! What h2's server makes of a connection before and behind the repair.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Panics if h2 sees another request in what was `repaired` than in what was `sent`, but for the authority.
pub(crate) fn sees_the_same_requests(sent: &[u8], repaired: &[u8], limit: u32) {
    let (sent, repaired) = (serve(sent, limit), serve(repaired, limit));
    for (stream, request) in &sent.requests {
        match repaired.requests.iter().find(|(found, _)| found == stream) {
            Some((_, found)) => assert_eq!(found, request, "stream {stream}"),
            // A client may go on with a stream that was reset, but not with one that has been answered: where h2 refused
            // one before, the connection can end earlier now.
            None => assert!(repaired.failed, "the request on stream {stream} is lost"),
        }
    }
}

struct Served {
    requests: Vec<(u32, String)>,
    failed: bool,
}

fn serve(bytes: &[u8], limit: u32) -> Served {
    let mut builder = h2::server::Builder::new();
    builder.max_header_list_size(limit);
    let mut served = Served {
        requests: Vec::new(),
        failed: false,
    };
    let mut open = Vec::new();
    let mut cx = Context::from_waker(Waker::noop());
    let mut handshake = builder.handshake::<_, Bytes>(Connection(bytes));
    let mut connection = match Pin::new(&mut handshake).poll(&mut cx) {
        Poll::Ready(Ok(connection)) => connection,
        Poll::Ready(Err(_)) => {
            served.failed = true;
            return served;
        }
        Poll::Pending => panic!("bytes in memory are ready"),
    };
    loop {
        match connection.poll_accept(&mut cx) {
            Poll::Ready(Some(Ok((request, respond)))) => {
                let stream = respond.stream_id().as_u32();
                let parts = (
                    request.method(),
                    request.uri().path_and_query(),
                    request.headers(),
                );
                served.requests.push((stream, format!("{parts:?}")));
                open.push((request, respond));
            }
            Poll::Ready(Some(Err(_))) => {
                served.failed = true;
                return served;
            }
            Poll::Ready(None) => return served,
            Poll::Pending => panic!("bytes in memory are ready"),
        }
    }
}

/// All that a client sends, which then reads nothing.
struct Connection<'a>(&'a [u8]);

impl AsyncRead for Connection<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Connection<'_> {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(buf.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
