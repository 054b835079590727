//! The course of a registration: one loop that hears what happened and makes the best of it.

use std::future::pending;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use super::change_log::{ChangeLog, tell};
use super::service::Call;
use super::socket::{Servers, Shown};
use super::{Ended, RegistrarOptions};
use crate::backoff::Backoff;
use crate::one_line::one_line;
use crate::plugin::View;
use crate::{PluginStatus, State, Status, Timestamp};

mod kubelet;
mod show;
mod words;

use show::Offered;

/// The pauses before a new socket after a refusal.
const REFUSAL_BACKOFF: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(120));

#[derive(Debug)]
pub(super) struct Course {
    options: RegistrarOptions,
    status: watch::Sender<Status>,
    view: watch::Receiver<View>,
    calls: mpsc::Sender<Call>,
    log: ChangeLog,
    /// Whether anything was told yet; what is waited for at first is no change, and worth a line.
    has_told: bool,
    /// What the kubelet is told of, once that was known for the first time.
    offered: Option<Offered>,
    shown: Option<Shown>,
    servers: Servers,
    /// How many sockets were shown so far.
    sockets: u64,
    backoff: Backoff,
    /// When a new socket follows a refusal.
    show_anew: Option<Instant>,
    /// When to look again at what is in the way.
    look_again: Option<Instant>,
    /// When to expect a call of the kubelet at the latest.
    expected: Option<Instant>,
    /// When to expect the verdict of a kubelet that has called, at the latest.
    verdict_due: Option<Instant>,
    /// The refusal that was told last, until the kubelet has registered the plugin.
    told_refusal: Option<String>,
}

/// The status of a registration that has not begun.
pub(super) fn first_status(options: &RegistrarOptions) -> Status {
    let view = View::new();
    let now = Timestamp::now();
    Status {
        state: State::WaitingForPlugin,
        reason: view.reason.clone(),
        since: now,
        problem: false,
        driver: None,
        endpoint: options.host_path.to_string(),
        socket: None,
        socket_is_shown: false,
        restart_needed: false,
        last_kubelet_call: None,
        last_refusal: None,
        refusals: 0,
        rebinds: 0,
        plugin: plugin_status(&view),
        warnings: Vec::new(),
    }
}

fn plugin_status(view: &View) -> PluginStatus {
    PluginStatus {
        answering: view.answering,
        reason: one_line(&view.reason),
        since: view.since,
    }
}

impl Course {
    pub(super) fn new(
        options: RegistrarOptions,
        status: watch::Sender<Status>,
        view: watch::Receiver<View>,
        calls: mpsc::Sender<Call>,
    ) -> Self {
        Self {
            options,
            status,
            view,
            calls,
            log: ChangeLog::new(),
            has_told: false,
            offered: None,
            shown: None,
            servers: Servers::default(),
            sockets: 0,
            backoff: REFUSAL_BACKOFF,
            show_anew: None,
            look_again: None,
            expected: None,
            verdict_due: None,
            told_refusal: None,
        }
    }

    pub(super) async fn run(
        mut self,
        mut heard: mpsc::Receiver<Call>,
        shutdown: impl Future,
    ) -> Ended {
        tokio::pin!(shutdown);
        loop {
            self.make_the_best_of_it();
            let wake = self.next_deadline();
            let deadline = async {
                match wake {
                    Some(wake) => sleep_until(wake).await,
                    None => pending().await,
                }
            };
            let offered = &mut self.offered;
            let at_the_path = async {
                match offered {
                    Some(offered) => offered.watch.changed().await,
                    None => pending().await,
                }
            };
            tokio::select! {
                _ = &mut shutdown => break,
                // `self` has a sender of both, so neither ends.
                Some(call) = heard.recv() => {
                    if let Some(reason) = self.heard(call)
                        && self.options.exit_on_refusal
                    {
                        self.stop().await;
                        return Ended::Refused(reason);
                    }
                }
                Ok(()) = self.view.changed() => {}
                () = at_the_path => {}
                number = self.servers.ended() => self.server_ended(number),
                () = deadline => {}
            }
        }
        self.stop().await;
        Ended::Stopped
    }

