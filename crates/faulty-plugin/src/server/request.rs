//! Reading a request.

use std::time::Duration;

use h2::RecvStream;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, HeaderName};
use tonic::Code;

use crate::habits::Habits;
use crate::reply::Reply;

/// What servers in Go and Rust take if nothing else is said.
const MAX_MESSAGE: usize = 4 * 1024 * 1024;

const PREFIX: usize = 5;

/// Reads the message of a unary request.
///
/// # Errors
///
/// The answer to a request that is none.
pub(super) async fn message(
    head: &Parts,
    body: RecvStream,
    habits: Habits,
) -> Result<Vec<u8>, Reply> {
    let content_type = head
        .headers
        .get(CONTENT_TYPE)
        .map(http::HeaderValue::as_bytes);
    let takes = |content_type: &[u8]| match content_type.strip_prefix(b"application/grpc") {
        Some(b"") => true,
        Some([b'+' | b';', ..]) => !habits.refuses_proto_content_type,
        _ => false,
    };
    if head.method != http::Method::POST {
        return Err(http_error(405));
    }
    if !content_type.is_some_and(takes) {
        return Err(http_error(415));
    }
    let bytes = whole(body).await?;
    let Some((prefix, message)) = bytes.split_first_chunk::<PREFIX>() else {
        return Err(Reply::status(Code::Internal, "the request has no message"));
    };
    let [flag, len @ ..] = *prefix;
    if flag != 0 {
        let mut reply = Reply::status(Code::Unimplemented, "the request is compressed");
        reply
            .headers
            .push(("grpc-accept-encoding", "identity".to_owned()));
        return Err(reply);
    }
    if u32::from_be_bytes(len) as usize != message.len() {
        return Err(Reply::status(
            Code::Internal,
            "the request is no single message",
        ));
    }
    Ok(message.to_vec())
}

/// Whether a header is one that gRPC clients send by themselves.
pub(super) fn is_known(name: &HeaderName) -> bool {
    let name = name.as_str();
    matches!(
        name,
        "content-type" | "content-length" | "te" | "user-agent"
    ) || name.starts_with("grpc-")
}

/// How long the client waits, if it says so.
pub(super) fn timeout(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("grpc-timeout")?.to_str().ok()?;
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let number: u32 = number.parse().ok()?;
    let unit = match unit {
        "H" => Duration::from_secs(3600),
        "M" => Duration::from_secs(60),
        "S" => Duration::from_secs(1),
        "m" => Duration::from_millis(1),
        "u" => Duration::from_micros(1),
        "n" => Duration::from_nanos(1),
        _ => return None,
    };
    unit.checked_mul(number)
}

async fn whole(mut body: RecvStream) -> Result<Vec<u8>, Reply> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.data().await {
        let chunk = chunk.map_err(|error| {
            Reply::status(Code::Cancelled, &format!("the request broke off: {error}"))
        })?;
        bytes.extend_from_slice(&chunk);
        if bytes.len() > PREFIX + MAX_MESSAGE {
            return Err(Reply::status(
                Code::ResourceExhausted,
                "the request is over 4 MiB",
            ));
        }
        // Fails only where the stream is gone, which the next chunk tells.
        let _ = body.flow_control().release_capacity(chunk.len());
    }
    Ok(bytes)
}

fn http_error(status: u16) -> Reply {
    let mut reply = Reply::status(Code::Unknown, "");
    reply.http_status = status;
    reply.content_type = "text/plain";
    reply.trailers.clear();
    reply
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::HeaderMap;

    use super::timeout;

    #[test]
    fn timeouts_have_a_number_and_a_unit() {
        for (text, expected) in [
            ("2S", Some(Duration::from_secs(2))),
            ("250m", Some(Duration::from_millis(250))),
            ("1H", Some(Duration::from_secs(3600))),
            ("7n", Some(Duration::from_nanos(7))),
            ("7", None),
            ("S", None),
            ("7x", None),
            ("", None),
        ] {
            let headers: HeaderMap = [("grpc-timeout".parse().unwrap(), text.parse().unwrap())]
                .into_iter()
                .collect();
            assert_eq!(timeout(&headers), expected, "{text:?}");
        }
        assert_eq!(timeout(&HeaderMap::new()), None);
    }
}
