//! A process and all its children, from their beginning to their end.

use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::io::{Errno, retry_on_intr};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, waitid,
};

/// A process group that is begun and waited for on one thread, and can be killed from another.
///
/// The group is signalled only as long as its leader is not reaped: after that its number may be somebody else's.
#[derive(Debug, Default)]
pub(super) struct ProcessGroup(Mutex<Stage>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    NotBegun,
    Running(Pid),
    /// To be killed as soon as it has begun.
    Unwanted,
    Ended,
}

/// Kills the group when it is dropped, unless that has ended.
#[derive(Debug)]
pub(super) struct KillOnDrop(pub(super) Arc<ProcessGroup>);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        self.0.kill();
    }
}

impl ProcessGroup {
    /// Runs `command` as the leader of the group until it has ended, and then ends what is left of its children.
    ///
    /// Blocks. `command` has to ask for a process group of its own. Children that were handed to this process when their
    /// parent died, as happens to process 1, are reaped too. Only what left the group is beyond reach.
    ///
    /// # Errors
    ///
    /// The rest of a sentence that begins with the command.
    pub(super) fn run(&self, mut command: Command) -> Result<WaitIdStatus, String> {
        let child = command
            .spawn()
            .map_err(|error| format!("cannot be run: {error}"))?;
        // Together with it the write ends of pipes, so that their readers see the end.
        drop(command);
        let pid = Pid::from_child(&child);
        self.begun(pid);
        // The leader is left a zombie, which keeps the number of the group from being given away.
        let leader = retry_on_intr(|| {
            waitid(
                WaitId::Pid(pid),
                WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
            )
        });
        self.ended();
        match leader {
            Ok(Some(status)) => {
                end(pid);
                Ok(status)
            }
            // Somebody else in this process reaps all children, or SIGCHLD is ignored. The group may be gone.
            Ok(None) | Err(Errno::CHILD) => {
                Err("ended, but its status went elsewhere in this process".to_owned())
            }
            Err(error) => Err(format!("cannot be waited for: {error}")),
        }
    }

    fn begun(&self, pid: Pid) {
        let mut stage = self.lock();
        if *stage == Stage::Unwanted {
            kill(pid);
        }
        *stage = Stage::Running(pid);
    }

    fn ended(&self) {
        *self.lock() = Stage::Ended;
    }

    fn kill(&self) {
        let mut stage = self.lock();
        match *stage {
            Stage::NotBegun => *stage = Stage::Unwanted,
            Stage::Running(pid) => kill(pid),
            Stage::Unwanted | Stage::Ended => {}
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Stage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Kills what is left of a group whose leader is a zombie, and reaps all that is ours of it.
fn end(pid: Pid) {
    kill(pid);
    // Ends with ECHILD, when none is left.
    while retry_on_intr(|| waitid(WaitId::Pgid(Some(pid)), WaitIdOptions::EXITED)).is_ok() {}
}

fn kill(group: Pid) {
    // ESRCH is all that it can be: everybody in it is ours, and has ended.
    let _ = kill_process_group(group, Signal::KILL);
}
