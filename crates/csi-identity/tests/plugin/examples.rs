//! The examples, as the programs they are.

use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::Duration;

use csi_endpoint::{ConnectOptions, Endpoint};
use csi_identity::endpoint::Channel;
use csi_identity::proto::csi::v1::node_client::NodeClient;
use csi_identity::proto::csi::v1::{NodeGetInfoRequest, NodePublishVolumeRequest};
use csi_identity::{ObservedCapability, PluginClient};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::net::TcpSocket;
use tonic::Code;

struct Example {
    child: Child,
    endpoint: Endpoint,
    _folder: TempDir,
}

impl Example {
    fn start(name: &str) -> Self {
        Self::start_with(name, &[])
    }

    /// Starts it with arguments after the endpoint.
    fn start_with(name: &str, arguments: &[&str]) -> Self {
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
            .args(arguments)
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

#[tokio::test]
async fn with_checks_follows_what_it_stands_on() {
    let directory = tempfile::tempdir().unwrap();
    let backend = TcpSocket::new_v4().unwrap();
    backend.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = backend.local_addr().unwrap().to_string();
    let arguments = [&*address, directory.path().to_str().unwrap()];
    let example = Example::start_with("with_checks", &arguments);
    let client = PluginClient::new(example.channel().await);
    assert_eq!(client.probe().await.unwrap(), Some(false));
    let listener = backend.listen(16).unwrap();
    client.wait_until_ready(|_| {}).await.unwrap();
    drop(listener);
    until(async || matches!(client.probe().await, Ok(Some(false)))).await;
    let shown = directory.path().display().to_string();
    directory.close().unwrap();
    until(async || client.probe().await.is_err()).await;
    assert_eq!(
        client.probe().await.unwrap_err().to_string(),
        format!(
            "FAILED_PRECONDITION: NOT_READY: directory: nothing is at {shown}; \
             backend: cannot connect to {address}: Connection refused (os error 111)"
        )
    );
    example.stop().await;
}

/// Asks until it is so; a Probe is the only way to see it from outside.
async fn until(mut is_so: impl AsyncFnMut() -> bool) {
    let asked = async { while !is_so().await {} };
    tokio::time::timeout(Duration::from_secs(10), asked)
        .await
        .unwrap();
}
