use std::sync::Arc;

use csi_proto::csi::v1 as pb;
use csi_proto::csi::v1::node_server::Node;
use tonic::{Request, Response, Status};

use super::convert;
use crate::NodeInfo;

/// Serves the part of `csi.v1.Node` without which a kubelet cannot register a plugin.
///
/// NodeGetInfo answers with the node information, NodeGetCapabilities with no capability; every other call is UNIMPLEMENTED.
/// A plugin with a Node service of its own registers that instead.
#[derive(Clone, Debug)]
pub struct NodeInfoService(Arc<NodeInfo>);

impl NodeInfoService {
    /// A Node service that knows where it runs and nothing else.
    pub fn new(node: NodeInfo) -> Self {
        Self(Arc::new(node))
    }
}

#[tonic::async_trait]
impl Node for NodeInfoService {
    async fn node_get_info(
        &self,
        _: Request<pb::NodeGetInfoRequest>,
    ) -> Result<Response<pb::NodeGetInfoResponse>, Status> {
        Ok(Response::new(convert::node_info(&self.0)))
    }

    async fn node_get_capabilities(
        &self,
        _: Request<pb::NodeGetCapabilitiesRequest>,
    ) -> Result<Response<pb::NodeGetCapabilitiesResponse>, Status> {
        Ok(Response::new(pb::NodeGetCapabilitiesResponse::default()))
    }
}
