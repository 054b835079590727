//! How long a kubelet waits for whom. The time is moved on by hand, so nothing here takes as long.

use std::time::Duration;

use tokio::time::{advance, pause, resume};

use crate::support::{Manner, Node, RawServer, Registrar, Reply, Running, Told};

/// Lets so much time pass at once.
async fn pass(seconds: f64) {
    pause();
    advance(Duration::from_secs_f64(seconds)).await;
    resume();
}

/// Until a driver of its own is registered, whatever was due has been told.
async fn settle(node: &Node, kubelet: &Running, name: &str) {
    let _driver = node.driver(name);
    kubelet.says(&format!("registered   {name}")).await;
}

const DEADLINE: &str = "rpc error: code = DeadlineExceeded desc = context deadline exceeded";

#[tokio::test]
async fn a_dial_may_take_ten_seconds() {
    let node = Node::new();
    let _mute = RawServer::start(&node.socket("mute.sock"), Manner::Mute);
    let kubelet = node.kubelet();
    kubelet.says("discovered   mute.sock").await;
    settle(&node, &kubelet, "first.io").await;
    pass(8.0).await;
    settle(&node, &kubelet, "second.io").await;
    assert_eq!(kubelet.count("dial         mute.sock"), 0);
    pass(3.0).await;
    assert_eq!(
        kubelet.says("refused").await,
        "refused      mute.sock: RegisterPlugin error -- dial failed at socket ~/plugins_registry/mute.sock, err: failed to dial \
         socket ~/plugins_registry/mute.sock, err: context deadline exceeded - connected to ~/plugins_registry/mute.sock, but no \
         HTTP/2 SETTINGS came within 10s; its server hangs, or speaks another protocol"
    );
    kubelet.says("next_retry   mute.sock").await;
}

#[tokio::test]
async fn get_info_may_take_one_second() {
    let node = Node::new();
    let socket = node.socket("a.sock");
    let registrar = Registrar::start_with(&socket, Reply::Never, Reply::Ok(()));
    let kubelet = node.kubelet();
    registrar.hears(&Told::GetInfo, 1).await;
    pass(0.3).await;
    settle(&node, &kubelet, "first.io").await;
    assert_eq!(kubelet.count("GetInfo      a.sock"), 0);
    pass(0.8).await;
    assert_eq!(
        kubelet.says("refused").await,
        format!(
            "refused      a.sock: RegisterPlugin error -- failed to get plugin info using RPC GetInfo at socket \
             ~/plugins_registry/a.sock, err: {DEADLINE}"
        )
    );
    registrar.hears(&Told::GetInfo, 2).await;
}

#[tokio::test]
async fn node_get_info_may_take_two_minutes() {
    let node = Node::new();
    let driver = node.driver("disk.acme.io");
    driver.plugin.says(Reply::Never);
    let kubelet = node.kubelet_of("1.35");
    driver.plugin.is_asked(1).await;
    pass(110.0).await;
    settle(&node, &kubelet, "first.io").await;
    assert_eq!(kubelet.count("NodeGetInfo  disk.acme.io"), 0);
    pass(11.0).await;
    let message =
        format!("RegisterPlugin error -- plugin registration failed with err: {DEADLINE}");
    assert_eq!(
        kubelet.says("refused").await,
        format!("refused      disk.acme.io: {message}")
    );
    assert_eq!(
        driver.registrar.told(),
        [Told::GetInfo, Told::Refused(message)]
    );
}

#[tokio::test]
async fn notify_registration_status_may_take_five_seconds() {
    let node = Node::new();
    let driver = node.driver("disk.acme.io");
    driver
        .registrar
        .change(|script| script.notify = Reply::Never);
    let kubelet = node.kubelet();
    driver.registrar.hears(&Told::Registered, 1).await;
    pass(3.0).await;
    settle(&node, &kubelet, "first.io").await;
    assert_eq!(kubelet.count("notified     disk.acme.io"), 0);
    pass(3.0).await;
    assert_eq!(
        kubelet.says("refused").await,
        format!(
            "refused      disk.acme.io: RegisterPlugin error -- failed to send registration status at socket \
             ~/plugins_registry/disk.acme.io-reg.sock, err: : {DEADLINE}"
        )
    );
    driver.registrar.hears(&Told::Registered, 2).await;
}
