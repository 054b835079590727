//! The examples, as the programs they are.

use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::Duration;

use csi_endpoint::{ConnectOptions, Endpoint};
use csi_identity::proto::csi::v1::node_client::NodeClient;
use csi_identity::proto::csi::v1::{NodeGetInfoRequest, NodePublishVolumeRequest};
use csi_identity::{ObservedCapability, PluginClient};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tonic::Code;
use tonic::transport::Channel;

struct Example {
    child: Child,
    endpoint: Endpoint,
    _folder: TempDir,
}

impl Example {
    fn start(name: &str) -> Self {
        // target/<profile>/deps/<this test> -> target/<profile>/examples/<name>
        let program: PathBuf = std::env::current_exe()
            .unwrap()
            .ancestors()
            .nth(2)
            .unwrap()
            .join("examples")
            .join(name);
        let folder = tempfile::tempdir().unwrap();
        let endpoint = Endpoint::from_path(folder.path().join("csi.sock")).unwrap();
        let child = Command::new(&program)
            .arg(endpoint.to_string())
            .spawn()
            .unwrap_or_else(|error| {
                panic!(
                    "{}: {error}; `cargo test` builds it, `cargo test --test` does not",
                    program.display()
                )
            });
        Self {
            child,
            endpoint,
            _folder: folder,
        }
    }

    async fn channel(&self) -> Channel {
        let options = ConnectOptions {
            wait: Duration::from_secs(10),
            ..ConnectOptions::default()
        };
        csi_endpoint::connect(&self.endpoint, &options)
            .await
            .unwrap()
    }

    async fn stop(mut self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        // Not on this thread: the clients have to see the connection end.
        let waiting = tokio::task::spawn_blocking(move || (self.child.wait().unwrap(), self));
        let (status, example) = waiting.await.unwrap();
        assert!(status.success());
        assert!(!example.endpoint.path().exists());
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        // Has ended already where the test went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn minimal_is_a_plugin_that_a_kubelet_registers() {
    let example = Example::start("minimal");
    let client = PluginClient::new(example.channel().await);
    assert_eq!(client.plugin_info().await.unwrap().name, "disk.acme.io");
    assert_eq!(client.plugin_capabilities().await.unwrap(), []);
    client.wait_until_ready(|_| {}).await.unwrap();
    let mut node = NodeClient::new(example.channel().await);
    let info = node
        .node_get_info(NodeGetInfoRequest {})
        .await
        .unwrap()
        .into_inner();
    assert_eq!(info.node_id, "node-1");
    example.stop().await;
}

#[tokio::test]
async fn with_controller_and_node_reports_what_it_serves() {
    let example = Example::start("with_controller_and_node");
    let client = PluginClient::new(example.channel().await);
    assert_eq!(
        client.plugin_capabilities().await.unwrap(),
        [
            ObservedCapability::Service(1),
            ObservedCapability::Service(2),
            ObservedCapability::VolumeExpansion(1)
        ]
    );
    client.wait_until_ready(|_| {}).await.unwrap();
    let mut node = NodeClient::new(example.channel().await);
    let info = node
        .node_get_info(NodeGetInfoRequest {})
        .await
        .unwrap()
        .into_inner();
    let segments = info.accessible_topology.unwrap().segments;
    assert_eq!(
        segments,
        [("topology.disk.acme.io/rack".to_owned(), "r1".to_owned())].into()
    );
    let status = node
        .node_publish_volume(NodePublishVolumeRequest::default())
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    example.stop().await;
}
