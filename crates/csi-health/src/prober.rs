use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use csi_endpoint::ConnectError;
use csi_identity::{CallError, PluginClient, Reason};
use csi_registration::Timestamp;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use tokio::time::Instant;

use crate::Metrics;
use crate::change_log::ChangeLog;
use crate::outcome::{Answer, Kind, Outcome};
use crate::unpoisoned::lock;

/// A Probe that was given up before this long says nothing of the plugin: its caller was in a hurry. Kubelets wait a
/// second by default.
const PATIENT_CALLER: Duration = Duration::from_millis(500);

/// Asks a plugin whether it is ready: freshly for each caller, and never twice at a time.
///
/// Callers that come while a Probe is in flight wait for its answer; an answer that has come is given to nobody else. When
/// all who waited have gone, the Probe is given up. So there is at most one in flight, however many ask and however long
/// the plugin takes.
///
/// Cheap to clone, and all clones share the one Probe. What changes is logged; what stays as it was is not, but for a
/// summary a minute of what stays bad.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
///
/// use csi_health::{Answer, Metrics, Prober};
/// use csi_identity::endpoint::{BindOptions, ConnectOptions, ServeOptions};
/// use csi_identity::{Plugin, PluginClient, Readiness};
///
/// let folder = tempfile::tempdir()?;
/// let endpoint = folder.path().join("csi.sock").display().to_string().parse()?;
/// let plugin = Plugin::builder("disk.acme.io".parse()?, "1.0.0".parse()?).build()?;
/// plugin.readiness().set(Readiness::starting("reading the pool"));
/// let bound = plugin.bind(&endpoint, &BindOptions::default())?;
/// tokio::spawn(bound.serve(ServeOptions::default(), std::future::pending::<()>()));
///
/// let client = PluginClient::connect(&endpoint, &ConnectOptions::default()).await?;
/// let prober = Prober::new(client, Duration::from_secs(3), Metrics::new());
/// assert_eq!(prober.probe().await.answer, Answer::NotReady);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Prober(Arc<Inner>);

struct Inner {
    client: PluginClient,
    timeout: Duration,
    metrics: Metrics,
    flight: Mutex<Option<WeakShared<Flight>>>,
    history: Mutex<History>,
}

type Flight = BoxFuture<'static, Arc<Outcome>>;

#[derive(Debug)]
struct History {
    log: ChangeLog,
    last: Option<(Kind, Timestamp)>,
}

impl Prober {
    /// The time a Probe may take if nothing else is said, which is what livenessprobe 2.17 and later grant.
    pub const PROBE_TIMEOUT: Duration = PluginClient::CALL_TIMEOUT;

    /// A prober of the plugin that `client` calls. `timeout` is for one Probe as a whole, with a second attempt where the
    /// first was lost with its connection.
    #[must_use]
    pub fn new(client: PluginClient, timeout: Duration, metrics: Metrics) -> Self {
        let history = History {
            log: ChangeLog::new(Instant::now()),
            last: None,
        };
        Self(Arc::new(Inner {
            client,
            timeout,
            metrics,
            flight: Mutex::new(None),
            history: Mutex::new(history),
        }))
    }

    /// Probes the plugin, or joins the Probe in flight.
    pub async fn probe(&self) -> Arc<Outcome> {
        self.join().await
    }

    /// What counts the Probes.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Since when finished Probes have been answered as the last one was.
    pub(crate) fn since(&self) -> Option<Timestamp> {
        lock(&self.0.history).last.map(|(_, since)| since)
    }

    fn join(&self) -> Shared<Flight> {
        let mut flight = lock(&self.0.flight);
        let in_flight = flight.as_ref().and_then(WeakShared::upgrade);
        // One that has its answer is still there while somebody has not fetched it.
        if let Some(in_flight) = in_flight.filter(|flight| flight.peek().is_none()) {
            return in_flight;
        }
        let started = Arc::clone(&self.0).fly().boxed().shared();
        *flight = started.downgrade();
        started
    }
}

impl Inner {
    async fn fly(self: Arc<Self>) -> Arc<Outcome> {
        let mut airborne = Airborne {
            inner: &self,
            start: Instant::now(),
            landed: false,
        };
        let answer = self.ask(airborne.start).await;
        airborne.landed = true;
        let took = airborne.start.elapsed();
        let outcome = Outcome { answer, took };
        self.note(&outcome);
        Arc::new(outcome)
    }

    /// A call that was lost with an old connection says nothing of the plugin as it is now, so there is a second one, on
    /// a new connection. That one fails with the reason why there is none, if so.
    async fn ask(&self, start: Instant) -> Answer {
        let first = self.call(self.timeout).await;
        let result = match first {
            Err(CallError::Connection(status)) if ConnectError::in_chain(&status).is_none() => {
                self.call(self.timeout.saturating_sub(start.elapsed()))
                    .await
            }
            result => result,
        };
        Answer::of(result, self.timeout)
    }

    async fn call(&self, timeout: Duration) -> Result<Option<bool>, CallError> {
        let client = self.client.clone().with_call_timeout(timeout);
        client.probe().await
    }

    fn note(&self, outcome: &Outcome) {
        self.metrics.observe_probe(outcome);
        let now = Instant::now();
        let kind = outcome.answer.kind();
        let mut history = lock(&self.history);
        if history.last.is_none_or(|(last, _)| last != kind) {
            history.last = Some((kind, Timestamp::now()));
        }
        let line = match kind {
            Kind::Ready => history.log.good(now, outcome.took, self.timeout),
            _ => history.log.bad(now, kind, || outcome.answer.reason()),
        };
        drop(history);
        if let Some(line) = line {
            line.log();
        }
    }

    fn note_abandoned(&self, took: Duration) {
        self.metrics.observe_abandoned_probe(took);
        if took < PATIENT_CALLER.min(self.timeout / 2) {
            return;
        }
        let reason = || {
            Reason::from(format!(
                "the plugin had not answered Probe after {took:.1?}, when the last caller gave up"
            ))
        };
        let line = lock(&self.history)
            .log
            .bad(Instant::now(), Kind::Abandoned, reason);
        if let Some(line) = line {
            line.log();
        }
    }
}

/// A Probe in flight. Dropped before it landed, it tells of that: where callers are less patient than the timeout, a
/// plugin that hangs would otherwise leave no trace.
struct Airborne<'a> {
    inner: &'a Inner,
    start: Instant,
    landed: bool,
}

impl Drop for Airborne<'_> {
    fn drop(&mut self) {
        if !self.landed {
            self.inner.note_abandoned(self.start.elapsed());
        }
    }
}

impl fmt::Debug for Prober {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            client, timeout, ..
        } = &*self.0;
        f.debug_struct("Prober")
            .field("client", client)
            .field("timeout", timeout)
            .finish_non_exhaustive()
    }
}
