//! A node in a temporary folder.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use csi_kubelet::{Clock, KubeletOptions};
use tempfile::TempDir;

use super::{Plugin, Registrar, Reply, Running, answer, csi_plugin};

/// A node whose kubelet is in a hurry: what takes it a second by its clock takes a millisecond.
#[derive(Debug)]
pub(crate) struct Node {
    folder: TempDir,
}

/// A plugin and its registrar.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) registrar: Registrar,
    pub(crate) plugin: Plugin,
}

impl Node {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("plugins_registry")).unwrap();
        Self { folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn registry(&self) -> PathBuf {
        self.folder().join("plugins_registry")
    }

    /// Where a registration socket is.
    pub(crate) fn socket(&self, name: &str) -> PathBuf {
        self.registry().join(name)
    }

    pub(crate) fn options(&self) -> KubeletOptions {
        KubeletOptions {
            clock: Clock::hurried(NonZeroU32::new(1000).unwrap()),
            ..KubeletOptions::new(self.folder())
        }
    }

    /// The newest kubelet, as it should be.
    pub(crate) fn kubelet(&self) -> Running {
        self.kubelet_with(|_| {})
    }

    /// One of this version.
    pub(crate) fn kubelet_of(&self, version: &str) -> Running {
        self.kubelet_with(|options| options.version = version.parse().unwrap())
    }

    pub(crate) fn kubelet_with_fault(&self, version: &str, fault: &str) -> Running {
        self.kubelet_with(|options| {
            options.version = version.parse().unwrap();
            options.faults = vec![fault.parse().unwrap()];
        })
    }

    pub(crate) fn kubelet_with(&self, change: impl FnOnce(&mut KubeletOptions)) -> Running {
        let mut options = self.options();
        change(&mut options);
        Running::start(options)
    }

    /// A good plugin of this name.
    pub(crate) fn plugin(&self, name: &str) -> Plugin {
        let path = self.folder().join(format!("{name}.sock"));
        Plugin::start(&path, Reply::Ok(answer("i-1", &[])))
    }

    /// A good plugin, and its registrar, whose socket is called `<name>-reg.sock`.
    pub(crate) fn driver(&self, name: &str) -> Driver {
        let plugin = self.plugin(name);
        let socket = self.socket(&format!("{name}-reg.sock"));
        let registrar = Registrar::start(&socket, csi_plugin(name, plugin.path()));
        Driver { registrar, plugin }
    }
}
