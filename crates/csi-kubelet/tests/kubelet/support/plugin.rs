//! A plugin as far as a kubelet asks it while registering, on a real socket.

use std::path::{Path, PathBuf};

use csi_identity::proto::csi::v1 as pb;
use csi_identity::proto::csi::v1::node_server::{Node, NodeServer};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use super::{Reply, served, within};

#[derive(Clone, Debug)]
struct Script {
    node_info: Reply<pb::NodeGetInfoResponse>,
    calls: usize,
}

/// One that runs; it dies when dropped, and its socket file stays.
#[derive(Debug)]
pub(crate) struct Plugin {
    path: PathBuf,
    script: watch::Sender<Script>,
    server: JoinHandle<()>,
}

/// What a plugin says of its node.
pub(crate) fn answer(node_id: &str, topology: &[(&str, &str)]) -> pb::NodeGetInfoResponse {
    let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let segments = topology.iter().map(pair).collect();
    pb::NodeGetInfoResponse {
        node_id: node_id.to_owned(),
        max_volumes_per_node: 0,
        accessible_topology: Some(pb::Topology { segments }),
    }
}

impl Plugin {
    pub(crate) fn start(path: &Path, node_info: Reply<pb::NodeGetInfoResponse>) -> Self {
        let calls = 0;
        let script = watch::Sender::new(Script { node_info, calls });
        let routes = Routes::new(NodeServer::new(Scripted(script.clone())));
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

    pub(crate) fn says(&self, node_info: Reply<pb::NodeGetInfoResponse>) {
        self.script
            .send_modify(|script| script.node_info = node_info);
    }

    pub(crate) fn calls(&self) -> usize {
        self.script.borrow().calls
    }

    /// Waits until NodeGetInfo was called so often.
    pub(crate) async fn is_asked(&self, times: usize) {
        let mut script = self.script.subscribe();
        let asked = script.wait_for(|script| script.calls >= times);
        within("NodeGetInfo is called", asked).await.unwrap();
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        self.server.abort();
    }
}

struct Scripted(watch::Sender<Script>);

#[tonic::async_trait]
impl Node for Scripted {
    async fn node_get_info(
        &self,
        _: Request<pb::NodeGetInfoRequest>,
    ) -> Result<Response<pb::NodeGetInfoResponse>, Status> {
        self.0.send_modify(|script| script.calls += 1);
        let node_info = self.0.borrow().node_info.clone();
        node_info.give().await
    }
}
