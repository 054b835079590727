//! The plugin as a process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use csi_endpoint::{ConnectOptions, Endpoint, connect};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::call::PATIENCE;

/// A folder for a socket.
#[derive(Debug)]
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("unix://{}", self.path("csi.sock").display())
    }

    /// What is in it, sorted.
    pub(crate) fn listing(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Starts the plugin as an orchestrator does.
    pub(crate) fn start(&self, fault: &str) -> Program {
        let mut command = program();
        command.env("CSI_ENDPOINT", self.endpoint());
        if fault != "none" {
            command.args(["--fault", fault]);
        }
        Program(command.spawn().unwrap())
    }
}

pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faulty-plugin"));
    command.env_remove("CSI_ENDPOINT");
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    command
}

/// A program that runs; killed if it is dropped before it ended.
#[derive(Debug)]
pub(crate) struct Program(Child);

impl Program {
    pub(crate) async fn run(mut command: Command) -> (Option<i32>, String, String) {
        Self(command.spawn().unwrap()).finish().await
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    /// Waits for its end, and lets connections to it hear of that; exit code, standard output, standard error.
    pub(crate) async fn finish(mut self) -> (Option<i32>, String, String) {
        let begun = Instant::now();
        while self.is_running() {
            assert!(
                begun.elapsed() < PATIENCE,
                "process {} does not end",
                self.id()
            );
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let code = self.0.wait().unwrap().code();
        let text = |pipe: Option<&mut dyn std::io::Read>| {
            let mut text = String::new();
            pipe.unwrap().read_to_string(&mut text).unwrap();
            text
        };
        let out = text(self.0.stdout.as_mut().map(|pipe| pipe as _));
        let err = text(self.0.stderr.as_mut().map(|pipe| pipe as _));
        assert!(!err.contains("panicked"), "{err}");
        (code, out, err)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It has usually ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until somebody speaks HTTP/2 at a path.
pub(crate) async fn until_served(socket: &Path) {
    let options = ConnectOptions {
        wait: PATIENCE,
        ..ConnectOptions::default()
    };
    connect(&Endpoint::from_path(socket).unwrap(), &options)
        .await
        .unwrap();
}
