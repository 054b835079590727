use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use csi_identity::{CallError, PluginClient};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until};

use super::progress::{Moment, Progress};
use super::rpc::Rpc;
use super::tally::{Outcome, Tally};
use crate::signals::StopSignals;

/// How long a caller rests after its connection failed. A plugin that is gone is not called in a loop that spins.
const REST: Duration = Duration::from_millis(250);

/// How often the progress is told.
const PROGRESS: Duration = Duration::from_secs(1);

/// A closed loop: so many callers, each of which has one call in flight.
#[derive(Debug)]
pub(super) struct Load {
    /// One for each connection, and not none.
    pub(super) plugins: Vec<PluginClient>,
    /// How many callers there are.
    pub(super) concurrency: usize,
    /// What each of them calls in turn.
    pub(super) rpcs: &'static [Rpc],
    pub(super) warm_up: Duration,
    pub(super) duration: Duration,
}

/// How it ended.
#[derive(Debug)]
pub(super) enum End {
    Measured(Measured),
    /// By a second signal.
    Aborted,
}

/// What was measured.
#[derive(Debug)]
pub(super) struct Measured {
    /// In the order in which they are called.
    pub(super) rpcs: Vec<(Rpc, Tally)>,
    pub(super) warm_up_calls: u64,
    /// Of the calls that were counted.
    pub(super) first_error: Option<(Rpc, CallError)>,
    /// The time in which counted calls began.
    pub(super) time: Duration,
    pub(super) cut_short: bool,
}

/// What all callers share.
#[derive(Debug)]
struct Shared {
    rpcs: &'static [Rpc],
    /// Calls that begin before are not counted.
    from: Instant,
    /// None begins from here on.
    until: Instant,
    stopped: AtomicBool,
    book: Mutex<Book>,
}

#[derive(Debug)]
struct Book {
    /// One for each RPC.
    tallies: Vec<Tally>,
    warm_up_calls: u64,
    first_error: Option<(Rpc, CallError)>,
}

impl Load {
    /// Calls until the time is over or a signal comes, and waits for what is in flight then.
    pub(super) async fn run(
        self,
        signals: &mut StopSignals,
        mut progress: Progress,
    ) -> anyhow::Result<End> {
        let Self {
            plugins,
            concurrency,
            rpcs,
            warm_up,
            duration,
        } = self;
        let tallies: anyhow::Result<_> = rpcs.iter().map(|_| Tally::new()).collect();
        let start = Instant::now();
        let shared = Arc::new(Shared {
            rpcs,
            from: start + warm_up,
            until: start + warm_up + duration,
            stopped: AtomicBool::new(false),
            book: Mutex::new(Book {
                tallies: tallies?,
                warm_up_calls: 0,
                first_error: None,
            }),
        });
        let mut callers = JoinSet::new();
        for (number, plugin) in plugins.iter().cycle().take(concurrency).enumerate() {
            callers.spawn(keep_calling(plugin.clone(), number, Arc::clone(&shared)));
        }
        let mut ticks = interval_at(start + PROGRESS, PROGRESS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut stopped_at = None;
        loop {
            tokio::select! {
                ended = callers.join_next() => match ended {
                    None => break,
                    Some(ended) => ended.context("a caller failed")?,
                },
                () = signals.next() => {
                    if stopped_at.is_some() {
                        return Ok(End::Aborted);
                    }
                    stopped_at = Some(Instant::now());
                    shared.stopped.store(true, Ordering::Relaxed);
                }
                _ = ticks.tick() => progress.show(shared.moment()),
            }
        }
        drop(progress);
        let end = stopped_at.unwrap_or(shared.until).min(shared.until);
        let mut book = shared.book();
        Ok(End::Measured(Measured {
            rpcs: rpcs.iter().copied().zip(book.tallies.drain(..)).collect(),
            warm_up_calls: book.warm_up_calls,
            first_error: book.first_error.take(),
            time: end.saturating_duration_since(shared.from),
            cut_short: end < shared.until,
        }))
    }
}

/// One caller. They begin with different RPCs, so that all RPCs are in flight all the time.
async fn keep_calling(plugin: PluginClient, number: usize, shared: Arc<Shared>) {
    let mut began = Instant::now();
    for (index, &rpc) in shared.rpcs.iter().enumerate().cycle().skip(number) {
        if began >= shared.until || shared.stopped.load(Ordering::Relaxed) {
            return;
        }
        let answer = rpc.call(&plugin).await;
        let ended = Instant::now();
        let outcome = Outcome::of(&answer);
        shared.enter(index, began, ended, outcome, answer);
        began = ended;
        if outcome == Outcome::ConnectionFailed {
            sleep_until(shared.until.min(ended + REST)).await;
            began = Instant::now();
        }
    }
}

impl Shared {
    /// Puts down a call by the time at which it began.
    fn enter(
        &self,
        index: usize,
        began: Instant,
        ended: Instant,
        outcome: Outcome,
        answer: Result<(), CallError>,
    ) {
        let mut book = self.book();
        if began < self.from {
            book.warm_up_calls += 1;
            return;
        }
        if let Some(tally) = book.tallies.get_mut(index) {
            tally.count(outcome, ended - began);
        }
        if let (Err(error), Some(&rpc)) = (answer, self.rpcs.get(index)) {
            book.first_error.get_or_insert((rpc, error));
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // Nobody leaves it half written.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn moment(&self) -> Moment {
        let book = self.book();
        let sum = |of: fn(&Tally) -> u64| book.tallies.iter().map(of).sum();
        let now = Instant::now().min(self.until);
        Moment {
            measured: now.saturating_duration_since(self.from),
            of: self.until - self.from,
            calls: sum(Tally::calls),
            failed_calls: sum(Tally::failed_calls),
        }
    }
}

impl Measured {
    pub(super) fn calls(&self) -> u64 {
        self.rpcs.iter().map(|(_, tally)| tally.calls()).sum()
    }

    pub(super) fn failed_calls(&self) -> u64 {
        let failed = |(_, tally): &(Rpc, Tally)| tally.failed_calls();
        self.rpcs.iter().map(failed).sum()
    }

    /// All RPCs together.
    pub(super) fn total(&self) -> anyhow::Result<Tally> {
        let mut total = Tally::new()?;
        for (_, tally) in &self.rpcs {
            total.add(tally)?;
        }
        Ok(total)
    }
}
