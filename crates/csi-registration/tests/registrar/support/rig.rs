//! A node in a temporary folder, with a registrar on it.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use csi_kubelet::Fault;
use csi_registration::{Ended, Registrar, RegistrarOptions, State, Status};
use tempfile::TempDir;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::{Answers, Kubelet, KubeletOptions, OtherRegistrar, Running, within};

#[derive(Debug)]
pub(crate) struct Rig {
    root: TempDir,
    status: Option<watch::Receiver<Status>>,
    registrar: Option<(oneshot::Sender<()>, JoinHandle<Ended>)>,
}

impl Rig {
    /// A node whose kubelet has made its directories, and nothing more.
    pub(crate) fn new() -> Self {
        let root = tempfile::Builder::new().prefix("n").tempdir().unwrap();
        super::log::keep();
        let rig = Self {
            root,
            status: None,
            registrar: None,
        };
        std::fs::create_dir_all(rig.plugin_socket().parent().unwrap()).unwrap();
        std::fs::create_dir(rig.registry()).unwrap();
        rig
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn plugin_socket(&self) -> PathBuf {
        self.root.path().join("plugins/disk.example.org/csi.sock")
    }

    pub(crate) fn registry(&self) -> PathBuf {
        self.root.path().join("plugins_registry")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.registry().join("disk.example.org-reg.sock")
    }

    /// Device, inode and times of the registration socket.
    pub(crate) fn socket_id(&self) -> Option<(u64, i64, i64)> {
        let file = std::fs::symlink_metadata(self.socket()).ok()?;
        Some((file.ino(), file.ctime(), file.ctime_nsec()))
    }

    pub(crate) fn options(&self) -> RegistrarOptions {
        let plugin = self.plugin_socket().display().to_string();
        RegistrarOptions::new(
            plugin.parse().unwrap(),
            plugin.parse().unwrap(),
            self.registry(),
        )
    }

    pub(crate) fn plugin(&self, answers: Answers) -> Running {
        Running::start(&self.plugin_socket(), answers)
    }

    /// Those of the newest kubelet, on this node.
    pub(crate) fn kubelet_options(&self) -> KubeletOptions {
        KubeletOptions::new(self.root())
    }

    /// The newest kubelet.
    pub(crate) fn kubelet(&self) -> Kubelet {
        Kubelet::start(&self.kubelet_options())
    }

    /// One with this fault; a plugin that it has refused it leaves alone until there is another socket, as kubelets do up to 1.35.
    pub(crate) fn kubelet_with(&self, fault: &Fault) -> Kubelet {
        Kubelet::start(&self.kubelet_options().version("1.35").fault(fault))
    }

    /// One that refuses every plugin with this text, once for each socket.
    pub(crate) fn kubelet_that_refuses(&self, text: &str) -> Kubelet {
        self.kubelet_with(&Fault::Refuse(text.to_owned()))
    }

    /// A registrar of the same plugin in a process of its own.
    pub(crate) fn other_registrar(&self) -> OtherRegistrar {
        OtherRegistrar::start(&self.plugin_socket(), &self.registry())
    }

    /// Starts the registrar in this process.
    pub(crate) fn start(&mut self, options: RegistrarOptions) {
        self.start_remembering(options, None);
    }

    /// Starts it with what an earlier one left behind.
    pub(crate) fn start_remembering(
        &mut self,
        options: RegistrarOptions,
        earlier: Option<&Status>,
    ) {
        let registrar = Registrar::new(options);
        if let Some(earlier) = earlier {
            registrar.remember(earlier);
        }
        self.status = Some(registrar.status());
        let (stop, stopping) = oneshot::channel::<()>();
        self.registrar = Some((stop, tokio::spawn(registrar.run(stopping))));
    }

    pub(crate) fn status(&self) -> Status {
        self.status.as_ref().unwrap().borrow().clone()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Status> {
        self.status.clone().unwrap()
    }

    /// Waits until the status is as wanted, and returns it.
    pub(crate) async fn status_when(
        &self,
        what: &str,
        is_so: impl FnMut(&Status) -> bool,
    ) -> Status {
        let mut status = self.status.clone().unwrap();
        let wanted = within(what, status.wait_for(is_so)).await;
        wanted.unwrap().clone()
    }

    pub(crate) async fn state(&self, state: State) -> Status {
        self.status_when(state.as_str(), |status| status.state == state)
            .await
    }

    pub(crate) async fn stop(&mut self) -> Ended {
        let (stop, registrar) = self.registrar.take().unwrap();
        drop(stop);
        within("the registrar stops", registrar).await.unwrap()
    }

    /// Waits for it to end by itself.
    pub(crate) async fn ended(&mut self) -> Ended {
        let (_stop, registrar) = self.registrar.take().unwrap();
        within("the registrar ends", registrar).await.unwrap()
    }
}
