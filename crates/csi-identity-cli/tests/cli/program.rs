//! Runs the program, and never for longer than a test may take.

use std::ffi::OsStr;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tempfile::TempDir;

/// How long anything may take. Nothing here comes near, unless it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The program with some arguments, in an environment of its own.
pub(crate) fn csi_identity<I: IntoIterator<Item: AsRef<OsStr>>>(arguments: I) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_csi-identity"));
    command.args(arguments);
    isolate(&mut command);
    command
}

/// Shuts out what the environment of the tests could change.
pub(crate) fn isolate(command: &mut Command) {
    for name in ["CSI_ENDPOINT", "NO_COLOR", "COLUMNS", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped());
    command.stderr(Stdio::piped());
}

/// Runs the program to its end.
pub(crate) fn run<I: IntoIterator<Item: AsRef<OsStr>>>(arguments: I) -> Ran {
    Running::spawn(&mut csi_identity(arguments)).finish()
}

/// How a program ended, and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    /// The exit code, or the signal that killed it, as a negative number.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// An end without a word on standard error.
    pub(crate) fn quiet(code: i32, stdout: &str) -> Self {
        Self {
            code,
            stdout: stdout.to_owned(),
            stderr: String::new(),
        }
    }

    /// A failure that wrote nothing but an error.
    pub(crate) fn error(code: i32, stderr: &str) -> Self {
        Self {
            code,
            stdout: String::new(),
            stderr: stderr.to_owned(),
        }
    }

    /// What was logged, without the times.
    pub(crate) fn log(&self) -> Vec<&str> {
        let after_time = |line| str::split_once(line, "Z ").map_or(line, |(_, rest)| rest.trim());
        self.stderr.lines().map(after_time).collect()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let status = output.status;
        let code = status.code().or(status.signal().map(|number| -number));
        let ran = Self {
            code: code.unwrap(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        };
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
        ran
    }
}

/// A program that runs; killed if it is dropped before it ended.
#[derive(Debug)]
pub(crate) struct Running {
    pid: u32,
    process: OwnedFd,
    end: Option<Receiver<(u32, Ran)>>,
}

impl Running {
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let (sender, end) = mpsc::channel();
        let mut running = Self::spawn_reporting(command, sender);
        running.end = Some(end);
        running
    }

    /// Its end is told elsewhere, together with its pid.
    pub(crate) fn spawn_reporting(command: &mut Command, ends: Sender<(u32, Ran)>) -> Self {
        let child = command.spawn().unwrap();
        let pid = child.id();
        // A pid could be somebody else's once its process has been waited for; this cannot.
        let process = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).unwrap();
        thread::spawn(move || report_end(child, &ends));
        Self {
            pid,
            process,
            end: None,
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    pub(crate) fn signal(&self, signal: Signal) {
        pidfd_send_signal(&self.process, signal).unwrap();
    }

    /// What its descriptors lead to, as far as it has not closed them meanwhile.
    pub(crate) fn descriptors(&self) -> impl Iterator<Item = PathBuf> {
        let open = fs::read_dir(format!("/proc/{}/fd", self.pid)).unwrap();
        open.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok())
    }

    /// Waits for its end.
    pub(crate) fn finish(mut self) -> Ran {
        let end = self.end.take().expect("its end is not told elsewhere");
        match end.recv_timeout(PATIENCE) {
            Ok((_, ran)) => ran,
            Err(error) => panic!("process {} does not end: {error}", self.pid),
        }
    }
}

fn report_end(child: Child, ends: &Sender<(u32, Ran)>) {
    let pid = child.id();
    let output = child.wait_with_output().unwrap();
    // The test may have failed meanwhile, and nobody listens.
    let _ = ends.send((pid, Ran::from(output)));
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has usually ended already, and been waited for.
        let _ = pidfd_send_signal(&self.process, Signal::KILL);
        if let Some(end) = self.end.take() {
            let _ = end.recv_timeout(PATIENCE);
        }
    }
}

/// Waits until something holds that sends no event, looking again and again.
pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// A folder of a test's own, by a path without symbolic links, as messages and `/proc` show it.
pub(crate) fn temporary_folder() -> TempDir {
    let place = std::env::temp_dir().canonicalize().unwrap();
    tempfile::tempdir_in(place).unwrap()
}

/// The names in a folder, sorted.
pub(crate) fn listing(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
