//! A node in a temporary folder.

use std::fs;
use std::path::{Path, PathBuf};

use csi_kubelet::{Fault, KubeletVersion};
use tempfile::TempDir;

use crate::kubelet::Kubelet;
use crate::process::Process;
use crate::program::{csi_identity, temporary_folder};
use crate::served::{await_answer, serve};

/// A node whose kubelet has made its directories, and nothing more.
#[derive(Debug)]
pub(crate) struct Node {
    folder: TempDir,
}

impl Node {
    pub(crate) fn new() -> Self {
        let folder = temporary_folder();
        let node = Self { folder };
        fs::create_dir_all(node.plugin_socket().parent().unwrap()).unwrap();
        fs::create_dir(node.registry()).unwrap();
        node
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn plugin_socket(&self) -> PathBuf {
        self.folder().join("plugins/disk.acme.io/csi.sock")
    }

    pub(crate) fn registry(&self) -> PathBuf {
        self.folder().join("plugins_registry")
    }

    pub(crate) fn registration_socket(&self) -> PathBuf {
        self.registry().join("disk.acme.io-reg.sock")
    }

    pub(crate) fn state_file(&self) -> PathBuf {
        self.folder().join("registration.json")
    }

    /// The plugin, as a process; it answers.
    pub(crate) fn plugin(&self) -> Process {
        let socket = self.plugin_socket();
        let plugin = Process::start(serve(&socket).args(["--node-id", "node-1"]));
        await_answer(&socket);
        plugin
    }

    /// Where registrations go on this node, as flags.
    pub(crate) fn registration(&self) -> [String; 2] {
        [
            format!(
                "--kubelet-registration-path={}",
                self.plugin_socket().display()
            ),
            format!("--plugin-registration-path={}", self.registry().display()),
        ]
    }

    /// An agent that registers the plugin and answers for it.
    pub(crate) fn agent(&self, more: &[&str]) -> Process {
        let mut command = csi_identity(["agent", "--http-endpoint=127.0.0.1:0", "--endpoint"]);
        command.arg(self.plugin_socket()).args(self.registration());
        Process::start(command.args(more))
    }

    /// One that keeps its state in the file.
    pub(crate) fn agent_with_state_file(&self) -> Process {
        self.agent(&["--state-file", self.state_file().to_str().unwrap()])
    }

    /// An agent that answers for the plugin and registers nothing.
    pub(crate) fn health_agent(&self, more: &[&str]) -> Process {
        let mut command = csi_identity(["agent", "--http-endpoint=127.0.0.1:0", "--endpoint"]);
        Process::start(command.arg(self.plugin_socket()).args(more))
    }

    /// The newest kubelet.
    pub(crate) fn kubelet(&self) -> Kubelet {
        Kubelet::start(self.folder(), KubeletVersion::LATEST, &[])
    }

    /// One with this fault; a plugin that it has refused it leaves alone until there is another socket, as kubelets do up to 1.35.
    pub(crate) fn kubelet_with(&self, fault: Fault) -> Kubelet {
        Kubelet::start(self.folder(), "1.35".parse().unwrap(), &[fault])
    }
}
