//! A plugin that runs for the length of a test.

use csi_endpoint::{BindOptions, ConnectOptions, Endpoint, ServeError, ServeOptions, Stopped};
use csi_identity::endpoint::Channel;
use csi_identity::{Plugin, PluginClient, ReadinessHandle};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) struct Running {
    pub(crate) endpoint: Endpoint,
    pub(crate) readiness: ReadinessHandle,
    stop: oneshot::Sender<()>,
    served: JoinHandle<Result<Stopped, ServeError>>,
    _folder: TempDir,
}

impl Running {
    pub(crate) fn start(plugin: Plugin) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let endpoint = Endpoint::from_path(folder.path().join("csi.sock")).unwrap();
        let readiness = plugin.readiness();
        let bound = plugin.bind(&endpoint, &BindOptions::default()).unwrap();
        let (stop, stopping) = oneshot::channel();
        let served = tokio::spawn(bound.serve(ServeOptions::default(), stopping));
        Self {
            endpoint,
            readiness,
            stop,
            served,
            _folder: folder,
        }
    }

    pub(crate) async fn channel(&self) -> Channel {
        csi_endpoint::connect(&self.endpoint, &ConnectOptions::default())
            .await
            .unwrap()
    }

    pub(crate) async fn client(&self) -> PluginClient {
        PluginClient::new(self.channel().await)
    }

    pub(crate) async fn stop(self) -> Stopped {
        self.stop.send(()).unwrap();
        self.served.await.unwrap().unwrap()
    }
}
