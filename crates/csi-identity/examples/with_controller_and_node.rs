//! A plugin with Controller and Node services of its own: what Identity reports is derived from them.
//!
//!     cargo run --example with_controller_and_node -- unix:///tmp/csi.sock
//!
//! The services answer the calls by which callers judge what Identity says. A real plugin adds the calls that move data;
//! those it does not write are answered with UNIMPLEMENTED.

use csi_identity::endpoint::{BindOptions, ServeOptions};
use csi_identity::proto::csi::v1::controller_server::{Controller, ControllerServer};
use csi_identity::proto::csi::v1::node_server::{Node, NodeServer};
use csi_identity::proto::csi::v1::{
    ControllerGetCapabilitiesRequest, ControllerGetCapabilitiesResponse,
    ControllerServiceCapability, NodeGetCapabilitiesRequest, NodeGetCapabilitiesResponse,
    NodeGetInfoRequest, NodeGetInfoResponse, NodeServiceCapability, Topology,
    controller_service_capability, node_service_capability,
};
use csi_identity::{OfferedService, Plugin, Readiness, VolumeExpansion};
use tokio::signal::unix::{SignalKind, signal};
use tonic::{Request, Response, Status};

struct DiskController;

#[tonic::async_trait]
impl Controller for DiskController {
    async fn controller_get_capabilities(
        &self,
        _: Request<ControllerGetCapabilitiesRequest>,
    ) -> Result<Response<ControllerGetCapabilitiesResponse>, Status> {
        use controller_service_capability::rpc::Type;
        use controller_service_capability::{Rpc, Type::Rpc as Offered};
        let capabilities = [
            Type::CreateDeleteVolume,
            Type::PublishUnpublishVolume,
            Type::ExpandVolume,
        ]
        .map(|rpc| ControllerServiceCapability {
            r#type: Some(Offered(Rpc { r#type: rpc.into() })),
        });
        Ok(Response::new(ControllerGetCapabilitiesResponse {
            capabilities: capabilities.into(),
        }))
    }
}

struct DiskNode;

#[tonic::async_trait]
impl Node for DiskNode {
    async fn node_get_info(
        &self,
        _: Request<NodeGetInfoRequest>,
    ) -> Result<Response<NodeGetInfoResponse>, Status> {
        let segments = [("topology.disk.acme.io/rack".to_owned(), "r1".to_owned())].into();
        Ok(Response::new(NodeGetInfoResponse {
            node_id: "node-1".to_owned(),
            max_volumes_per_node: 16,
            accessible_topology: Some(Topology { segments }),
        }))
    }

    async fn node_get_capabilities(
        &self,
        _: Request<NodeGetCapabilitiesRequest>,
    ) -> Result<Response<NodeGetCapabilitiesResponse>, Status> {
        use node_service_capability::rpc::Type;
        use node_service_capability::{Rpc, Type::Rpc as Offered};
        let capabilities =
            [Type::StageUnstageVolume, Type::ExpandVolume].map(|rpc| NodeServiceCapability {
                r#type: Some(Offered(Rpc { r#type: rpc.into() })),
            });
        Ok(Response::new(NodeGetCapabilitiesResponse {
            capabilities: capabilities.into(),
        }))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endpoint = std::env::args()
        .nth(1)
        .ok_or("usage: with_controller_and_node ENDPOINT")?;
    let plugin = Plugin::builder("disk.acme.io".parse()?, env!("CARGO_PKG_VERSION").parse()?)
        .service(ControllerServer::new(DiskController))
        .service(NodeServer::new(DiskNode))
        // What the Node service says of its topology is not known before it is asked.
        .served_elsewhere([OfferedService::VolumeAccessibilityConstraints])
        .expansion([VolumeExpansion::Online])
        .gate_on_readiness(true)
        .grpc_health(true)
        .build()?;
    let readiness = plugin.readiness();
    let bound = plugin.bind(&endpoint.parse()?, &BindOptions::default())?;
    readiness.set(Readiness::Ready);
    let mut terminate = signal(SignalKind::terminate())?;
    let stopped = bound
        .serve(ServeOptions::default(), terminate.recv())
        .await?;
    if !stopped.drained {
        return Err("calls were still in flight and have been cut".into());
    }
    Ok(())
}
