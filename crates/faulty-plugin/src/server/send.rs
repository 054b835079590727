//! Sending an answer.

use std::time::Duration;

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, SendStream};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, Response};

use crate::reply::{Ending, Frame, Reply};

/// How long what was sent has to leave before a reset, which overtakes it.
const LEAVING: Duration = Duration::from_millis(50);

/// Sends an answer, or resets the stream where one cannot be sent.
pub(super) async fn send(respond: &mut SendResponse<Bytes>, reply: &Reply) {
    if let Ending::Reset(reason) = reply.ending
        && reply.frames.is_empty()
    {
        respond.send_reset(reason);
    } else if whole(respond, reply).await.is_none() {
        respond.send_reset(Reason::INTERNAL_ERROR);
    }
}

/// Nothing where the client has gone, or an answer has what no header can have.
async fn whole(respond: &mut SendResponse<Bytes>, reply: &Reply) -> Option<()> {
    let mut head = Response::builder()
        .status(reply.http_status)
        .header(CONTENT_TYPE, reply.content_type);
    for (name, value) in &reply.headers {
        head = head.header(*name, value);
    }
    let mut head = head.body(()).ok()?;
    let trailers = trailers(reply)?;
    let body = match &reply.raw {
        Some(raw) => raw.clone(),
        None => reply.frames.iter().flat_map(Frame::encode).collect(),
    };
    if body.is_empty() {
        head.headers_mut().extend(trailers);
        respond.send_response(head, true).ok()?;
        return Some(());
    }
    let mut stream = respond.send_response(head, false).ok()?;
    let last = trailers.is_empty() && matches!(reply.ending, Ending::Whole | Ending::ThenClose);
    stream.send_data(body.into(), last).ok()?;
    match reply.ending {
        Ending::Reset(reason) => reset(&mut stream, reason).await,
        _ if !trailers.is_empty() => stream.send_trailers(trailers).ok()?,
        _ => {}
    }
    Some(())
}

async fn reset(stream: &mut SendStream<Bytes>, reason: Reason) {
    tokio::time::sleep(LEAVING).await;
    stream.send_reset(reason);
}

fn trailers(reply: &Reply) -> Option<HeaderMap> {
    let pairs = reply.trailers.iter();
    pairs
        .map(|(name, value)| {
            let value = HeaderValue::from_bytes(value).ok()?;
            Some((HeaderName::from_static(name), value))
        })
        .collect()
}
