//! One call: what it waits for, and what it is answered with.

use std::future::{pending, poll_fn};
use std::sync::Arc;

use bytes::Bytes;
use csi_proto::csi::v1::{ListSnapshotsRequest, ProbeRequest, ValidateVolumeCapabilitiesRequest};
use h2::RecvStream;
use h2::server::SendResponse;
use http::Request;
use http::request::Parts;
use prost::Message as _;
use tokio::sync::mpsc::UnboundedSender;
use tonic::Code;

use super::connection::Order;
use super::{Served, request, send};
use crate::habits::Waits;
use crate::reply::{Ending, Reply};
use crate::rpc;

/// The calls whose requests have no fields.
const EMPTY_REQUESTS: [&str; 7] = [
    rpc::INFO.path(),
    rpc::CAPABILITIES.path(),
    rpc::PROBE.path(),
    rpc::NODE_INFO.path(),
    rpc::NODE_CAPABILITIES.path(),
    rpc::CONTROLLER_CAPABILITIES.path(),
    rpc::GROUP_CONTROLLER_CAPABILITIES.path(),
];

pub(super) async fn serve(
    request: Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
    served: Arc<Served>,
    order: UnboundedSender<Order>,
) {
    let (head, body) = request.into_parts();
    let work = answer(head, body, Arc::clone(&served));
    let reply = tokio::select! {
        // In this order, for a request that does not come whole ends with the reset, too.
        biased;
        reset = poll_fn(|cx| respond.poll_reset(cx)) => {
            // An error would say that the connection is gone, which is another matter.
            if reset.is_ok() {
                cancelled(&served);
            }
            return;
        }
        reply = work => reply,
    };
    let order = |given| {
        // A connection that is gone takes none.
        let _ = order.send(given);
    };
    match reply.ending {
        Ending::Whole | Ending::Reset(_) => send::send(&mut respond, &reply).await,
        Ending::ThenClose => {
            send::send(&mut respond, &reply).await;
            order(Order::Close);
        }
        Ending::GoAway(reason) => order(Order::GoAway(reason)),
        Ending::Cut => order(Order::Cut),
        Ending::Stop => served.killed.cancel(),
    }
    if matches!(reply.ending, Ending::GoAway(_) | Ending::Cut | Ending::Stop) {
        // A call that is given up is reset, and the client would hear of that first.
        pending::<()>().await;
    }
}

/// What a call that was cancelled does to others.
fn cancelled(served: &Served) {
    let habits = served.plugin.habits;
    if habits.stuck_after_cancellation {
        served.stuck.cancel();
    }
    served.be_busy_for(habits.goes_on_when_cancelled);
}

async fn answer(head: Parts, body: RecvStream, served: Arc<Served>) -> Reply {
    let habits = served.plugin.habits;
    let path = head.uri.path();
    let work = async {
        let _turn = match habits.waits {
            Waits::AllForRequests => Some(served.turn.lock().await),
            _ => None,
        };
        let message = match request::message(&head, body, habits).await {
            Ok(message) => message,
            Err(refusal) => return refusal,
        };
        let reply = due(&head, &message, &served);
        let is_probe = path == rpc::PROBE.path();
        let _turn = match habits.waits {
            Waits::ProbesForProbes if is_probe => Some(served.turn.lock().await),
            Waits::TurnsProbesAway if is_probe => match served.turn.try_lock() {
                Ok(turn) => Some(turn),
                Err(_) => return Reply::status(Code::Aborted, "another Probe is pending"),
            },
            Waits::AllForAll => Some(served.turn.lock().await),
            _ => None,
        };
        tokio::time::sleep_until(served.busy_until()).await;
        if served.stuck.is_cancelled() {
            pending::<()>().await;
        }
        if !reply.delay.is_zero() {
            tokio::time::sleep(reply.delay).await;
        }
        reply
    };
    match request::timeout(&head.headers) {
        Some(timeout) if !habits.ignores_deadlines => tokio::time::timeout(timeout, work)
            .await
            .unwrap_or_else(|_elapsed| {
                Reply::status(
                    Code::DeadlineExceeded,
                    "the deadline of the call has passed",
                )
            }),
        _ => work.await,
    }
}

/// What a call with this message is answered with.
fn due(head: &Parts, message: &[u8], served: &Served) -> Reply {
    let (path, habits) = (head.uri.path(), served.plugin.habits);
    let Some(reply) = served.next(path) else {
        return Reply::status(Code::Unimplemented, &format!("there is no call {path}"));
    };
    // A message without fields is read by skipping all there are, so this takes any that is well-formed.
    if ProbeRequest::decode(message).is_err() {
        return Reply::status(Code::Internal, "the request is no protobuf message");
    }
    if habits.refuses_unknown_fields && !message.is_empty() && EMPTY_REQUESTS.contains(&path) {
        return Reply::status(Code::InvalidArgument, "the request has an unknown field");
    }
    if habits.refuses_metadata && head.headers.keys().any(|name| !request::is_known(name)) {
        return Reply::status(Code::InvalidArgument, "the request has unknown metadata");
    }
    if habits.echoes_secrets {
        let secrets = secrets(path, message);
        if !secrets.is_empty() {
            return Reply::status(Code::Internal, &format!("cannot log in with {secrets}"));
        }
    }
    reply
}

/// The secrets of a request that changes nothing.
fn secrets(path: &str, message: &[u8]) -> String {
    let secrets = match path.rsplit('/').next() {
        Some("ListSnapshots") => ListSnapshotsRequest::decode(message).map(|asked| asked.secrets),
        Some("ValidateVolumeCapabilities") => {
            ValidateVolumeCapabilitiesRequest::decode(message).map(|asked| asked.secrets)
        }
        _ => return String::new(),
    };
    let shown = |(name, value)| format!("{name}={value}");
    let secrets = secrets.unwrap_or_default().into_iter().map(shown);
    secrets.collect::<Vec<_>>().join(", ")
}
