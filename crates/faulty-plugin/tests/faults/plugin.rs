//! A plugin in the test's own process.

use std::future::pending;
use std::path::{Path, PathBuf};

use csi_endpoint::Endpoint;
use faulty_plugin::{Ended, Fault, Plugin, serve};
use tempfile::TempDir;
use tokio::net::UnixListener;
use tokio::task::JoinHandle;

#[derive(Debug)]
pub(crate) struct Served {
    socket: PathBuf,
    pub(crate) task: JoinHandle<Ended>,
    _folder: TempDir,
}

impl Served {
    pub(crate) fn good() -> Self {
        Self::start(Plugin::default())
    }

    pub(crate) fn faulty(name: &str) -> Self {
        let fault: Fault = name.parse().unwrap();
        Self::start(Plugin::from(fault))
    }

    pub(crate) fn start(plugin: Plugin) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("csi.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        Self {
            task: tokio::spawn(serve(plugin, listener, pending())),
            socket,
            _folder: folder,
        }
    }

    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::from_path(&self.socket).unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}
