//! A plugin with its health endpoints, as each test needs them.

use std::net::SocketAddr;
use std::time::Duration;

use csi_health::{Health, HttpListener, HttpOptions, Metrics, Prober, RegistrationCheck, serve};
use csi_identity::PluginClient;
use csi_identity::endpoint::{ConnectOptions, Endpoint};
use csi_registration::{PluginStatus, State, Status, Timestamp};
use tempfile::TempDir;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use crate::log;
use crate::plugin::{FakePlugin, Reply};

/// More than anything here takes, were the machine ever so busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("it took too long")
}

/// Lets time go by for the timers of this thread. Real connections must not be waited for meanwhile, so it does not stay
/// paused.
pub(crate) async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// A plugin and a prober of it.
pub(crate) struct Probed {
    pub(crate) plugin: FakePlugin,
    pub(crate) prober: Prober,
    pub(crate) folder: TempDir,
}

/// The same behind HTTP.
pub(crate) struct Rig {
    pub(crate) plugin: FakePlugin,
    pub(crate) address: SocketAddr,
    pub(crate) status: Option<watch::Sender<Status>>,
    pub(crate) metrics: Metrics,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
    _folder: TempDir,
}

/// What a rig has, where it is not the usual.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) timeout: Duration,
    pub(crate) http: HttpOptions,
    pub(crate) status: Option<Status>,
    /// How long the registration socket may take, where `/healthz` is about that.
    pub(crate) registration_check: Option<Duration>,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            timeout: PATIENCE,
            http: HttpOptions::default(),
            status: None,
            registration_check: None,
        }
    }
}

impl Probed {
    pub(crate) async fn start(reply: Reply, timeout: Duration) -> Self {
        log::keep();
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("csi.sock");
        let plugin = FakePlugin::start(&socket, reply);
        let endpoint = Endpoint::from_path(&socket).unwrap();
        let client = PluginClient::connect(&endpoint, &ConnectOptions::default())
            .await
            .unwrap();
        let prober = Prober::new(client, timeout, Metrics::new());
        Self {
            plugin,
            prober,
            folder,
        }
    }
}

impl Rig {
    pub(crate) async fn start(reply: Reply) -> Self {
        Self::with(reply, Parts::default()).await
    }

    pub(crate) async fn with(reply: Reply, parts: Parts) -> Self {
        let Parts {
            timeout,
            http,
            status,
            registration_check,
        } = parts;
        let listener = HttpListener::bind(&"127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_address();
        let Probed {
            plugin,
            prober,
            folder,
        } = Probed::start(reply, timeout).await;
        let metrics = prober.metrics().clone();
        let mut health = Health::new(prober);
        let status = status.map(watch::Sender::new);
        if let Some(status) = &status {
            health = health.with_registration(status.subscribe());
            if let Some(timeout) = registration_check {
                let check = RegistrationCheck::new(status.subscribe(), timeout);
                health = health.with_registration_check(check);
            }
        }
        let (stop, stopping) = oneshot::channel();
        let router = health.router();
        let server = tokio::spawn(async move {
            serve(listener, router, http, stopping).await.unwrap();
        });
        Self {
            plugin,
            address,
            status,
            metrics,
            stop,
            server,
            _folder: folder,
        }
    }

    /// Says that the server is to stop; the rest is its end.
    pub(crate) fn stop(self) -> (FakePlugin, JoinHandle<()>) {
        drop(self.stop);
        (self.plugin, self.server)
    }
}

/// A registration as it should be.
pub(crate) fn registered() -> Status {
    let since: Timestamp = "2026-02-03T04:05:06.789Z".parse().unwrap();
    Status {
        state: State::Registered,
        reason: "the kubelet said so".to_owned(),
        since,
        problem: false,
        driver: Some("disk.acme.io".to_owned()),
        endpoint: "/var/lib/kubelet/plugins/disk.acme.io/csi.sock".to_owned(),
        socket: Some("/registration/disk.acme.io-reg.sock".into()),
        socket_is_shown: true,
        restart_needed: false,
        last_kubelet_call: None,
        last_refusal: None,
        refusals: 0,
        rebinds: 0,
        plugin: PluginStatus {
            answering: true,
            reason: "disk.acme.io 1.2.3".to_owned(),
            since,
        },
        warnings: vec!["node_id is long".to_owned()],
    }
}
