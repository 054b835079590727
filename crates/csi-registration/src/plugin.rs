//! The plugin's side of a registration: waiting for it, asking it, and noticing when it is another one.

use std::convert::Infallible;
use std::future::pending;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use csi_endpoint::{Channel, ConnectError, Endpoint, SocketWatch, WatchOptions};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use crate::Timestamp;
use crate::backoff::Backoff;

mod call_observer;
mod judge;
mod rehearsal;

pub use call_observer::CallObserver;
use rehearsal::Verdict;
pub(crate) use rehearsal::{Rehearsal, Report};

/// How often at most a plugin is asked again that closes its connections itself.
const IDLE_PACE: Duration = Duration::from_secs(1);

/// A socket that was replaced makes an event; this is for a directory mounted over another, which makes none.
const SAFETY_POLL: Duration = Duration::from_secs(10);

/// What is known of the plugin.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// Whether it answered when it was asked last.
    pub(crate) answering: bool,
    /// Why it cannot be registered now, or what it is.
    pub(crate) reason: String,
    /// Since when it has been answering, or not.
    pub(crate) since: Timestamp,
    /// What it said when it could be registered last.
    pub(crate) report: Option<Report>,
    /// Whether it can be registered now.
    pub(crate) eligible: bool,
    /// Whether it answers with what a kubelet or the API server would refuse.
    pub(crate) is_obstacle: bool,
}

impl View {
    pub(crate) fn new() -> Self {
        Self {
            answering: false,
            reason: "the plugin has not been asked yet".to_owned(),
            since: Timestamp::now(),
            report: None,
            eligible: false,
            is_obstacle: false,
        }
    }

    fn set(&mut self, answering: bool, eligible: bool, reason: String) {
        if self.answering != answering {
            self.since = Timestamp::now();
        }
        self.answering = answering;
        self.eligible = eligible;
        self.is_obstacle = false;
        self.reason = reason;
    }

    /// Whether an early report tells nothing that is not known from an earlier, fuller one.
    fn has_said(&self, report: &Report) -> bool {
        self.eligible
            && self.report.as_ref().is_some_and(|known| {
                (&known.driver, &known.vendor_version) == (&report.driver, &report.vendor_version)
            })
    }
}

/// Follows the plugin for ever and publishes what is known of it.
///
/// It is asked when it comes, when its socket is another file, and when the connection to it has ended; while it cannot be
/// registered also after a pause. In between it is left alone.
pub(crate) async fn follow(
    channel: Channel,
    rehearsal: Rehearsal,
    view: &watch::Sender<View>,
) -> Infallible {
    let endpoint = channel.endpoint().clone();
    let options = WatchOptions {
        safety_poll: SAFETY_POLL,
        ..WatchOptions::default()
    };
    let mut watch = SocketWatch::new(endpoint.clone(), options);
    let mut connections = channel.connections();
    let mut backoff = Backoff::new(Duration::from_millis(250), Duration::from_secs(30));
    let mut asked: Option<(Mark, Instant)> = None;
    loop {
        let mut mark = Mark::of(endpoint.path());
        let away = |reason: String| view.send_modify(|view| view.set(false, false, reason));
        let mut has_waited = false;
        let wait = |reason: &ConnectError| {
            has_waited = true;
            away(reason.to_string());
        };
        if let Err(error) = channel.connect_watching(&mut watch, wait).await {
            // Only where the options limit the wait.
            away(error.to_string());
            sleep(backoff.pause()).await;
            continue;
        }
        if has_waited {
            // By the mark from before the wait, the file that came would be another one, and asked twice.
            mark = Mark::of(endpoint.path());
        }
        if let Some((last, when)) = asked
            && last == mark
            && view.borrow().eligible
        {
            sleep_until(when + IDLE_PACE).await;
        }
        let seen = *connections.borrow_and_update();
        let verdict = rehearsal
            .run(|early| {
                if !view.borrow().has_said(&early) {
                    view.send_modify(|view| publish(view, Verdict::Eligible(early)));
                }
            })
            .await;
        asked = Some((mark, Instant::now()));
        let pause = match &verdict {
            Verdict::Eligible(report) if report.node.is_some() => {
                backoff.reset();
                None
            }
            // Registered early: what it still lacked may have come.
            Verdict::Eligible(_) => Some(backoff.pause()),
            Verdict::NotReady { .. } => Some(Duration::from_secs(1).min(backoff.pause())),
            Verdict::NoAnswer { .. } | Verdict::Obstacle { .. } => Some(backoff.pause()),
        };
        view.send_modify(|view| publish(view, verdict));
        let again = async {
            match pause {
                Some(pause) => sleep(pause).await,
                None => pending().await,
            }
        };
        tokio::select! {
            () = again => {}
            // Its sender is in the channel, which outlives this.
            _ended = connections.wait_for(|now| !now.open || now.made != seen.made) => {}
            () = changed(&mut watch, &endpoint, mark) => {
                backoff.reset();
                channel.renew();
            }
        }
    }
}

fn publish(view: &mut View, verdict: Verdict) {
    match verdict {
        Verdict::Eligible(report) => {
            view.set(true, true, report.to_string());
            view.report = Some(report);
        }
        Verdict::NotReady { reason } => view.set(true, false, reason),
        Verdict::Obstacle { reason } => {
            view.set(true, false, reason);
            view.is_obstacle = true;
        }
        Verdict::NoAnswer { reason } => view.set(false, false, reason),
    }
}

/// Waits until the path leads to another file than it did.
async fn changed(watch: &mut SocketWatch, endpoint: &Endpoint, mark: Mark) {
    while Mark::of(endpoint.path()) == mark {
        watch.changed().await;
    }
}

/// What tells one file from its successor at the same path; the number of an inode alone is given out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark(Option<(u64, u64, i64, i64)>);

impl Mark {
    fn of(path: &Path) -> Self {
        let metadata = std::fs::symlink_metadata(path).ok();
        Self(metadata.map(|file| (file.dev(), file.ino(), file.ctime(), file.ctime_nsec())))
    }
}
