//! A node in a temporary folder, its kubelet and its plugins.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;
use tempfile::{NamedTempFile, TempDir};

use crate::program::{Ran, Running, csi_identity, eventually, temporary_folder};
use crate::served::serve;

#[derive(Debug)]
pub(crate) struct Node {
    folder: TempDir,
}

/// A process whose output can be read while it runs.
#[derive(Debug)]
pub(crate) struct Process {
    running: Running,
    output: NamedTempFile,
}

impl Node {
    pub(crate) fn new() -> Self {
        let folder = temporary_folder();
        Self { folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn plugin_socket(&self) -> PathBuf {
        self.folder().join("csi.sock")
    }

    pub(crate) fn registration_socket(&self) -> PathBuf {
        self.folder().join("plugins_registry/disk.acme.io-reg.sock")
    }

    /// The command that is this node's kubelet.
    pub(crate) fn kubelet_command(&self, more: &[&str]) -> Command {
        let mut command = csi_identity(["kubelet", "--node-name=node-1", "--root-dir"]);
        command.arg(self.folder()).args(more);
        command
    }

    /// The kubelet; it watches its directory.
    pub(crate) fn kubelet(&self, more: &[&str]) -> Process {
        let kubelet = Process::start(&mut self.kubelet_command(more));
        kubelet.says("started");
        kubelet
    }

    /// The plugin, which registers itself.
    pub(crate) fn plugin(&self, more: &[&str]) -> Process {
        let mut command = serve(&self.plugin_socket());
        command.args(["--register", "--node-id=node-1"]).args(more);
        Process::start(self.with_registration(&mut command))
    }

    /// The plugin alone.
    pub(crate) fn silent_plugin(&self) -> Process {
        Process::start(serve(&self.plugin_socket()).arg("--node-id=node-1"))
    }

    /// An agent that registers the plugin.
    pub(crate) fn agent(&self, more: &[&str]) -> Process {
        let mut command = csi_identity(["agent", "--endpoint"]);
        command.arg(self.plugin_socket()).args(more);
        Process::start(self.with_registration(&mut command))
    }

    fn with_registration<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .arg("--kubelet-registration-path")
            .arg(self.plugin_socket())
            .arg("--plugin-registration-path")
            .arg(self.folder().join("plugins_registry"))
    }
}

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        let output = NamedTempFile::new().unwrap();
        command.stdout(output.reopen().unwrap());
        let running = Running::spawn(command);
        Self { running, output }
    }

    /// The whole lines of its output so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.output.path()).unwrap();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().map(str::to_owned).collect()
    }

    /// Waits until it has told of an event so many times.
    pub(crate) fn says_times(&self, event: &str, times: usize) {
        let json = format!("\"event\":\"{event}\"");
        let is_it = |line: &String| {
            // After the time of day.
            let text = line.split([' ', ':']).nth(3);
            text == Some(event) || line.contains(&json)
        };
        eventually(event, || {
            self.lines().iter().filter(|line| is_it(line)).count() >= times
        });
    }

    pub(crate) fn says(&self, event: &str) {
        self.says_times(event, 1);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.running.signal(signal);
    }

    /// Asks it to end, and waits for that.
    pub(crate) fn stop(self) -> Ran {
        self.signal(Signal::TERM);
        self.finish()
    }

    /// Waits for its end.
    pub(crate) fn finish(self) -> Ran {
        let ran = self.running.finish();
        let stdout = fs::read_to_string(self.output.path()).unwrap();
        Ran { stdout, ..ran }
    }
}

/// Lines without what differs from run to run: time of day, duration, and the folder, which is `~`.
pub(crate) fn steady(text: &str, folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let encoded = folder.replace('/', "%2F");
    let line = |line: &str| {
        let line = line.split_once("Z ").map_or(line, |(time, rest)| {
            assert_eq!(time.len(), "12:34:56.789".len(), "{line}");
            rest
        });
        let line = line.replace(folder, "~").replace(&encoded, "~");
        let Some(end) = line.rfind(" ms)") else {
            return line;
        };
        let start = line[..end].rfind(" (").unwrap();
        assert!(line[start + 2..end].parse::<f64>().unwrap() > 0.0);
        format!("{}{}", &line[..start], &line[end + 4..])
    };
    text.lines().map(line).collect()
}
