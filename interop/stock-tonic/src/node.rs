use csi_proto::csi::v1::{NodeGetInfoRequest, NodeGetInfoResponse, node_server::Node};
use tonic::{Request, Response, Status};

/// Says which node this is, which a registrar may ask before it shows the driver to a kubelet.
#[derive(Debug)]
pub(crate) struct FixedNode;

#[tonic::async_trait]
impl Node for FixedNode {
    async fn node_get_info(
        &self,
        _: Request<NodeGetInfoRequest>,
    ) -> Result<Response<NodeGetInfoResponse>, Status> {
        Ok(Response::new(NodeGetInfoResponse {
            node_id: "node-1".to_owned(),
            ..Default::default()
        }))
    }
}
