//! Running checks, and telling a plugin's readiness what they find.
//!
//! Each check has a loop of its own, and all loops are one future: nothing is spawned, so nothing is left when it is
//! dropped. What may block in the kernel runs on a thread of its own (see [`lane`]).

mod dial;
mod exec;
mod grpc;
mod http;
mod lane;
mod mount;
mod mount_table;
mod path;
mod probe;
mod process_group;
mod set;
mod state;
mod tcp;

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use csi_endpoint::EndpointError;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::{Check, CheckName, ReadinessHandle, Reason};
use probe::Probe;
use set::CheckSet;
use state::{CheckState, CheckVerdict};

/// Checks that are ready to run.
///
/// A plugin runs those it was built with by itself, see [`PluginBuilder::checks`](crate::PluginBuilder::checks).
///
/// - Each check runs at once and then every `interval`, never twice at the same time; runs that were missed, because the
///   machine slept, say, are left out.
/// - A run that takes longer than `timeout` has failed, whatever it does. Where it hangs in the kernel, as `stat` does on
///   an NFS server that is gone, the check fails until that call returns, and no other is begun.
/// - Whoever asks for the readiness, and however often, causes no run.
/// - Each change of a check's verdict is logged once, with the reason; single results are not.
#[derive(Debug)]
#[must_use = "checks find nothing until they run"]
pub struct Checks {
    checks: Vec<Check>,
    probes: Vec<Probe>,
    set: CheckSet,
}

/// Why checks cannot run together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChecksError {
    /// Two checks have one name.
    #[error("two checks have the name {name}; give each a name of its own")]
    DuplicateName {
        /// The name.
        name: CheckName,
    },
    /// The endpoint of a gRPC check is none.
    #[error("check {name}: {source}")]
    Endpoint {
        /// The check.
        name: CheckName,
        /// What is wrong with the endpoint; it is in the message.
        source: EndpointError,
    },
}

impl Checks {
    /// Puts checks together.
    ///
    /// # Errors
    ///
    /// Where two have the same name, or a gRPC check has no good endpoint.
    pub fn new(checks: Vec<Check>) -> Result<Self, ChecksError> {
        for (index, check) in checks.iter().enumerate() {
            let name = check.name();
            if checks.iter().take(index).any(|other| other.name() == name) {
                return Err(ChecksError::DuplicateName { name: name.clone() });
            }
        }
        let probe = |check: &Check| {
            Probe::of(check.target()).map_err(|source| ChecksError::Endpoint {
                name: check.name().clone(),
                source,
            })
        };
        let probes = checks.iter().map(probe).collect::<Result<_, _>>()?;
        let set = CheckSet::new(&checks);
        Ok(Self {
            checks,
            probes,
            set,
        })
    }

    /// Tells `readiness` that nothing was checked yet, so that the plugin is not ready before.
    pub(crate) fn announce(&self, readiness: &ReadinessHandle) {
        readiness.set_by_checks(self.set.readiness());
    }

    /// Runs the checks for ever, and tells `readiness` what they find.
    ///
    /// Dropping the future stops everything, and kills the commands that run; what was found last stays in `readiness`.
    /// Where there is nothing to check, the plugin is ready as far as checks go.
    ///
    /// To be polled within a Tokio runtime that has I/O and time enabled.
    pub fn run(
        self,
        readiness: ReadinessHandle,
    ) -> impl Future<Output = Infallible> + Send + 'static {
        self.announce(&readiness);
        let Self {
            checks,
            probes,
            set,
        } = self;
        let set = Mutex::new(set);
        let findings = Arc::new(Findings { set, readiness });
        let each = |(index, (check, probe))| -> Pin<Box<dyn Future<Output = Infallible> + Send>> {
            Box::pin(repeat(index, check, probe, Arc::clone(&findings)))
        };
        let mut loops: Vec<_> = checks
            .into_iter()
            .zip(probes)
            .enumerate()
            .map(each)
            .collect();
        std::future::poll_fn(move |context| {
            for each in &mut loops {
                if let Poll::Ready(never) = each.as_mut().poll(context) {
                    match never {}
                }
            }
            Poll::Pending
        })
    }
}

/// Runs one check for ever.
async fn repeat(
    index: usize,
    check: Check,
    mut probe: Probe,
    findings: Arc<Findings>,
) -> Infallible {
    let policy = *check.policy();
    let mut due = interval(policy.interval);
    due.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        due.tick().await;
        let result = match timeout(policy.timeout, probe.run()).await {
            Ok(result) => result,
            Err(_elapsed) => Err(format!(
                "no result within {:?}: {}",
                policy.timeout,
                probe.doing()
            )),
        };
        findings.add(index, &check, result.map_err(Reason::from));
    }
}

/// What all checks have found, and who is told.
#[derive(Debug)]
struct Findings {
    set: Mutex<CheckSet>,
    readiness: ReadinessHandle,
}

impl Findings {
    fn add(&self, index: usize, check: &Check, result: Result<(), Reason>) {
        let changed = {
            let mut set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
            set.record(index, result).map(CheckState::verdict).cloned()
        };
        match changed {
            Some(CheckVerdict::Failing { reason }) => {
                tracing::warn!(check = %check, %reason, "check fails");
            }
            Some(CheckVerdict::Passing) => tracing::info!(check = %check, "check passes"),
            Some(CheckVerdict::Unknown) | None => {}
        }
        self.report();
    }

    fn report(&self) {
        let readiness = {
            let set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
            set.readiness()
        };
        self.readiness.set_by_checks(readiness);
    }
}
