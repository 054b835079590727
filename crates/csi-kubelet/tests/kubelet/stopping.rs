//! How a kubelet ends.

use std::time::{Duration, Instant};

use crate::support::{Manner, Node, RawServer, Reply, Told};

#[tokio::test]
async fn it_ends_at_once_whatever_it_is_waiting_for() {
    let node = Node::new();
    let _mute = RawServer::start(&node.socket("mute.sock"), Manner::Mute);
    let [asked, told, registered] =
        ["asked.io", "told.io", "registered.io"].map(|name| node.driver(name));
    asked.plugin.says(Reply::Never);
    told.registrar.change(|script| script.notify = Reply::Never);
    let kubelet = node.kubelet();
    asked.plugin.is_asked(1).await;
    told.registrar.hears(&Told::Registered, 1).await;
    kubelet.says("registered   registered.io").await;
    let begun = Instant::now();
    let objects = kubelet.stop().await;
    // Less than any of the limits of what was going on: 10 s, 5 s and 120 s.
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(4), "{took:?}");
    // The one that could not be told in time has been written.
    let drivers: Vec<_> = objects.drivers.into_keys().collect();
    assert_eq!(drivers, ["registered.io", "told.io"]);
    assert_eq!(
        registered.registrar.told(),
        [Told::GetInfo, Told::Registered]
    );
}

#[tokio::test]
async fn what_is_registered_stays_so_in_the_api_objects() {
    let node = Node::new();
    let driver = node.driver("disk.acme.io");
    let kubelet = node.kubelet();
    kubelet.says("registered").await;
    let objects = kubelet.stop().await;
    assert_eq!(objects.drivers["disk.acme.io"].node_id, "i-1");
    assert_eq!(driver.registrar.told(), [Told::GetInfo, Told::Registered]);
}
