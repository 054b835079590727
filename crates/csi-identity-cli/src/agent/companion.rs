use std::future::pending;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use csi_health::{
    HttpEndpoint, HttpListener, HttpOptions, Metrics, MetricsPath, Prober, RegistrationCheck,
};
use csi_identity::PluginClient;
use csi_identity::endpoint::Channel;
use csi_registration::{CallObserver, Ended, Registrar, RegistrarOptions, StateFile};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::signals::StopSignals;
use crate::verdict::Verdict;

/// How soon a plugin that did not say its name is asked again.
const ASK_AGAIN: Duration = Duration::from_secs(30);

/// What stands beside a plugin on its node: its registration, and HTTP that answers for it.
#[derive(Debug)]
pub(crate) struct Companion {
    registrar: Option<Registrar>,
    state_file: Option<StateFile>,
    metrics: Metrics,
    plugin: Channel,
    servers: Vec<(HttpListener, axum::Router)>,
}

/// How health is answered for.
#[derive(Clone, Debug)]
pub(crate) struct Health {
    pub(crate) endpoint: Option<HttpEndpoint>,
    pub(crate) healthz: Healthz,
    /// None for no metrics.
    pub(crate) metrics_path: Option<MetricsPath>,
    /// An address of their own for the metrics.
    pub(crate) metrics_endpoint: Option<HttpEndpoint>,
    pub(crate) probe_timeout: Duration,
}

/// What `/healthz` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Healthz {
    /// The plugin, as livenessprobe has it.
    Probe,
    /// The registration socket, as node-driver-registrar has it.
    Registration,
}

impl Companion {
    /// Opens what is open from the beginning: the HTTP addresses.
    pub(crate) fn new(
        plugin: Channel,
        registration: Option<RegistrarOptions>,
        state_file: Option<PathBuf>,
        health: Health,
    ) -> anyhow::Result<Self> {
        let metrics = Metrics::new();
        let observed = metrics.clone();
        let observer = CallObserver::new(move |method, code, took| {
            observed.observe(method, code, took);
        });
        let state_file = state_file.map(StateFile::new);
        let registrar = registration.map(|options| {
            Registrar::new(RegistrarOptions {
                observer: Some(observer),
                ..options
            })
        });
        // One connection to the plugin is enough for both.
        let plugin = registrar.as_ref().map_or(plugin, Registrar::channel);
        if let (Some(registrar), Some(file)) = (&registrar, &state_file) {
            remember(registrar, file);
        }
        let servers = servers(&plugin, registrar.as_ref(), &metrics, health)?;
        Ok(Self {
            registrar,
            state_file,
            metrics,
            plugin,
            servers,
        })
    }

    /// Runs until a signal; HTTP goes last, so that whoever looks sees the end.
    pub(crate) async fn run(self, signals: &mut StopSignals) -> anyhow::Result<Verdict> {
        let (stop, stopping) = watch::channel(());
        let ask = || {
            tracing::info!("stopping");
            drop(stop);
        };
        signals.stop(ask, self.run_until(stopping)).await
    }

    /// Runs until the sender of `stopping` is gone.
    pub(crate) async fn run_until(
        self,
        mut stopping: watch::Receiver<()>,
    ) -> anyhow::Result<Verdict> {
        let Self {
            registrar,
            state_file,
            metrics,
            plugin,
            servers,
        } = self;
        let answers = !servers.is_empty();
        let mut beside = JoinSet::new();
        let (end, ending) = watch::channel(());
        for (listener, router) in servers {
            tracing::info!(address = %listener.local_address(), "serving HTTP");
            let mut ending = ending.clone();
            beside.spawn(async move {
                let shutdown = async move { while ending.changed().await.is_ok() {} };
                let served =
                    csi_health::serve(listener, router, HttpOptions::default(), shutdown).await;
                if let Err(error) = served {
                    tracing::error!(%error, "HTTP is not served any more");
                }
            });
        }
        let shutdown = async move { while stopping.changed().await.is_ok() {} };
        let ended = match registrar {
            Some(registrar) => {
                if let Some(file) = state_file {
                    let status = registrar.status();
                    beside.spawn(async move { file.follow(status).await });
                }
                registrar.run(shutdown).await
            }
            None => {
                let learn_name = async {
                    if answers {
                        learn_name(&plugin, &metrics).await;
                    }
                    pending::<()>().await;
                };
                tokio::select! {
                    () = shutdown => {}
                    () = learn_name => {}
                }
                Ended::Stopped
            }
        };
        drop(end);
        while beside.join_next().await.is_some() {}
        match ended {
            Ended::Stopped => Ok(Verdict::Pass),
            Ended::Refused(reason) => {
                tracing::error!(reason, "the kubelet refused the plugin, so this ends");
                Ok(Verdict::Fail)
            }
        }
    }
}

/// Takes up what an earlier process left in the state file.
fn remember(registrar: &Registrar, file: &StateFile) {
    match file.read() {
        Ok(Some(earlier)) => registrar.remember(&earlier),
        Ok(None) => {}
        Err(error) => {
            let error = anyhow::Error::from(error);
            tracing::warn!("{error:#}; it is written anew");
        }
    }
}

fn servers(
    plugin: &Channel,
    registrar: Option<&Registrar>,
    metrics: &Metrics,
    health: Health,
) -> anyhow::Result<Vec<(HttpListener, axum::Router)>> {
    let Health {
        endpoint,
        healthz,
        metrics_path,
        metrics_endpoint,
        probe_timeout,
    } = health;
    let client = PluginClient::new(plugin.clone());
    let prober = Prober::new(client, probe_timeout, metrics.clone());
    let health = |path: Option<MetricsPath>| {
        let mut health = csi_health::Health::new(prober.clone()).with_metrics_path(path);
        if let Some(registrar) = registrar {
            health = health.with_registration(registrar.status());
            if healthz == Healthz::Registration {
                let check = RegistrationCheck::new(registrar.status(), probe_timeout);
                health = health.with_registration_check(check);
            }
        }
        health
    };
    let mut servers = Vec::new();
    if let Some(endpoint) = endpoint {
        let beside = metrics_path.clone().filter(|_| metrics_endpoint.is_none());
        servers.push((bind(&endpoint)?, health(beside).router()));
    }
    if let Some(endpoint) = metrics_endpoint {
        servers.push((bind(&endpoint)?, health(metrics_path).metrics_router()));
    }
    Ok(servers)
}

fn bind(endpoint: &HttpEndpoint) -> anyhow::Result<HttpListener> {
    HttpListener::bind(endpoint).context("cannot serve HTTP")
}

/// Learns what the plugin is called, for metrics and answers, where no registrar does.
async fn learn_name(plugin: &Channel, metrics: &Metrics) {
    let client = PluginClient::new(plugin.clone());
    let mut connections = plugin.connections();
    loop {
        if let Ok(info) = client.plugin_info().await
            && !info.name.is_empty()
        {
            return metrics.set_driver_name(&info.name);
        }
        // A health check connects when the plugin is there, and nobody needs the name before. One that answers without a
        // name may learn it later.
        let is_there = connections.borrow_and_update().open;
        tokio::select! {
            _ = connections.changed() => {}
            () = tokio::time::sleep(ASK_AGAIN), if is_there => {}
        }
    }
}
