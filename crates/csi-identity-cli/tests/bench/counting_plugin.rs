//! A plugin that counts what it is asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use csi_identity::endpoint::{BindOptions, Endpoint, Limits, Listener, ServeOptions, serve};
use csi_identity::proto::csi::v1 as pb;
use csi_identity::proto::csi::v1::identity_server::{Identity, IdentityServer};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use crate::program::temporary_folder;
use crate::served::in_runtime;

/// It is served by a thread of the test.
#[derive(Debug)]
pub(crate) struct CountingPlugin {
    socket: PathBuf,
    counts: Arc<Counts>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    _folder: TempDir,
}

/// The calls that came in.
#[derive(Debug, Default)]
struct Counts {
    infos: AtomicU64,
    capabilities: AtomicU64,
    probes: AtomicU64,
}

impl CountingPlugin {
    pub(crate) fn start() -> Self {
        Self::start_within(Limits::default())
    }

    pub(crate) fn start_within(limits: Limits) -> Self {
        let folder = temporary_folder();
        let socket = folder.path().join("csi.sock");
        let endpoint = Endpoint::from_path(&socket).unwrap();
        let counts = Arc::new(Counts::default());
        let identity = Counting(Arc::clone(&counts));
        let (stop, stopping) = oneshot::channel::<()>();
        let (bound, is_bound) = std::sync::mpsc::channel();
        let thread = thread::spawn(move || {
            in_runtime(async move {
                let listener = Listener::bind(&endpoint, &BindOptions::default()).unwrap();
                bound.send(()).unwrap();
                let options = ServeOptions {
                    limits,
                    ..ServeOptions::default()
                };
                let routes = Routes::new(IdentityServer::new(identity));
                let _stopped = serve(listener, routes, options, stopping).await.unwrap();
            });
        });
        is_bound.recv().unwrap();
        Self {
            socket,
            counts,
            stop: Some(stop),
            thread: Some(thread),
            _folder: folder,
        }
    }

    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// How many GetPluginInfo, GetPluginCapabilities and Probe have come in.
    pub(crate) fn counts(&self) -> [u64; 3] {
        let Counts {
            infos,
            capabilities,
            probes,
        } = &*self.counts;
        [infos, capabilities, probes].map(|count| count.load(Ordering::SeqCst))
    }

    pub(crate) fn calls(&self) -> u64 {
        self.counts().iter().sum()
    }
}

impl Drop for CountingPlugin {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || thread::panicking());
        }
    }
}

#[derive(Debug)]
struct Counting(Arc<Counts>);

#[tonic::async_trait]
impl Identity for Counting {
    async fn get_plugin_info(
        &self,
        _: Request<pb::GetPluginInfoRequest>,
    ) -> Result<Response<pb::GetPluginInfoResponse>, Status> {
        self.0.infos.fetch_add(1, Ordering::SeqCst);
        Ok(Response::new(Default::default()))
    }

    async fn get_plugin_capabilities(
        &self,
        _: Request<pb::GetPluginCapabilitiesRequest>,
    ) -> Result<Response<pb::GetPluginCapabilitiesResponse>, Status> {
        self.0.capabilities.fetch_add(1, Ordering::SeqCst);
        Ok(Response::new(Default::default()))
    }

    async fn probe(
        &self,
        _: Request<pb::ProbeRequest>,
    ) -> Result<Response<pb::ProbeResponse>, Status> {
        self.0.probes.fetch_add(1, Ordering::SeqCst);
        Ok(Response::new(Default::default()))
    }
}
