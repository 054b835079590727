//! A plugin that is started here, and ended for certain.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use csi_endpoint::Endpoint;
use rustix::io::retry_on_intr;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, kill_process_group, waitid,
};

/// How much of the end of what it wrote is kept, in bytes.
const KEPT: u64 = 600;

/// How long what was killed may take to be gone; a process that the kernel holds can take for ever.
const GONE_LIMIT: Duration = Duration::from_secs(1);

const SHELL: &str = "/bin/sh";

/// A process group of its own, killed when this is dropped.
#[derive(Debug)]
pub(super) struct Child {
    leader: Pid,
    command: String,
    process: std::process::Child,
    output: File,
}

impl Child {
    /// Has a shell start the command with `CSI_ENDPOINT` in its environment.
    pub(super) fn start(command: &str, endpoint: &Endpoint) -> io::Result<Self> {
        let output = tempfile::tempfile()?;
        let process = Command::new(SHELL)
            .args(["-c", command])
            .env("CSI_ENDPOINT", endpoint.to_string())
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output.try_clone()?)
            .process_group(0)
            .spawn()?;
        Ok(Self {
            leader: Pid::from_child(&process),
            command: command.to_owned(),
            process,
            output,
        })
    }

    /// How it ended, for example `with status 0`; nothing while any process of it runs.
    ///
    /// The leader is left a zombie, which keeps the number of the group from being given away.
    pub(super) fn ended(&self) -> Option<String> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let status = retry_on_intr(|| waitid(WaitId::Pid(self.leader), options)).ok()??;
        self.members().next().is_none().then(|| how(&status))
    }

    /// Asks the plugin to end, as a container's process 1 is asked: the process of the command, and where that is still the
    /// shell that waits for it, whatever the shell has started.
    pub(super) fn terminate(&self) {
        let others: Vec<Pid> = match self.is_shell() {
            true => self.members().filter(|&pid| pid != self.leader).collect(),
            false => Vec::new(),
        };
        let asked = if others.is_empty() {
            vec![self.leader]
        } else {
            others
        };
        for pid in asked {
            // ESRCH is all that it can be: it is ours, and has ended meanwhile.
            let _ = kill_process(pid, Signal::TERM);
        }
    }

    /// The end of what it wrote, as far as it is there by now.
    pub(super) fn output(&self) -> String {
        let read = || {
            // By its own place in the file: a duplicate shares that of the child, which writes there.
            let len = self.output.metadata()?.len();
            let mut text = vec![0; usize::try_from(len.min(KEPT)).unwrap_or_default()];
            let count = self.output.read_at(&mut text, len.saturating_sub(KEPT))?;
            text.truncate(count);
            io::Result::Ok(String::from_utf8_lossy(&text).into_owned())
        };
        read().unwrap_or_default()
    }

    /// Whether the leader is the shell, and not a program that took its place by `exec`.
    fn is_shell(&self) -> bool {
        let shell = format!("{SHELL}\0-c\0{}\0", self.command);
        let line = std::fs::read(format!("/proc/{}/cmdline", self.leader.as_raw_pid()));
        line.is_ok_and(|line| line == shell.as_bytes())
    }

    /// The processes of the group that run.
    fn members(&self) -> impl Iterator<Item = Pid> {
        let entries = std::fs::read_dir("/proc");
        let entries = entries.into_iter().flatten().flatten();
        entries.filter_map(|entry| {
            let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // After the name in parentheses come the state, the parent and the group, and 15th from there the number of threads
            // (proc_pid_stat(5)): a zombie with more than one still has its files open.
            let mut fields = stat.rsplit(") ").next()?.split(' ');
            let is_zombie = fields.next()? == "Z";
            let group: i32 = fields.nth(1)?.parse().ok()?;
            let threads: u32 = fields.nth(14)?.parse().ok()?;
            let runs = !is_zombie || threads > 1;
            (runs && group == self.leader.as_raw_pid()).then_some(pid)
        })
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // As when it is asked to end.
        let _ = kill_process_group(self.leader, Signal::KILL);
        // Nobody tells when what the shell has started is gone, and until then its socket takes connections: who starts next
        // would find a plugin there. It has no say in it, so it takes a moment only.
        let started = Instant::now();
        while started.elapsed() < GONE_LIMIT && self.members().next().is_some() {
            thread::sleep(Duration::from_millis(1));
        }
        // Only now is the leader reaped, and the number of the group free.
        let _ = self.process.wait();
    }
}

fn how(status: &WaitIdStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("with status {code}"),
        (None, Some(signal)) => format!("by signal {signal}"),
        (None, None) => "in an unknown way".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use csi_endpoint::Endpoint;
    use rustix::process::{Pid, test_kill_process};

    use super::Child;

    fn start(command: &str) -> Child {
        let endpoint: Endpoint = "/x/csi.sock".parse().unwrap();
        Child::start(command, &endpoint).unwrap()
    }

    fn end_of(child: &Child) -> String {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(end) = child.ended() {
                return end;
            }
            assert!(Instant::now() < deadline, "it does not end");
            std::thread::yield_now();
        }
    }

    #[test]
    fn an_end_and_the_output_are_told() {
        let child = start("echo \"at $CSI_ENDPOINT\"; exit 3");
        assert_eq!(end_of(&child), "with status 3");
        assert_eq!(child.output(), "at unix:///x/csi.sock\n");
        assert_eq!(end_of(&start("kill -KILL $$")), "by signal 9");
    }

    #[test]
    fn whoever_the_command_is_asked_to_end_and_its_shell_tells_how_it_did() {
        for command in [
            "sh -c 'trap \"exit 7\" TERM; echo ready; while :; do sleep 0.01; done'; exit $?",
            "exec sh -c 'trap \"exit 7\" TERM; echo ready; while :; do sleep 0.01; done'",
        ] {
            let child = start(command);
            let deadline = Instant::now() + Duration::from_secs(30);
            while child.output() != "ready\n" {
                assert!(Instant::now() < deadline, "it does not start");
            }
            child.terminate();
            assert_eq!(end_of(&child), "with status 7", "{command}");
        }
    }

    #[test]
    fn it_has_not_ended_while_a_child_of_it_runs_and_dropping_it_ends_all_of_it() {
        let child = start("sleep 1000 & echo $!");
        let deadline = Instant::now() + Duration::from_secs(30);
        let sleeper = loop {
            if let Ok(pid) = child.output().trim().parse() {
                break Pid::from_raw(pid).unwrap();
            }
            assert!(Instant::now() < deadline, "it does not say who sleeps");
        };
        assert_eq!(child.ended(), None);
        drop(child);
        assert!(
            test_kill_process(sleeper).is_err() || is_zombie(sleeper),
            "the sleeper lives on"
        );
    }

    fn is_zombie(pid: Pid) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid()));
        stat.is_ok_and(|stat| stat.contains(") Z "))
    }
}
