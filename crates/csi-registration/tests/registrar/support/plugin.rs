//! A plugin that says what it is told to say, on a real socket.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use csi_endpoint::{ServeOptions, serve_socket};
use csi_proto::csi::v1 as pb;
use csi_proto::csi::v1::identity_server::{Identity, IdentityServer};
use csi_proto::csi::v1::node_server::{Node, NodeServer};
use tokio::net::UnixListener;
use tokio::task::JoinHandle;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

/// What it answers, and how late; can be changed while it runs.
#[derive(Clone, Debug)]
pub(crate) struct Answers {
    pub(crate) info: Result<(String, String), Status>,
    pub(crate) capabilities: Result<Vec<i32>, Status>,
    pub(crate) probe: Result<Option<bool>, Status>,
    pub(crate) node: Result<pb::NodeGetInfoResponse, Status>,
    pub(crate) info_takes: Duration,
    pub(crate) node_takes: Duration,
    /// Whether there is a Node service; read when the plugin starts.
    pub(crate) serves_node: bool,
    /// Full methods, in the order in which they were called.
    pub(crate) calls: Vec<&'static str>,
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            info: Ok(("disk.example.org".to_owned(), "1.0.0".to_owned())),
            capabilities: Ok(vec![1]),
            probe: Ok(Some(true)),
            node: Ok(pb::NodeGetInfoResponse {
                node_id: "node-1".to_owned(),
                ..Default::default()
            }),
            info_takes: Duration::ZERO,
            node_takes: Duration::ZERO,
            serves_node: true,
            calls: Vec::new(),
        }
    }
}

/// One that runs; it dies when dropped, and its socket file stays as after a kill.
#[derive(Debug)]
pub(crate) struct Running {
    answers: Arc<Mutex<Answers>>,
    server: JoinHandle<()>,
}

impl Running {
    /// Takes the path as most plugins do: removes what is there, binds and listens.
    pub(crate) fn start(path: &Path, answers: Answers) -> Self {
        let _ = std::fs::remove_file(path);
        let socket = UnixListener::bind(path).unwrap();
        let serves_node = answers.serves_node;
        let answers = Arc::new(Mutex::new(answers));
        let scripted = Scripted(Arc::clone(&answers));
        let mut routes = Routes::new(IdentityServer::new(scripted.clone()));
        if serves_node {
            routes = routes.add_service(NodeServer::new(scripted));
        }
        let server = tokio::spawn(async move {
            let never = std::future::pending::<()>();
            let _ = serve_socket(socket, routes, ServeOptions::default(), never).await;
        });
        Self { answers, server }
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Answers)) {
        change(&mut self.answers.lock().unwrap());
    }

    pub(crate) fn calls(&self) -> Vec<&'static str> {
        self.answers.lock().unwrap().calls.clone()
    }

    /// How often a method was called.
    pub(crate) fn count(&self, method: &str) -> usize {
        let calls = self.calls();
        calls.iter().filter(|call| **call == method).count()
    }

    /// Ends it, and waits until it has ended. Its file stays.
    pub(crate) async fn kill(mut self) {
        self.server.abort();
        let _ = (&mut self.server).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.server.abort();
    }
}

#[derive(Clone, Debug)]
struct Scripted(Arc<Mutex<Answers>>);

impl Scripted {
    fn answer<T>(&self, method: &'static str, of: impl FnOnce(&Answers) -> T) -> T {
        let mut answers = self.0.lock().unwrap();
        answers.calls.push(method);
        of(&answers)
    }
}

#[tonic::async_trait]
impl Identity for Scripted {
    async fn get_plugin_info(
        &self,
        _: Request<pb::GetPluginInfoRequest>,
    ) -> Result<Response<pb::GetPluginInfoResponse>, Status> {
        let (info, takes) = self.answer("GetPluginInfo", |now| (now.info.clone(), now.info_takes));
        tokio::time::sleep(takes).await;
        let (name, vendor_version) = info?;
        Ok(Response::new(pb::GetPluginInfoResponse {
            name,
            vendor_version,
            ..Default::default()
        }))
    }

    async fn get_plugin_capabilities(
        &self,
        _: Request<pb::GetPluginCapabilitiesRequest>,
    ) -> Result<Response<pb::GetPluginCapabilitiesResponse>, Status> {
        use pb::plugin_capability::{Service, Type};
        let services = self.answer("GetPluginCapabilities", |now| now.capabilities.clone())?;
        let capability = |number| pb::PluginCapability {
            r#type: Some(Type::Service(Service { r#type: number })),
        };
        Ok(Response::new(pb::GetPluginCapabilitiesResponse {
            capabilities: services.into_iter().map(capability).collect(),
        }))
    }

    async fn probe(
        &self,
        _: Request<pb::ProbeRequest>,
    ) -> Result<Response<pb::ProbeResponse>, Status> {
        let ready = self.answer("Probe", |now| now.probe.clone())?;
        Ok(Response::new(pb::ProbeResponse { ready }))
    }
}

#[tonic::async_trait]
impl Node for Scripted {
    async fn node_get_info(
        &self,
        _: Request<pb::NodeGetInfoRequest>,
    ) -> Result<Response<pb::NodeGetInfoResponse>, Status> {
        let (node, takes) = self.answer("NodeGetInfo", |now| (now.node.clone(), now.node_takes));
        tokio::time::sleep(takes).await;
        node.map(Response::new)
    }
}
