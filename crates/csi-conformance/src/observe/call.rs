//! One call, of which everything that comes back is kept as it came.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::error::Error;
use std::iter;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use csi_endpoint::{Channel, ConnectError};
use http::{HeaderMap, HeaderValue, Request, header};
use http_body_util::{BodyExt as _, Full};
use tokio::time::{Instant, timeout};
use tonic::body::Body;
use tower::Service as _;

use crate::observation::framed;
use crate::{Break, End, Exchange, Method, Reply};

/// How much of a body is kept: more than any client takes.
const MAX_BODY: usize = 5 << 20;

/// How often each method was called.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(Arc<Mutex<BTreeMap<Method, u32>>>);

impl Tally {
    fn count(&self, method: Method) {
        // A count is whole whatever happened to who held the lock.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *all.entry(method).or_default() += 1;
    }

    pub(super) fn counts(&self) -> Vec<(Method, u32)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter()
            .map(|(&method, &count)| (method, count))
            .collect()
    }
}

/// A call that is to be made.
#[derive(Clone, Debug)]
pub(super) struct Call {
    method: Method,
    message: Vec<u8>,
    limit: Duration,
    deadline: Option<Duration>,
    metadata: Vec<(&'static str, String)>,
}

impl Call {
    /// With an empty request.
    pub(super) fn new(method: Method, limit: Duration) -> Self {
        Self {
            method,
            message: Vec::new(),
            limit,
            deadline: None,
            metadata: Vec::new(),
        }
    }

    pub(super) fn message(mut self, message: impl Into<Vec<u8>>) -> Self {
        self.message = message.into();
        self
    }

    /// Tells the server how long the client will wait; the client waits on all the same.
    pub(super) fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    pub(super) fn metadata(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.metadata.push((name, value.into()));
        self
    }

    /// Makes it, and waits for its end.
    pub(super) async fn make(self, channel: &Channel, tally: &Tally) -> Exchange {
        tally.count(self.method);
        let (method, limit) = (self.method, self.limit);
        let body = Full::new(Bytes::from(framed(&self.message)));
        let request = self.request(Body::new(body));
        let started = Instant::now();
        let ended = timeout(limit, exchange(channel.clone(), request)).await;
        Exchange {
            method,
            end: ended.unwrap_or(End::Silent { after: limit }),
            took: started.elapsed(),
        }
    }

    /// Begins it with a request that never ends, and lets go of it when `until` is over.
    pub(super) async fn leave_open<T>(
        self,
        channel: &Channel,
        tally: &Tally,
        until: impl Future<Output = T>,
    ) -> T {
        tally.count(self.method);
        let request = self.request(Body::new(Endless));
        let open = async {
            let _end = exchange(channel.clone(), request).await;
            // Where the server ended it all the same, there is nothing to be left.
            std::future::pending().await
        };
        tokio::select! {
            biased;
            never = open => never,
            done = until => done,
        }
    }

    /// Begins it, and lets go of it as soon as the whole request is on its way.
    pub(super) async fn abandon(self, channel: &Channel, tally: &Tally) {
        let made = self.make(channel, tally);
        tokio::select! {
            biased;
            _ = made => {}
            // The connection's task writes when it has its turn.
            () = tokio::task::yield_now() => {}
        }
    }

    fn request(self, body: Body) -> Request<Body> {
        let mut request = Request::new(body);
        *request.method_mut() = http::Method::POST;
        *request.version_mut() = http::Version::HTTP_2;
        if let Ok(uri) = self.method.path().parse() {
            *request.uri_mut() = uri;
        }
        let headers = request.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/grpc"),
        );
        headers.insert(header::TE, HeaderValue::from_static("trailers"));
        headers.insert(
            header::USER_AGENT,
            HeaderValue::from_static("csi-identity-verify"),
        );
        if let Some(deadline) = self.deadline
            && let Ok(value) = HeaderValue::from_str(&format!("{}m", deadline.as_millis()))
        {
            headers.insert("grpc-timeout", value);
        }
        for (name, value) in self.metadata {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
        request
    }
}

async fn exchange(mut channel: Channel, request: Request<Body>) -> End {
    let response = match channel.call(request).await {
        Ok(response) => response,
        Err(status) => {
            let how = how(&status);
            return End::Broken { reply: None, how };
        }
    };
    let (head, mut body) = response.into_parts();
    let mut reply = Reply {
        http_status: head.status.as_u16(),
        headers: listed(&head.headers),
        ..Reply::default()
    };
    while let Some(frame) = body.frame().await {
        let frame = match frame {
            Ok(frame) => frame,
            Err(error) => {
                return End::Broken {
                    how: how(&error),
                    reply: Some(reply),
                };
            }
        };
        match frame.into_data() {
            Ok(data) => reply.body.extend_from_slice(&data),
            Err(frame) => reply.trailers = frame.trailers_ref().map(listed),
        }
        if reply.body.len() > MAX_BODY {
            return End::Broken {
                reply: Some(reply),
                how: Break::TooMuch,
            };
        }
    }
    End::Answered(reply)
}

fn listed(headers: &HeaderMap) -> Vec<(String, String)> {
    let one = |(name, value): (&header::HeaderName, &HeaderValue)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        (name.as_str().to_owned(), value)
    };
    headers.iter().map(one).collect()
}

fn how(error: &(dyn Error + 'static)) -> Break {
    if let Some(error) = ConnectError::in_chain(error) {
        return Break::Lost(error.to_string());
    }
    let chain = || iter::successors(Some(error), |&error| error.source());
    if let Some(error) = chain().find_map(|error| error.downcast_ref::<h2::Error>()) {
        let code = || {
            error
                .reason()
                .map_or_else(String::new, |reason| format!("{reason:?}"))
        };
        return match () {
            () if error.is_reset() && error.is_remote() => Break::Reset(code()),
            () if error.is_go_away() && error.is_remote() => Break::GoAway(code()),
            () if error.is_io() => Break::Lost(error.to_string()),
            () => Break::Lost(format!("it does not keep to HTTP/2: {error}")),
        };
    }
    let last = chain().last().map_or_else(String::new, ToString::to_string);
    Break::Lost(last)
}

/// The body of a request that goes on for ever and says nothing.
#[derive(Debug)]
struct Endless;

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}
