//! Each fault does what it says.

use std::time::Duration;

use tonic::Status;

use crate::support::{Node, Registrar, Reply, Told, answer, csi_plugin};

fn failed(reason: &str) -> String {
    format!("RegisterPlugin error -- plugin registration failed with err: {reason}")
}

#[tokio::test]
async fn refuse_refuses_every_plugin_after_node_get_info_and_with_that_text() {
    for (version, retry) in [
        ("1.35", "no_retry     disk.acme.io"),
        ("1.36", "next_retry   disk.acme.io"),
    ] {
        let node = Node::new();
        let driver = node.driver("disk.acme.io");
        let kubelet = node.kubelet_with_fault(version, "refuse=no room=here");
        kubelet.says(retry).await;
        let refused = Told::Refused(failed("no room=here"));
        assert_eq!(driver.registrar.told()[..2], [Told::GetInfo, refused]);
        assert!(driver.plugin.calls() > 0);
        assert_eq!(
            kubelet.says("refused").await,
            format!("refused      disk.acme.io: {}", failed("no room=here"))
        );
        let objects = kubelet.stop().await;
        assert!(objects.drivers.is_empty() && objects.node_ids.is_empty());
    }
}

#[tokio::test]
async fn refuse_first_refuses_each_driver_so_often_and_then_judges_fairly() {
    let node = Node::new();
    let drivers = ["a.io", "b.io"].map(|name| node.driver(name));
    let kubelet = node.kubelet_with_fault("1.36", "refuse-first=2");
    for (driver, name) in drivers.iter().zip(["a.io", "b.io"]) {
        kubelet.says(&format!("registered   {name}")).await;
        let told = driver.registrar.told();
        let [first, second] = [1, 2].map(|n| {
            let reason = format!("refusal {n} of 2 that were asked for");
            Told::Refused(failed(&reason))
        });
        let info = Told::GetInfo;
        let expected = [
            info.clone(),
            first,
            info.clone(),
            second,
            info,
            Told::Registered,
        ];
        assert_eq!(told, expected);
    }
    // A kubelet to 1.35 comes again only to another socket, and still counts.
    let node = Node::new();
    let driver = node.driver("a.io");
    let kubelet = node.kubelet_with_fault("1.35", "refuse-first=1");
    kubelet.says("no_retry").await;
    driver.registrar.remove();
    kubelet.says("deregistered").await;
    let info = csi_plugin("a.io", driver.plugin.path());
    let again = Registrar::start(&node.socket("a.sock"), info);
    again.hears(&Told::Registered, 1).await;
}

#[tokio::test]
async fn never_notify_keeps_every_verdict_to_itself() {
    for version in ["1.35", "1.36"] {
        let node = Node::new();
        let good = node.driver("good.io");
        let bad = node.driver("bad.io");
        bad.plugin.says(Reply::Ok(answer("", &[])));
        let other = node.driver("other.io");
        other.registrar.says(|info| info.supported_versions.clear());
        let kubelet = node.kubelet_with_fault(version, "never-notify");
        kubelet.says("registered   good.io").await;
        kubelet.says("refused      bad.io").await;
        kubelet.says("next_retry   other.io").await;
        for driver in [&good, &bad, &other] {
            let told = driver.registrar.told();
            assert!(told.iter().all(|told| *told == Told::GetInfo), "{told:?}");
        }
        assert_eq!(kubelet.count("notified"), 0);
        assert_eq!(kubelet.drivers(), ["good.io"]);
    }
}

#[tokio::test]
async fn deaf_after_failure_leaves_a_socket_alone_until_another_takes_its_place() {
    let node = Node::new();
    let plugin = node.plugin("disk.acme.io");
    let info = csi_plugin("disk.acme.io", plugin.path());
    let not_yet = || Reply::Error(Status::unavailable("not yet"));
    let kubelet = node.kubelet_with_fault("1.36", "deaf-after-failure");
    // Neither what every version tries again, nor what only the newest does.
    let asked = Registrar::start_with(&node.socket("a.sock"), not_yet(), Reply::Ok(()));
    kubelet.says("no_retry     a.sock").await;
    plugin.says(Reply::Error(Status::unavailable("not yet")));
    let refused = Registrar::start(&node.socket("b.sock"), info.clone());
    kubelet.says("no_retry     disk.acme.io").await;

    plugin.says(Reply::Ok(answer("i-1", &[])));
    let _good = node.driver("good.io");
    kubelet.says("registered   good.io").await;
    assert_eq!(asked.told(), [Told::GetInfo]);
    assert_eq!(refused.told().len(), 2);
    assert_eq!(kubelet.count("next_retry"), 0);
    refused.remove();
    let again = Registrar::start(&node.socket("b.sock"), info);
    again.hears(&Told::Registered, 1).await;
    assert_eq!(asked.told(), [Told::GetInfo]);
}

#[tokio::test]
async fn slow_getinfo_waits_between_the_dial_and_get_info() {
    let node = Node::new();
    let driver = node.driver("disk.acme.io");
    let kubelet = node.kubelet_with_fault("1.36", "slow-getinfo=120ms");
    kubelet.says("registered").await;
    let dial = kubelet.event("dial");
    let get_info = kubelet.event("GetInfo");
    let between = get_info.time.duration_since(dial.time).unwrap();
    assert!(between >= Duration::from_millis(120), "{between:?}");
    // The pause is no part of the call.
    assert!(get_info.took.unwrap() < Duration::from_secs(1));
    assert_eq!(driver.registrar.told(), [Told::GetInfo, Told::Registered]);
}

#[tokio::test]
async fn drop_connection_loses_the_connection_before_the_verdict() {
    let lost = "rpc error: code = Unavailable desc = error reading from server: EOF";
    for (version, stays) in [("1.35", true), ("1.36", false)] {
        let node = Node::new();
        let driver = node.driver("disk.acme.io");
        let kubelet = node.kubelet_with_fault(version, "drop-connection");
        assert_eq!(
            kubelet.says("notified").await,
            format!(
                "notified     disk.acme.io UNAVAILABLE: {lost} - the connection was dropped, as asked for"
            )
        );
        if stays {
            kubelet.says("no_retry").await;
            assert_eq!(driver.registrar.told(), [Told::GetInfo]);
            assert_eq!(kubelet.drivers(), ["disk.acme.io"]);
        } else {
            driver.registrar.hears(&Told::GetInfo, 3).await;
            kubelet.says_times("deregistered", 2).await;
            assert_eq!(kubelet.count("registered"), 0);
        }
        // Nobody was told, and NodeGetInfo was called.
        let told = driver.registrar.told();
        assert!(told.iter().all(|told| *told == Told::GetInfo), "{told:?}");
        assert!(driver.plugin.calls() > 0);
    }
}
