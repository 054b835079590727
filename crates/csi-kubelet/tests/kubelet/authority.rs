//! What a server sees as `:authority`, before anybody repairs it.

use std::os::unix::fs::symlink;

use csi_kubelet::KubeletVersion;

use crate::support::{Manner, Node, RawServer, Registrar, csi_plugin};

const PROTOCOL_ERROR: u32 = 1;

/// Of the registration socket and of the CSI socket.
async fn seen_by(version: KubeletVersion) -> [String; 2] {
    let node = Node::new();
    let folder = node.folder().to_str().unwrap();
    let endpoint = node.folder().join("csi socket.sock");
    let registration = RawServer::start(&node.socket("a.sock"), Manner::Resets(PROTOCOL_ERROR));
    let plugin = RawServer::start(&endpoint, Manner::Resets(PROTOCOL_ERROR));
    let _registrar = Registrar::start(
        &node.socket("b.sock"),
        csi_plugin("disk.acme.io", &endpoint),
    );
    let kubelet = node.kubelet_with(|options| options.version = version);
    kubelet.says("refused      a.sock").await;
    kubelet.says("refused      disk.acme.io").await;
    [&registration, &plugin].map(|server| {
        let seen = server.authorities().swap_remove(0);
        seen.replace(folder, "~")
            .replace(&folder.replace('/', "%2F"), "~")
    })
}

#[tokio::test]
async fn each_version_sends_the_authority_that_it_sends() {
    for version in KubeletVersion::all() {
        let minor: u8 = version.to_string()[2..].parse().unwrap();
        let registration = match minor {
            ..29 => "~/plugins_registry/a.sock",
            29.. => "~%2Fplugins_registry%2Fa.sock",
        };
        let csi = match minor {
            ..26 => "~/csi socket.sock",
            26.. => "localhost",
        };
        assert_eq!(seen_by(version).await, [registration, csi], "{version}");
    }
}

#[tokio::test]
async fn the_authority_is_the_path_that_was_found_and_not_where_a_link_leads() {
    let node = Node::new();
    let elsewhere = node.folder().join("elsewhere.sock");
    let server = RawServer::start(&elsewhere, Manner::Resets(PROTOCOL_ERROR));
    symlink(&elsewhere, node.socket("link.sock")).unwrap();
    let kubelet = node.kubelet_of("1.28");
    kubelet.says("refused").await;
    let link = node.socket("link.sock");
    assert_eq!(server.authorities()[0], link.to_str().unwrap());
}
