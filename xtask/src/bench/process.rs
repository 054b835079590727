use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};

use super::processor_time::ProcessorTime;

/// A process that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts it; what it writes to standard error goes to a file.
    pub(crate) fn spawn(command: &mut Command, log: PathBuf) -> Result<Self> {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).context("cannot create a log")?)
            .spawn()
            .with_context(|| {
                let program = Path::new(command.get_program()).display();
                format!("cannot run {program}")
            })?;
        Ok(Self { child, log })
    }

    /// # Errors
    ///
    /// Where it has ended, with what it wrote.
    pub(crate) fn require_running(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("the server ended early, {status}: {}", self.log()?.trim()),
        }
    }

    /// What it wrote to standard error.
    pub(crate) fn log(&self) -> Result<String> {
        fs::read_to_string(&self.log).context("cannot read a log")
    }

    /// Kills it, and waits until it is gone.
    pub(crate) fn kill(mut self) -> Result<()> {
        self.child.kill().context("cannot kill a server")?;
        self.child.wait()?;
        Ok(())
    }

    /// Asks it to stop, waits until it is gone, and returns what it wrote to standard error.
    ///
    /// # Errors
    ///
    /// Where it is still there after ten seconds.
    pub(crate) fn terminate(mut self) -> Result<String> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).context("cannot stop a server")?;
        let deadline = Instant::now() + Duration::from_secs(10);
        while self.child.try_wait()?.is_none() {
            ensure!(Instant::now() < deadline, "the server does not stop");
            thread::sleep(Duration::from_millis(1));
        }
        self.log()
    }

    /// How many file descriptors it has open.
    pub(crate) fn descriptors(&self) -> Result<u64> {
        let path = format!("/proc/{}/fd", self.child.id());
        let open = fs::read_dir(&path).with_context(|| format!("cannot list {path}"))?;
        Ok(open.map(|_| 1).sum())
    }

    /// How often its threads have gone to sleep so far.
    pub(crate) fn voluntary_switches(&self) -> Result<u64> {
        let tasks = self.tasks("status")?;
        tasks
            .iter()
            .map(|status| number(status, "voluntary_ctxt_switches"))
            .sum()
    }

    /// How long it has run so far.
    pub(crate) fn processor_time(&self) -> Result<ProcessorTime> {
        ProcessorTime::of(&self.child.id().to_string())
    }

    /// Waits until no thread of the server runs; what `/proc` says of it is settled then.
    ///
    /// # Errors
    ///
    /// Where it is still busy after five seconds.
    pub(crate) fn settle(&self) -> Result<()> {
        let deadline = Instant::now() + Duration::from_secs(5);
        while !self.tasks("stat")?.iter().all(|stat| is_asleep(stat)) {
            ensure!(
                Instant::now() < deadline,
                "the server is busy though nobody calls"
            );
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// What `/proc` has in the file `status` of the process.
    pub(crate) fn status(&self) -> Result<String> {
        let path = format!("/proc/{}/status", self.child.id());
        fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))
    }

    /// What `/proc` has in `file` for each of its threads.
    fn tasks(&self, file: &str) -> Result<Vec<String>> {
        let path = format!("/proc/{}/task", self.child.id());
        let tasks = fs::read_dir(&path).with_context(|| format!("cannot list {path}"))?;
        tasks
            .map(|task| Ok(fs::read_to_string(task?.path().join(file))?))
            .collect()
    }
}

/// The number in a line such as `VmRSS:   3640 kB` of a `status` file.
pub(crate) fn number(status: &str, key: &str) -> Result<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.with_context(|| format!("/proc has no number {key}"))
}

/// A `stat` file has the state after the name, which is in parentheses and may have some in it.
fn is_asleep(stat: &str) -> bool {
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| rest.starts_with('S'))
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended already if this fails; either way nothing of it stays.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_whole_name() {
        let status =
            "Name:\tServer\nVmRSSx:\t 1 kB\nVmRSS:\t    3640 kB\nvoluntary_ctxt_switches:\t17\n";
        assert_eq!(number(status, "VmRSS").unwrap(), 3640);
        assert_eq!(number(status, "voluntary_ctxt_switches").unwrap(), 17);
        for key in ["Name", "Rss"] {
            let error = number(status, key).unwrap_err().to_string();
            assert_eq!(error, format!("/proc has no number {key}"));
        }
    }

    #[test]
    fn a_sleeping_thread_is_told_from_a_running_one() {
        assert!(is_asleep("12 (csi) S 1 2"));
        assert!(!is_asleep("12 (a) S b) R 1 2"));
        assert!(!is_asleep(""));
    }
}
