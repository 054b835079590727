//! A plugin that answers Probe as it is told to, and counts.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use csi_identity::endpoint::{BindOptions, Endpoint, Listener, ServeOptions, serve};
use csi_proto::csi::v1 as pb;
use csi_proto::csi::v1::identity_server::{Identity, IdentityServer};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tonic::service::Routes;
use tonic::{Code, Request, Status};

use crate::rig::in_time;

/// An answer to Probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Ready(Option<bool>),
    Error(Code, &'static str),
    /// Ready, but only once [`FakePlugin::release`] was called for it.
    Held,
    /// Bytes that are no message.
    Garbage,
}

#[derive(Debug)]
pub(crate) struct FakePlugin {
    socket: PathBuf,
    script: Script,
    server: JoinHandle<()>,
}

#[derive(Clone, Debug)]
struct Script {
    reply: Arc<Mutex<Reply>>,
    releases: Arc<Semaphore>,
    counts: watch::Sender<Counts>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Probes that came in.
    pub(crate) probes: usize,
    pub(crate) in_flight: usize,
    /// The most that were in flight at a time.
    pub(crate) most: usize,
}

impl FakePlugin {
    pub(crate) fn start(socket: &Path, reply: Reply) -> Self {
        let script = Script {
            reply: Arc::new(Mutex::new(reply)),
            releases: Arc::new(Semaphore::new(0)),
            counts: watch::Sender::default(),
        };
        let listener = Listener::bind(
            &Endpoint::from_path(socket).unwrap(),
            &BindOptions::default(),
        )
        .unwrap();
        let routes = match reply {
            Reply::Garbage => Routes::from(axum::Router::new().fallback(garbage)),
            _ => Routes::new(IdentityServer::new(script.clone())),
        };
        let options = ServeOptions {
            grace: Duration::ZERO,
            ..ServeOptions::default()
        };
        let server = tokio::spawn(async move {
            let _stopped = serve(listener, routes, options, std::future::pending::<()>()).await;
        });
        Self {
            socket: socket.to_owned(),
            script,
            server,
        }
    }

    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    pub(crate) fn reply(&self, reply: Reply) {
        *self.script.reply.lock().unwrap() = reply;
    }

    /// Lets one held Probe go.
    pub(crate) fn release(&self) {
        self.script.releases.add_permits(1);
    }

    pub(crate) fn counts(&self) -> Counts {
        *self.script.counts.borrow()
    }

    /// Waits until the counts are as described.
    pub(crate) async fn counted(&self, is_so: impl FnMut(&Counts) -> bool) -> Counts {
        let mut counts = self.script.counts.subscribe();
        *in_time(counts.wait_for(is_so)).await.unwrap()
    }

    /// Ends at once, with its connections and its socket.
    pub(crate) async fn kill(self) {
        self.server.abort();
        let ended = in_time(self.server).await;
        assert!(ended.unwrap_err().is_cancelled());
    }
}

/// Counts a Probe for as long as it goes on, however it ends.
struct InFlight<'a>(&'a Script);

impl<'a> InFlight<'a> {
    fn begin(script: &'a Script) -> Self {
        script.counts.send_modify(|counts| {
            counts.probes += 1;
            counts.in_flight += 1;
            counts.most = counts.most.max(counts.in_flight);
        });
        Self(script)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.counts.send_modify(|counts| counts.in_flight -= 1);
    }
}

#[tonic::async_trait]
impl Identity for Script {
    async fn get_plugin_info(
        &self,
        _: Request<pb::GetPluginInfoRequest>,
    ) -> Result<tonic::Response<pb::GetPluginInfoResponse>, Status> {
        std::future::pending().await
    }

    async fn get_plugin_capabilities(
        &self,
        _: Request<pb::GetPluginCapabilitiesRequest>,
    ) -> Result<tonic::Response<pb::GetPluginCapabilitiesResponse>, Status> {
        Err(Status::unimplemented("not asked for"))
    }

    async fn probe(
        &self,
        _: Request<pb::ProbeRequest>,
    ) -> Result<tonic::Response<pb::ProbeResponse>, Status> {
        let _in_flight = InFlight::begin(self);
        let reply = *self.reply.lock().unwrap();
        let ready = match reply {
            Reply::Ready(ready) => ready,
            Reply::Error(code, message) => return Err(Status::new(code, message)),
            Reply::Held => {
                self.releases.acquire().await.unwrap().forget();
                Some(true)
            }
            Reply::Garbage => unreachable!("it has a server of its own"),
        };
        Ok(tonic::Response::new(pb::ProbeResponse { ready }))
    }
}

/// A gRPC message of two bytes that are a tag cut off.
async fn garbage() -> Response {
    let message: &[u8] = &[0, 0, 0, 0, 2, 0xff, 0xff];
    Response::builder()
        .header("content-type", "application/grpc")
        .body(Body::from(message))
        .unwrap()
}
