//! `csi-identity serve`, running.

use std::path::{Path, PathBuf};
use std::process::Command;

use csi_identity::PluginClient;
use csi_identity::endpoint::{ConnectOptions, Endpoint};
use rustix::process::Signal;
use tempfile::TempDir;

use crate::program::{PATIENCE, Ran, Running, csi_identity, temporary_folder};

/// What every `serve` here is called.
pub(crate) const IDENTITY: [&str; 4] = ["--name", "disk.acme.io", "--vendor-version", "1.2.3"];

/// A server of the program in a folder of its own.
#[derive(Debug)]
pub(crate) struct Served {
    running: Running,
    socket: PathBuf,
    folder: TempDir,
}

impl Served {
    /// Starts it with arguments beside name, version and endpoint, and waits until it answers.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let folder = temporary_folder();
        let socket = folder.path().join("csi.sock");
        let running = Running::spawn(serve(&socket).args(arguments));
        await_answer(&socket);
        Self {
            running,
            socket,
            folder,
        }
    }

    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.running.pid()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.running.signal(signal);
    }

    /// Its end and its folder, after the last signal.
    pub(crate) fn finish(self) -> (Ran, TempDir) {
        (self.running.finish(), self.folder)
    }
}

/// The command that serves on a socket.
pub(crate) fn serve(socket: &Path) -> Command {
    let mut command = csi_identity(["serve", "--endpoint"]);
    command.arg(socket).args(IDENTITY);
    command
}

/// Waits until somebody on a socket answers.
pub(crate) fn await_answer(socket: &Path) {
    let endpoint = Endpoint::from_path(socket).unwrap();
    let options = ConnectOptions {
        wait: PATIENCE,
        attempt_timeout: PATIENCE,
        ..ConnectOptions::default()
    };
    in_runtime(async {
        let plugin = PluginClient::connect(&endpoint, &options).await.unwrap();
        plugin.plugin_info().await.unwrap();
    });
}

pub(crate) fn in_runtime<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work)
}
