//! A plugin on a real socket.

use std::path::Path;

use csi_endpoint::{BindOptions, Endpoint, Listener, ServeOptions, serve};
use csi_proto::csi::v1 as pb;
use csi_proto::csi::v1::identity_server::{Identity, IdentityServer};
use csi_proto::csi::v1::node_server::{Node, NodeServer};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use crate::patience::within;

/// One that runs.
#[derive(Debug)]
pub(crate) struct Plugin {
    server: JoinHandle<()>,
    known: watch::Receiver<bool>,
}

impl Plugin {
    /// Starts one, on a socket that may be left of another.
    pub(crate) fn start(path: &Path) -> Self {
        let endpoint = Endpoint::from_path(path).unwrap();
        let listener = Listener::bind(&endpoint, &BindOptions::default()).unwrap();
        let (asked, known) = watch::channel(false);
        let routes =
            Routes::new(IdentityServer::new(Fixed)).add_service(NodeServer::new(OnNode(asked)));
        let server = tokio::spawn(async move {
            let never = std::future::pending::<()>();
            let _stopped = serve(listener, routes, ServeOptions::default(), never)
                .await
                .unwrap();
        });
        Self { server, known }
    }

    /// Waits until it was asked everything that has to be known of it, NodeGetInfo last.
    pub(crate) async fn is_known(&mut self) {
        within("the plugin is asked", self.known.wait_for(|known| *known))
            .await
            .unwrap();
    }

    /// Ends it and its connections at once; its socket stays, as after a kill.
    pub(crate) async fn kill(self) {
        self.server.abort();
        assert!(self.server.await.unwrap_err().is_cancelled());
    }
}

#[derive(Debug)]
struct Fixed;

#[tonic::async_trait]
impl Identity for Fixed {
    async fn get_plugin_info(
        &self,
        _: Request<pb::GetPluginInfoRequest>,
    ) -> Result<Response<pb::GetPluginInfoResponse>, Status> {
        Ok(Response::new(pb::GetPluginInfoResponse {
            name: "disk.acme.io".to_owned(),
            vendor_version: "1.0.0".to_owned(),
            ..Default::default()
        }))
    }

    async fn get_plugin_capabilities(
        &self,
        _: Request<pb::GetPluginCapabilitiesRequest>,
    ) -> Result<Response<pb::GetPluginCapabilitiesResponse>, Status> {
        Ok(Response::new(pb::GetPluginCapabilitiesResponse::default()))
    }

    async fn probe(
        &self,
        _: Request<pb::ProbeRequest>,
    ) -> Result<Response<pb::ProbeResponse>, Status> {
        Ok(Response::new(pb::ProbeResponse { ready: Some(true) }))
    }
}

/// Tells when it was asked.
#[derive(Debug)]
struct OnNode(watch::Sender<bool>);

#[tonic::async_trait]
impl Node for OnNode {
    async fn node_get_info(
        &self,
        _: Request<pb::NodeGetInfoRequest>,
    ) -> Result<Response<pb::NodeGetInfoResponse>, Status> {
        self.0.send_replace(true);
        Ok(Response::new(pb::NodeGetInfoResponse {
            node_id: "node-1".to_owned(),
            ..Default::default()
        }))
    }
}
