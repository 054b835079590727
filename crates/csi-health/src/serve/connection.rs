use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tower::Service;

use super::HttpOptions;

/// How long an answer that is written may take to leave, once the server is to stop; also how long a connection that has
/// asked nothing may still ask.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// Room for the head of a request. Those of probes and scrapers have a few hundred bytes.
const HEAD_LIMIT: usize = 16 * 1024;

/// A connection being served.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    router: Router,
    options: HttpOptions,
    /// Closed when the server is to stop.
    stopping: watch::Receiver<()>,
}

/// How many requests were begun, and how many of them have their answer.
#[derive(Debug, Default)]
struct Requests {
    begun: AtomicU64,
    answered: AtomicU64,
}

impl Connection {
    pub(super) fn new(
        stream: TcpStream,
        router: Router,
        options: HttpOptions,
        stopping: watch::Receiver<()>,
    ) -> Self {
        Self {
            stream,
            router,
            options,
            stopping,
        }
    }

    /// Ends with the connection. What goes wrong on it is the client's business.
    pub(super) async fn run(self) {
        let Self {
            stream,
            router,
            options,
            mut stopping,
        } = self;
        // Without it, it works as well, only slower; a client that has gone is one way to fail.
        let _no_delay = stream.set_nodelay(true);
        let requests = Arc::new(Requests::default());
        let counted = Arc::clone(&requests);
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            let answer = router.clone().call(request);
            let requests = Arc::clone(&counted);
            requests.begun.fetch_add(1, Ordering::Relaxed);
            async move {
                let answer = answer.await;
                requests.answered.fetch_add(1, Ordering::Relaxed);
                answer
            }
        });
        let mut server = http1::Builder::new();
        server
            .timer(TokioTimer::new())
            .header_read_timeout(options.header_timeout)
            .max_buf_size(HEAD_LIMIT);
        let mut connection = pin!(server.serve_connection(TokioIo::new(stream), service));

        let stuck = requests.stuck(options.write_timeout);
        tokio::select! {
            _ended = connection.as_mut() => return,
            () = stuck => return,
            _closed = stopping.changed() => {}
        }
        // An idle connection ends with this; a busy one with its answer.
        connection.as_mut().graceful_shutdown();
        let patience = match requests.in_flight() {
            true => options.grace,
            false => LAST_WORDS,
        };
        let _in_time = tokio::time::timeout(patience, connection).await;
    }
}

impl Requests {
    fn in_flight(&self) -> bool {
        self.begun.load(Ordering::Relaxed) != self.answered.load(Ordering::Relaxed)
    }

    /// Ready when there was no new request for that long and none is being answered: the client does not fetch its answer,
    /// or sends a body without end. One that merely is idle was closed before.
    async fn stuck(&self, limit: Duration) {
        let mut begun = None;
        loop {
            let now = self.begun.load(Ordering::Relaxed);
            if begun == Some(now) && !self.in_flight() {
                return;
            }
            begun = Some(now);
            tokio::time::sleep(limit).await;
        }
    }
}
