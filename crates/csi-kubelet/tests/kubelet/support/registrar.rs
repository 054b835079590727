//! The plugin's side of a registration, on a real socket.

use std::path::{Path, PathBuf};

use csi_identity::proto::pluginregistration::v1::registration_server::{
    Registration, RegistrationServer,
};
use csi_identity::proto::pluginregistration::v1::{
    InfoRequest, PluginInfo, RegistrationStatus, RegistrationStatusResponse,
};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use super::{Reply, served, within};

/// What it answers, which can be changed while it runs, and what it was asked and told.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) info: Reply<PluginInfo>,
    pub(crate) notify: Reply<()>,
    pub(crate) told: Vec<Told>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    GetInfo,
    Registered,
    Refused(String),
}

/// One that runs; it dies when dropped, and its socket file stays as after a kill.
#[derive(Debug)]
pub(crate) struct Registrar {
    path: PathBuf,
    script: watch::Sender<Script>,
    server: JoinHandle<()>,
}

/// What a registrar says of a CSI plugin.
pub(crate) fn csi_plugin(name: &str, endpoint: &Path) -> PluginInfo {
    PluginInfo {
        r#type: "CSIPlugin".to_owned(),
        name: name.to_owned(),
        endpoint: endpoint.to_str().unwrap().to_owned(),
        supported_versions: vec!["1.0.0".to_owned()],
    }
}

impl Registrar {
    pub(crate) fn start(path: &Path, info: PluginInfo) -> Self {
        Self::start_with(path, Reply::Ok(info), Reply::Ok(()))
    }

    pub(crate) fn start_with(path: &Path, info: Reply<PluginInfo>, notify: Reply<()>) -> Self {
        let told = Vec::new();
        let script = watch::Sender::new(Script { info, notify, told });
        let routes = Routes::new(RegistrationServer::new(Scripted(script.clone())));
        let server = served(path, routes);
        Self {
            path: path.to_owned(),
            script,
            server,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Script)) {
        self.script.send_modify(change);
    }

    /// The same with another GetInfo.
    pub(crate) fn says(&self, change: impl FnOnce(&mut PluginInfo)) {
        self.change(|script| match &mut script.info {
            Reply::Ok(info) => change(info),
            other => panic!("no answer to change: {other:?}"),
        });
    }

    pub(crate) fn told(&self) -> Vec<Told> {
        self.script.borrow().told.clone()
    }

    pub(crate) fn count(&self, wanted: &Told) -> usize {
        self.told().iter().filter(|told| *told == wanted).count()
    }

    /// Waits until it was asked or told this for the n-th time.
    pub(crate) async fn hears(&self, wanted: &Told, times: usize) {
        let mut script = self.script.subscribe();
        let heard = script.wait_for(|script| {
            let same = script.told.iter().filter(|told| *told == wanted);
            same.count() >= times
        });
        let what = format!("{} is told {wanted:?}", self.path.display());
        within(&what, heard).await.unwrap();
    }

    /// Removes its file and ends.
    pub(crate) fn remove(self) {
        std::fs::remove_file(&self.path).unwrap();
    }

    /// Ends, and waits until it has ended. Its file stays.
    pub(crate) async fn kill(mut self) {
        self.server.abort();
        let ended = (&mut self.server).await;
        assert!(ended.unwrap_err().is_cancelled());
    }
}

impl Drop for Registrar {
    fn drop(&mut self) {
        self.server.abort();
    }
}

struct Scripted(watch::Sender<Script>);

impl Scripted {
    fn record(&self, told: Told) -> Script {
        self.0.send_modify(|script| script.told.push(told));
        self.0.borrow().clone()
    }
}

#[tonic::async_trait]
impl Registration for Scripted {
    async fn get_info(&self, _: Request<InfoRequest>) -> Result<Response<PluginInfo>, Status> {
        self.record(Told::GetInfo).info.give().await
    }

    async fn notify_registration_status(
        &self,
        request: Request<RegistrationStatus>,
    ) -> Result<Response<RegistrationStatusResponse>, Status> {
        let RegistrationStatus {
            plugin_registered,
            error,
        } = request.into_inner();
        let told = if plugin_registered {
            assert_eq!(error, "");
            Told::Registered
        } else {
            Told::Refused(error)
        };
        let given = self.record(told).notify.give().await;
        given.map(|_| Response::new(RegistrationStatusResponse {}))
    }
}
