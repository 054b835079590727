//! A running server on a socket of its own.

use csi_endpoint::Channel;
use csi_endpoint::{
    Authority, BindOptions, ConnectOptions, Endpoint, Limits, Listener, ServeError, ServeOptions,
    Stopped, connect, serve,
};
use csi_proto::pluginregistration::v1::registration_client::RegistrationClient;
use csi_proto::pluginregistration::v1::{InfoRequest, PluginInfo};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::bounded::within;
use crate::registration::Plugin;

pub(crate) type Client = RegistrationClient<Channel>;

#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) endpoint: Endpoint,
    pub(crate) plugin: Plugin,
    stop: CancellationToken,
    serving: JoinHandle<Result<Stopped, ServeError>>,
    _folder: TempDir,
}

impl Served {
    pub(crate) fn start(options: ServeOptions) -> Self {
        crate::log::keep();
        let folder = tempfile::tempdir().unwrap();
        let endpoint = Endpoint::from_path(folder.path().join("csi.sock")).unwrap();
        let listener = Listener::bind(&endpoint, &BindOptions::default()).unwrap();
        let plugin = Plugin::new();
        let stop = CancellationToken::new();
        let shutdown = stop.clone().cancelled_owned();
        let serving = tokio::spawn(serve(listener, plugin.routes(), options, shutdown));
        Self {
            endpoint,
            plugin,
            stop,
            serving,
            _folder: folder,
        }
    }

    pub(crate) fn with_limits(limits: Limits) -> Self {
        Self::start(ServeOptions {
            limits,
            ..ServeOptions::default()
        })
    }

    /// A good client on a connection of its own.
    pub(crate) async fn client(&self) -> Client {
        client_of(&self.endpoint, Authority::Localhost).await
    }

    /// One that is like another client.
    pub(crate) async fn client_as(&self, authority: Authority) -> Client {
        client_of(&self.endpoint, authority).await
    }

    /// Asks for the shutdown, and does not wait for it.
    pub(crate) fn begin_stop(&self) {
        self.stop.cancel();
    }

    /// Waits for the end of serving.
    pub(crate) async fn ended(&mut self) -> Stopped {
        within("serving", &mut self.serving).await.unwrap().unwrap()
    }

    pub(crate) async fn stopped(&mut self) -> Stopped {
        self.begin_stop();
        self.ended().await
    }

    /// Drops the future that serves.
    pub(crate) async fn abandon(&mut self) {
        self.serving.abort();
        let ended = within("the aborted task", &mut self.serving).await;
        assert!(ended.unwrap_err().is_cancelled());
    }
}

pub(crate) async fn client_of(endpoint: &Endpoint, authority: Authority) -> Client {
    let options = ConnectOptions {
        authority,
        attempt_timeout: std::time::Duration::from_secs(10),
        ..ConnectOptions::default()
    };
    let channel = within("connecting", connect(endpoint, &options)).await;
    RegistrationClient::new(channel.unwrap())
}

/// Asks once; any failure is a failure of the test.
pub(crate) async fn ask(client: &mut Client) -> PluginInfo {
    let answer = within("an answer", client.get_info(InfoRequest {})).await;
    answer.unwrap().into_inner()
}
