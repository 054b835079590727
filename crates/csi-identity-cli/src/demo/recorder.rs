use std::time::{Duration, Instant, SystemTime};

use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use csi_identity::ObservedCapability;
use csi_identity::endpoint::PeerCredentials;
use csi_identity::proto::csi::v1 as pb;
use http_body_util::{BodyExt as _, Full};
use prost::Message;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tonic::service::Routes;
use tonic::{Code, Status};

use super::acts::Seen;
use crate::{capabilities, info, probe};

/// A call that the plugin was asked by another process.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    pub(super) at: SystemTime,
    pub(super) took: Duration,
    /// The method without its service.
    pub(super) method: String,
    pub(super) code: Code,
    /// The answer's fields, or the error's message.
    pub(super) answer: Value,
}

/// The same services, with the calls of other processes told.
pub(super) fn record(routes: Routes, told: UnboundedSender<Seen>) -> Routes {
    let router = routes.into_axum_router();
    router.layer(from_fn_with_state(told, pass)).into()
}

async fn pass(State(told): State<UnboundedSender<Seen>>, request: Request, next: Next) -> Response {
    let peer: Option<&PeerCredentials> = request.extensions().get();
    let is_ours = peer.is_some_and(|peer| u32::try_from(peer.pid) == Ok(std::process::id()));
    if is_ours {
        return next.run(request).await;
    }
    let path = request.uri().path().to_owned();
    let method = path.rsplit('/').next().unwrap_or_default().to_owned();
    let (at, begun) = (SystemTime::now(), Instant::now());
    let (head, body) = next.run(request).await.into_parts();
    let Ok(body) = body.collect().await else {
        return Response::from_parts(head, axum::body::Body::empty());
    };
    let trailers = body.trailers().cloned();
    let bytes = body.to_bytes();
    let status = trailers
        .as_ref()
        .and_then(Status::from_header_map)
        .or_else(|| Status::from_header_map(&head.headers));
    let code = status.as_ref().map_or(Code::Unknown, Status::code);
    let answer = match status {
        Some(status) if code != Code::Ok => json!(status.message()),
        _ => decode(&method, &bytes),
    };
    let recorded = Recorded {
        at,
        took: begun.elapsed(),
        method,
        code,
        answer,
    };
    // The story may have ended.
    let _ = told.send(Seen::Call(recorded));
    let body = Full::new(bytes).with_trailers(async move { trailers.map(Ok) });
    Response::from_parts(head, axum::body::Body::new(body))
}

/// The fields of an answer by their names on the wire.
fn decode(method: &str, framed: &[u8]) -> Value {
    // A message comes after a byte for its compression and four for its length.
    let message = framed.get(5..).unwrap_or_default();
    match method {
        "GetPluginInfo" => decoded(message, |answer| info::to_json(&answer)),
        "GetPluginCapabilities" => decoded(message, |answer: pb::GetPluginCapabilitiesResponse| {
            let observed = answer
                .capabilities
                .into_iter()
                .map(ObservedCapability::from);
            capabilities::to_json(&observed.collect::<Vec<_>>())
        }),
        "Probe" => decoded(message, |answer: pb::ProbeResponse| {
            probe::to_json(answer.ready)
        }),
        "NodeGetInfo" => decoded(
            message,
            |answer: pb::NodeGetInfoResponse| json!({ "node_id": answer.node_id }),
        ),
        _ => json!({}),
    }
}

fn decoded<T: Message + Default>(message: &[u8], show: impl FnOnce(T) -> Value) -> Value {
    T::decode(message).map_or(Value::Null, show)
}
