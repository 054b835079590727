//! A plugin that answers what it is told to, right or wrong.

use std::future::pending;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use csi_identity::endpoint::{BindOptions, Endpoint, Listener, ServeOptions, serve};
use csi_identity::proto::csi::v1 as pb;
use csi_identity::proto::csi::v1::identity_server::{Identity, IdentityServer};
use csi_identity::proto::csi::v1::node_server::{Node, NodeServer};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tonic::service::Routes;
use tonic::{Code, Request, Response, Status};

use crate::program::temporary_folder;
use crate::served::in_runtime;

/// One answer.
#[derive(Clone, Debug)]
pub(crate) enum Reply<T> {
    Ok(T),
    Error(Code, &'static str),
    Never,
}

/// All answers. Probe gives them one after the other, and the last one again and again.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) info: Reply<pb::GetPluginInfoResponse>,
    pub(crate) capabilities: Reply<pb::GetPluginCapabilitiesResponse>,
    pub(crate) probe: Vec<Reply<Option<bool>>>,
    /// What NodeGetInfo answers; without one there is no Node service.
    pub(crate) node_id: Option<&'static str>,
}

impl Default for Script {
    /// A plugin that has nothing to say but that it is ready.
    fn default() -> Self {
        Self {
            info: Reply::Ok(pb::GetPluginInfoResponse::default()),
            capabilities: Reply::Ok(pb::GetPluginCapabilitiesResponse::default()),
            probe: vec![Reply::Ok(Some(true))],
            node_id: None,
        }
    }
}

impl Script {
    pub(crate) fn probes(probe: impl Into<Vec<Reply<Option<bool>>>>) -> Self {
        let probe = probe.into();
        Self {
            probe,
            ..Self::default()
        }
    }

    /// Any call brings this error.
    pub(crate) fn error(code: Code, message: &'static str) -> Self {
        Self {
            info: Reply::Error(code, message),
            capabilities: Reply::Error(code, message),
            probe: vec![Reply::Error(code, message)],
            node_id: None,
        }
    }

    /// No call brings anything.
    pub(crate) fn mute() -> Self {
        Self {
            info: Reply::Never,
            capabilities: Reply::Never,
            probe: vec![Reply::Never],
            node_id: None,
        }
    }
}

impl<T> Reply<T> {
    async fn give(self) -> Result<T, Status> {
        match self {
            Self::Ok(answer) => Ok(answer),
            Self::Error(code, message) => Err(Status::new(code, message)),
            Self::Never => pending().await,
        }
    }
}

/// The plugin, served by a thread of the test.
#[derive(Debug)]
pub(crate) struct FakePlugin {
    socket: PathBuf,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    probes: Arc<AtomicUsize>,
    _folder: Option<TempDir>,
}

impl FakePlugin {
    pub(crate) fn start(script: Script) -> Self {
        let folder = temporary_folder();
        let mut plugin = Self::start_at(&folder.path().join("csi.sock"), script);
        plugin._folder = Some(folder);
        plugin
    }

    pub(crate) fn start_at(socket: &Path, script: Script) -> Self {
        let (stop, stopping) = oneshot::channel::<()>();
        let (bound, is_bound) = std::sync::mpsc::channel();
        let endpoint = Endpoint::from_path(socket).unwrap();
        let probes = Arc::new(AtomicUsize::new(0));
        let node_id = script.node_id;
        let identity = Scripted {
            script,
            probes: Arc::clone(&probes),
        };
        let thread = thread::spawn(move || {
            in_runtime(async move {
                let listener = Listener::bind(&endpoint, &BindOptions::default()).unwrap();
                bound.send(()).unwrap();
                let options = ServeOptions {
                    grace: Duration::ZERO,
                    ..ServeOptions::default()
                };
                let mut routes = Routes::new(IdentityServer::new(identity));
                if let Some(id) = node_id {
                    routes = routes.add_service(NodeServer::new(OnNode(id)));
                }
                let _stopped = serve(listener, routes, options, stopping).await.unwrap();
            });
        });
        is_bound.recv().unwrap();
        Self {
            socket: socket.to_owned(),
            stop: Some(stop),
            thread: Some(thread),
            probes,
            _folder: None,
        }
    }

    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// How many Probes have come in.
    pub(crate) fn probes(&self) -> usize {
        self.probes.load(Ordering::SeqCst)
    }
}

impl Drop for FakePlugin {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || thread::panicking());
        }
    }
}

#[derive(Debug)]
struct Scripted {
    script: Script,
    probes: Arc<AtomicUsize>,
}

#[tonic::async_trait]
impl Identity for Scripted {
    async fn get_plugin_info(
        &self,
        _: Request<pb::GetPluginInfoRequest>,
    ) -> Result<Response<pb::GetPluginInfoResponse>, Status> {
        self.script.info.clone().give().await.map(Response::new)
    }

    async fn get_plugin_capabilities(
        &self,
        _: Request<pb::GetPluginCapabilitiesRequest>,
    ) -> Result<Response<pb::GetPluginCapabilitiesResponse>, Status> {
        let reply = self.script.capabilities.clone();
        reply.give().await.map(Response::new)
    }

    async fn probe(
        &self,
        _: Request<pb::ProbeRequest>,
    ) -> Result<Response<pb::ProbeResponse>, Status> {
        let count = self.probes.fetch_add(1, Ordering::SeqCst);
        let replies = &self.script.probe;
        let reply = replies.get(count).or(replies.last()).unwrap();
        let ready = reply.clone().give().await?;
        Ok(Response::new(pb::ProbeResponse { ready }))
    }
}

/// Says which node it is on.
#[derive(Debug)]
struct OnNode(&'static str);

#[tonic::async_trait]
impl Node for OnNode {
    async fn node_get_info(
        &self,
        _: Request<pb::NodeGetInfoRequest>,
    ) -> Result<Response<pb::NodeGetInfoResponse>, Status> {
        Ok(Response::new(pb::NodeGetInfoResponse {
            node_id: self.0.to_owned(),
            ..Default::default()
        }))
    }
}
