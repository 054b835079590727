//! Requests that are not answered to the end yet: what a server that stops has to wait for, and nothing else.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use tokio::sync::Notify;
use tower::{Layer, Service};

/// Counts requests from their arrival to the end of their answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight(Arc<Count>);

#[derive(Debug, Default)]
struct Count {
    now: AtomicUsize,
    arrived: AtomicUsize,
    none: Notify,
}

/// One request; dropped when its answer has ended, or its client has gone.
#[derive(Debug)]
pub(crate) struct Place(Arc<Count>);

impl InFlight {
    /// Waits until there was no request for as long as `calm`.
    ///
    /// A request that lay in a socket's buffer the moment before has been read by then.
    pub(crate) async fn settled(&self, calm: Duration) {
        loop {
            let none = self.0.none.notified();
            let arrived = self.0.arrived.load(Ordering::Relaxed);
            if !self.is_none() {
                none.await;
                continue;
            }
            tokio::time::sleep(calm).await;
            if self.0.arrived.load(Ordering::Relaxed) == arrived {
                return;
            }
        }
    }

    /// Whether every request has been answered.
    pub(crate) fn is_none(&self) -> bool {
        self.0.now.load(Ordering::Relaxed) == 0
    }

    pub(crate) fn enter(&self) -> Place {
        self.0.arrived.fetch_add(1, Ordering::Relaxed);
        self.0.now.fetch_add(1, Ordering::Relaxed);
        Place(Arc::clone(&self.0))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.0.now.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.none.notify_waiters();
        }
    }
}

/// A service whose requests are counted.
#[derive(Clone, Debug)]
pub(crate) struct Counted<S> {
    inner: S,
    in_flight: InFlight,
}

impl<S> Layer<S> for InFlight {
    type Service = Counted<S>;

    fn layer(&self, inner: S) -> Counted<S> {
        Counted {
            inner,
            in_flight: self.clone(),
        }
    }
}

impl<S, B, C> Service<Request<B>> for Counted<S>
where
    S: Service<Request<B>, Response = Response<C>>,
    S::Future: Send + 'static,
{
    type Response = Response<CountedBody<C>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let place = self.in_flight.enter();
        let answer = self.inner.call(request);
        Box::pin(async move {
            Ok(answer.await?.map(|body| CountedBody {
                body,
                _place: place,
            }))
        })
    }
}

/// The body of an answer, which holds its request's place.
#[derive(Debug)]
pub(crate) struct CountedBody<B> {
    body: B,
    _place: Place,
}

impl<B: Body + Unpin> Body for CountedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALM: Duration = Duration::from_millis(250);

    #[tokio::test(start_paused = true)]
    async fn a_request_is_waited_for_until_its_answer_has_ended() {
        let in_flight = InFlight::default();
        let place = in_flight.enter();
        let settled = in_flight.settled(CALM);
        tokio::pin!(settled);
        let hour = Duration::from_secs(3600);
        assert!(tokio::time::timeout(hour, &mut settled).await.is_err());
        drop(place);
        let ended = tokio::time::Instant::now();
        settled.await;
        assert_eq!(ended.elapsed(), CALM);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_comes_in_the_calm_begins_it_anew() {
        let in_flight = InFlight::default();
        let settled = in_flight.settled(CALM);
        tokio::pin!(settled);
        assert!(tokio::time::timeout(CALM / 2, &mut settled).await.is_err());
        drop(in_flight.enter());
        let came = tokio::time::Instant::now();
        settled.await;
        assert_eq!(came.elapsed(), CALM + CALM / 2);
    }
}