    async fn stop(mut self) {
        if let Some(shown) = self.shown.take() {
            self.servers.withdraw(shown);
        }
        self.status.send_modify(|status| {
            status.state = State::Lost;
            status.reason = "the registrar has stopped and removed its socket".to_owned();
            status.since = Timestamp::now();
            status.problem = false;
            status.socket_is_shown = false;
        });
        self.servers.drain().await;
    }

    fn next_deadline(&self) -> Option<Instant> {
        let deadlines = [
            self.show_anew,
            self.look_again,
            self.expected,
            self.verdict_due,
            self.log.due(),
        ];
        deadlines.into_iter().flatten().min()
    }

    /// Compares what is with what should be, and acts. To be called after whatever happened.
    fn make_the_best_of_it(&mut self) {
        self.log.sum_up();
        let view = self.view.borrow_and_update().clone();
        self.status.send_if_modified(|status| {
            let plugin = plugin_status(&view);
            let differs = status.plugin != plugin;
            status.plugin = plugin;
            differs
        });
        if let Err(error) = self.offer(&view) {
            return self.set(State::Lost, &error.to_string(), true);
        }
        let now = Instant::now();
        if self.show_anew.is_some_and(|due| due <= now) {
            self.show_anew = None;
            self.withdraw();
        }
        if self
            .shown
            .as_ref()
            .is_some_and(|shown| !shown.is_still_ours())
        {
            self.withdraw();
        }
        // A kubelet that is told to come again doubles its pauses, up to two minutes. One that has the plugin stays with it.
        if !view.answering && self.status.borrow().state != State::Registered {
            self.withdraw();
        }
        if self.shown.is_none() {
            if !view.eligible {
                (self.look_again, self.expected) = (None, None);
                return self.set(State::WaitingForPlugin, &view.reason, view.is_obstacle);
            }
            if self.show() {
                // None where that is beyond what a clock can say, which is as good as never.
                self.expected = now.checked_add(self.options.expect_kubelet_within);
            }
        }
        self.miss_kubelet(now);
        self.miss_verdict(now);
    }

    fn server_ended(&mut self, number: u64) {
        if self
            .shown
            .as_ref()
            .is_some_and(|shown| shown.number == number)
        {
            self.withdraw();
        }
    }

    /// Whether this is one more round of a refusal that was told.
    fn is_told(&mut self, state: State, reason: &str) -> bool {
        match state {
            State::Refused if self.told_refusal.as_deref() == Some(reason) => true,
            State::Refused => {
                self.told_refusal = Some(reason.to_owned());
                false
            }
            State::WaitingForKubelet => self.told_refusal.is_some(),
            _ => {
                self.told_refusal = None;
                false
            }
        }
    }

    /// Comes into a state, or stays in it for another reason.
    fn set(&mut self, state: State, reason: &str, problem: bool) {
        let reason = one_line(reason);
        let before = {
            let status = self.status.borrow();
            if (status.state, &status.reason, status.problem) == (state, &reason, problem) {
                return;
            }
            (status.state, status.problem)
        };
        // A kubelet that comes again by itself may refuse for another reason, in the same state.
        let is_other = before != (state, problem) || state == State::Refused;
        let is_news = !self.has_told || (is_other && !self.is_told(state, &reason));
        self.has_told = true;
        if is_news && self.log.is_due() {
            tell(problem, state.as_str(), &reason);
        } else {
            tracing::debug!(state = state.as_str(), reason, "registration");
        }
        self.status.send_modify(|status| {
            if status.state != state {
                status.since = Timestamp::now();
            }
            status.state = state;
            status.reason = reason;
            status.problem = problem;
        });
    }
}

#[cfg(test)]
mod tests;
