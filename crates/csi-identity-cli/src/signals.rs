use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::verdict::Verdict;

/// The signals that ask a program to stop.
#[derive(Debug)]
pub(crate) struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("cannot listen for signals");
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
        })
    }

    /// Waits for what runs. A signal has it asked to end, by `ask`; a second one gives it up.
    pub(crate) async fn stop(
        &mut self,
        ask: impl FnOnce(),
        running: impl Future<Output = anyhow::Result<Verdict>>,
    ) -> anyhow::Result<Verdict> {
        tokio::pin!(running);
        tokio::select! {
            ended = &mut running => return ended,
            () = self.next() => ask(),
        }
        tokio::select! {
            ended = &mut running => ended,
            () = self.next() => Ok(Verdict::Aborted),
        }
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
