//! What callers do to a plugin without meaning it: many at once, calls left open, cancelled and cut.

use std::time::Duration;

use csi_endpoint::{Channel, Endpoint};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::Visit;
use super::others::is_answered;
use crate::{Deadline, Method, Socket};

/// How many callers come at once: more than a plugin's sidecars are.
const CROWD: usize = 8;
/// How many calls are cancelled, and how many connections are cut.
const LEFT: usize = 5;
/// From when on a Probe is so slow that something else can be done meanwhile.
const SLOW: Duration = Duration::from_millis(200);

pub(super) async fn crowd(visit: &mut Visit<'_>, endpoint: &Endpoint, seen: &mut Socket) {
    const STEP: &str = "many callers at once";
    (visit.progress)(STEP);
    if !is_answered(seen, Method::PROBE) || !visit.budget.allows(STEP) {
        return;
    }
    let mut calls = JoinSet::new();
    for _ in 0..CROWD {
        let channel = Channel::new(endpoint.clone(), &visit.connect_options());
        // Where it does not connect, the call says so.
        let _connected = channel.connect(|_| {}).await;
        let (call, tally) = (visit.call(Method::PROBE), visit.tally.clone());
        calls.spawn(async move { call.make(&channel, &tally).await });
    }
    while let Some(ended) = calls.join_next().await {
        // A task that panicked or was cancelled is none here.
        seen.crowd.extend(ended);
    }
    seen.crowd.sort_by_key(|call| call.took);
}

/// Calls beside others that do not end or take long, and one whose time is too short.
pub(super) async fn beside(
    visit: &mut Visit<'_>,
    endpoint: &Endpoint,
    channel: &Channel,
    seen: &mut Socket,
) {
    (visit.progress)("calls beside others");
    if !is_answered(seen, Method::PROBE) {
        return;
    }
    if visit.budget.allows("a call beside one that is left open") {
        let probe = visit.call(Method::PROBE).make(channel, &visit.tally);
        let open = visit.call(Method::PROBE);
        let exchange = open.leave_open(channel, &visit.tally, probe).await;
        seen.beside_open_call = Some(exchange);
    }
    let Some(alone) = seen.fastest(Method::PROBE).filter(|&took| took >= SLOW) else {
        return;
    };
    if visit.budget.allows("a call beside a slow Probe") {
        let other = Channel::new(endpoint.clone(), &visit.connect_options());
        let slow = visit.call(Method::PROBE).make(channel, &visit.tally);
        let info = async {
            // So that the Probe is there before it.
            sleep(alone / 10).await;
            let call = visit.call(Method::GET_PLUGIN_INFO);
            call.make(&other, &visit.tally).await
        };
        let (slow, info) = tokio::join!(slow, info);
        seen.beside_slow_probe = Some((info, slow.took));
    }
    if visit.budget.allows("a Probe with a short deadline") {
        let granted = alone / 4;
        let call = visit.call(Method::PROBE).deadline(granted);
        let exchange = call.make(channel, &visit.tally).await;
        seen.deadline = Some(Deadline { granted, exchange });
    }
}

/// Calls that are cancelled, and connections that are cut in the middle of a call.
pub(super) async fn leave(
    visit: &mut Visit<'_>,
    endpoint: &Endpoint,
    channel: &Channel,
    seen: &mut Socket,
) {
    /// So that the server knows of a call before it is left, also on a busy machine.
    const MOMENT: Duration = Duration::from_millis(10);
    (visit.progress)("calls that are left");
    if !is_answered(seen, Method::PROBE) {
        return;
    }
    if visit.budget.allows("calls that are cancelled") {
        for _ in 0..LEFT {
            let call = visit.call(Method::PROBE);
            call.leave_open(channel, &visit.tally, sleep(MOMENT)).await;
            visit
                .call(Method::PROBE)
                .abandon(channel, &visit.tally)
                .await;
        }
        let call = visit.call(Method::PROBE);
        seen.after_cancel = Some(call.make(channel, &visit.tally).await);
    }
    if visit.budget.allows("connections that are cut") {
        for _ in 0..LEFT {
            let cut = Channel::new(endpoint.clone(), &visit.connect_options());
            let call = visit.call(Method::PROBE);
            call.leave_open(&cut, &visit.tally, sleep(MOMENT)).await;
        }
        let other = Channel::new(endpoint.clone(), &visit.connect_options());
        let call = visit.call(Method::PROBE);
        seen.after_cut = Some(call.make(&other, &visit.tally).await);
    }
}
