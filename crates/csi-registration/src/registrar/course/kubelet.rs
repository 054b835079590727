//! What a kubelet does, and what it should have done.

use std::time::Duration;

use tokio::time::Instant;

use super::{Course, words};
use crate::backoff::with_jitter;
use crate::one_line::one_line;
use crate::registrar::service::{Call, Method};
use crate::{KubeletCall, Refusal, State, Timestamp};

/// How long a kubelet may take from GetInfo to its verdict: two minutes for NodeGetInfo (`csi_plugin.go`), and some time for
/// the API server. Where its verdict was lost on the way, kubelets before 1.36 do not repeat it.
const VERDICT_WITHIN: Duration = Duration::from_secs(150);

impl Course {
    /// Takes in what a kubelet did. Returns the reason of a refusal.
    pub(super) fn heard(&mut self, call: Call) -> Option<String> {
        let time = Timestamp::now();
        self.status.send_modify(|status| {
            let method = call.method.name().to_owned();
            status.last_kubelet_call = Some(KubeletCall { method, time });
        });
        if self
            .shown
            .as_ref()
            .is_none_or(|shown| shown.number != call.socket)
        {
            // The verdict on a socket that is gone says nothing of the one that is there.
            tracing::debug!(?call, "a call to a socket that was shown before");
            return None;
        }
        self.expected = None;
        match call.method {
            Method::GetInfo => {
                if self.status.borrow().state == State::WaitingForKubelet {
                    self.verdict_due = Some(Instant::now() + VERDICT_WITHIN);
                    let reason = "a kubelet has called GetInfo, and its verdict is awaited";
                    self.set(State::WaitingForKubelet, reason, false);
                }
                None
            }
            Method::Notify(Ok(())) => {
                self.backoff.reset();
                (self.show_anew, self.verdict_due) = (None, None);
                let reason = "the kubelet has registered the plugin";
                self.set(State::Registered, reason, false);
                None
            }
            Method::Notify(Err(message)) => {
                let message = one_line(&message);
                let pause = with_jitter(self.backoff.pause());
                self.show_anew = Some(Instant::now() + pause);
                self.verdict_due = None;
                self.status.send_modify(|status| {
                    status.refusals += 1;
                    status.last_refusal = Some(Refusal {
                        message: message.clone(),
                        time,
                    });
                });
                self.set(State::Refused, &message, true);
                tracing::debug!(?pause, "a new socket follows the refusal");
                Some(message)
            }
        }
    }

    /// Says that no kubelet has come although one should have.
    pub(super) fn miss_kubelet(&mut self, now: Instant) {
        if self.expected.is_some_and(|expected| expected <= now) {
            self.expected = None;
            let reason = words::nobody_came(&self.options);
            self.set(State::WaitingForKubelet, &reason, true);
        }
    }

    /// Says that a kubelet has come and not said what it thinks; a new socket makes it come again.
    pub(super) fn miss_verdict(&mut self, now: Instant) {
        if self.verdict_due.is_some_and(|due| due <= now) {
            self.verdict_due = None;
            let within = VERDICT_WITHIN.as_secs();
            let reason = format!(
                "a kubelet has called GetInfo and not said within {within} s whether it takes the plugin; a new socket \
                 follows"
            );
            self.set(State::WaitingForKubelet, &reason, true);
            self.show_anew = Some(now + with_jitter(self.backoff.pause()));
        }
    }
}
