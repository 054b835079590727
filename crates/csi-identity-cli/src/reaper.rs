//! What process 1 owes to the orphans of its container.
//!
//! In a container without an init, a process whose parent has ended becomes a child of this program, and stays a zombie
//! until this program has waited for it. Programs that an `exec` check runs leave such orphans when they leave the process
//! group of the check, by `setsid` or `timeout` say.

use anyhow::Context as _;
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{WaitOptions, wait};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;

/// Waits only for children of the calling thread (`__WNOTHREAD`, wait(2)).
///
/// The kernel makes orphans children of the main thread of process 1. What a check has begun is a child of the check's own
/// thread, and its end is not for us to take. A look at process groups could not tell the two apart: who runs `timeout` or a
/// shell with job control leaves orphans in our session that lead a group, as the first process of a check does.
const OF_THIS_THREAD: WaitOptions = WaitOptions::from_bits_retain(0x2000_0000);

/// Reaps orphans from now on, where this is process 1; elsewhere others do.
///
/// To be called on the main thread, within a runtime that has no other.
pub(crate) fn start() -> anyhow::Result<Option<JoinHandle<()>>> {
    if std::process::id() != 1 {
        return Ok(None);
    }
    let ends = signal(SignalKind::child()).context("cannot listen for signals")?;
    Ok(Some(tokio::spawn(reap(ends))))
}

async fn reap(mut ends: Signal) {
    loop {
        // One signal may stand for many ends, and there may have been some before anybody listened.
        while reap_some() {
            tokio::task::yield_now().await;
        }
        if ends.recv().await.is_none() {
            return;
        }
    }
}

/// Reaps so many that no request waits for long; tells whether there may be more.
fn reap_some() -> bool {
    const AT_ONCE: usize = 32;
    for _ in 0..AT_ONCE {
        match retry_on_intr(|| wait(WaitOptions::NOHANG | OF_THIS_THREAD)) {
            Ok(Some((pid, _status))) => {
                tracing::debug!(pid = pid.as_raw_pid(), "reaped an orphan");
            }
            // All that are left still run, or none is left.
            Ok(None) | Err(Errno::CHILD) => return false,
            Err(error) => {
                tracing::warn!(%error, "cannot reap orphans");
                return false;
            }
        }
    }
    true
}
