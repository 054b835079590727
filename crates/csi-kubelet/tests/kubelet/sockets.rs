//! Sockets that go, come back and are replaced, also while a kubelet is at work on them.

use std::fs;
use std::sync::Arc;

use tokio::sync::Notify;
use tonic::Status;

use crate::support::{Node, Registrar, Reply, Told, answer, csi_plugin};

#[tokio::test]
async fn a_socket_that_goes_while_its_plugin_is_registered_takes_it_along_afterwards() {
    for version in ["1.20", "1.35", "1.36"] {
        let node = Node::new();
        let driver = node.driver("disk.acme.io");
        let gate = Arc::new(Notify::new());
        let held = Reply::Held(Arc::clone(&gate), answer("i-1", &[]));
        driver.plugin.says(held);
        let kubelet = node.kubelet_of(version);
        driver.plugin.is_asked(1).await;
        // The file goes; whoever listened to it still does.
        fs::remove_file(driver.registrar.path()).unwrap();
        kubelet.says("removed").await;
        gate.notify_one();
        kubelet.says("deregistered").await;
        let lines = kubelet.lines();
        let last: Vec<_> = lines[lines.len() - 7..]
            .iter()
            .map(|line| line.split(' ').next().unwrap())
            .collect();
        let expected = [
            "removed",
            "NodeGetInfo",
            "node",
            "csinode",
            "notified",
            "registered",
            "deregistered",
        ];
        assert_eq!(last, expected);
        assert_eq!(driver.registrar.told(), [Told::GetInfo, Told::Registered]);
        assert!(kubelet.stop().await.drivers.is_empty());
    }
}

#[tokio::test]
async fn a_socket_that_is_replaced_while_its_plugin_is_registered_is_registered_anew_afterwards() {
    let node = Node::new();
    let driver = node.driver("disk.acme.io");
    let gate = Arc::new(Notify::new());
    let held = Reply::Held(Arc::clone(&gate), answer("i-1", &[]));
    driver.plugin.says(held);
    let kubelet = node.kubelet();
    driver.plugin.is_asked(1).await;
    fs::remove_file(driver.registrar.path()).unwrap();
    let info = csi_plugin("disk.acme.io", driver.plugin.path());
    let second = Registrar::start(driver.registrar.path(), info);
    kubelet.says_times("discovered", 2).await;
    assert_eq!(second.told(), []);
    driver.plugin.says(Reply::Ok(answer("i-1", &[])));
    gate.notify_one();
    kubelet.says_times("registered", 2).await;
    assert_eq!(second.told(), [Told::GetInfo, Told::Registered]);
    let names = ["discovered", "registered", "deregistered", "registered"];
    let mut lines = kubelet.lines();
    lines.retain(|line| names.contains(&line.split(' ').next().unwrap()));
    let seen: Vec<_> = lines[1..]
        .iter()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(seen, names);
}

#[tokio::test]
async fn a_socket_that_goes_before_the_end_of_get_info_ends_the_tries() {
    let node = Node::new();
    let registrar = Registrar::start_with(
        &node.socket("a.sock"),
        Reply::Error(Status::unavailable("not yet")),
        Reply::Ok(()),
    );
    let other = Registrar::start_with(
        &node.socket("other.sock"),
        Reply::Error(Status::unavailable("not yet")),
        Reply::Ok(()),
    );
    let kubelet = node.kubelet();
    registrar.hears(&Told::GetInfo, 2).await;
    fs::remove_file(registrar.path()).unwrap();
    kubelet.says("removed      a.sock").await;
    // One may have begun before that.
    other.hears(&Told::GetInfo, other.told().len() + 1).await;
    let asked = registrar.told().len();
    other.hears(&Told::GetInfo, other.told().len() + 4).await;
    assert_eq!(registrar.told().len(), asked);
    assert_eq!(kubelet.count("deregistered"), 0);
}

#[tokio::test]
async fn a_socket_in_place_of_another_is_registered_anew_whether_that_was_removed_or_moved_over() {
    for version in ["1.31", "1.32"] {
        let node = Node::new();
        let driver = node.driver("disk.acme.io");
        let kubelet = node.kubelet_of(version);
        kubelet.says("registered").await;
        let path = driver.registrar.path().to_owned();
        let info = || csi_plugin("disk.acme.io", driver.plugin.path());

        fs::remove_file(&path).unwrap();
        let second = Registrar::start(&path, info());
        second.hears(&Told::Registered, 1).await;
        kubelet.says_times("deregistered", 1).await;

        let hidden = node.socket(".third");
        let third = Registrar::start(&hidden, info());
        fs::rename(&hidden, &path).unwrap();
        third.hears(&Told::Registered, 1).await;
        assert_eq!(kubelet.count("removed"), 1);
        assert_eq!(kubelet.count("deregistered"), 2);
        kubelet.says_times("registered", 3).await;
        assert_eq!(driver.plugin.calls(), 3);
        assert_eq!(driver.registrar.told(), [Told::GetInfo, Told::Registered]);
    }
}

#[tokio::test]
async fn a_registrar_that_dies_and_leaves_its_socket_stays_registered() {
    let node = Node::new();
    let driver = node.driver("disk.acme.io");
    let kubelet = node.kubelet();
    kubelet.says("registered").await;
    driver.registrar.kill().await;
    drop(driver.plugin);
    let _next = node.driver("next.io");
    kubelet.says("registered   next.io").await;
    assert_eq!(kubelet.drivers(), ["disk.acme.io", "next.io"]);
}

#[tokio::test]
async fn an_old_registrar_that_goes_late_takes_the_socket_of_the_new_one_along() {
    let node = Node::new();
    let driver = node.driver("disk.acme.io");
    let kubelet = node.kubelet();
    kubelet.says("registered").await;
    let old = driver.registrar;
    fs::remove_file(old.path()).unwrap();
    let new = Registrar::start(old.path(), csi_plugin("disk.acme.io", driver.plugin.path()));
    new.hears(&Told::Registered, 1).await;
    kubelet.says_times("registered", 2).await;
    // As one does that removes the path it once bound, whatever is there by now.
    old.remove();
    kubelet.says_times("deregistered", 2).await;
    assert!(kubelet.drivers().is_empty());
}
