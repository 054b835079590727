//! A kubelet that restarts: it forgets what it had in memory, and finds it all anew.

use std::os::unix::fs::symlink;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use csi_kubelet::{Fault, Kubelet, KubeletOptions};
use tokio::sync::oneshot;

use crate::support::{Node, Registrar, Reply, Told, answer, csi_plugin, within};

fn restarting(version: &str) -> impl FnOnce(&mut KubeletOptions) {
    let version = version.parse().unwrap();
    move |options| {
        options.version = version;
        options.faults = vec![Fault::RestartEvery(Duration::from_millis(60))];
    }
}

#[tokio::test]
async fn each_socket_is_found_anew_and_what_is_in_the_api_objects_stays() {
    let node = Node::new();
    let drivers = ["a.io", "b.io"].map(|name| node.driver(name));
    let mut options = node.options();
    restarting("1.36")(&mut options);
    let starts = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&starts);
    let (stop, stopping) = oneshot::channel::<()>();
    let kubelet = Kubelet::new(options).unwrap();
    let kubelet = tokio::spawn(kubelet.run(
        move |event, objects| {
            if event.what.name() == "started" {
                seen.lock().unwrap().push(objects.drivers.len());
            }
        },
        stopping,
    ));
    for driver in &drivers {
        driver.registrar.hears(&Told::Registered, 3).await;
    }
    drop(stop);
    let objects = within("the kubelet stops", kubelet).await.unwrap().unwrap();
    assert_eq!(objects.drivers.len(), 2);
    let starts = starts.lock().unwrap();
    assert!(starts.len() >= 3);
    assert_eq!(starts[0], 0);
    assert_eq!(starts.last(), Some(&2));
}

#[tokio::test]
async fn a_plugin_that_changed_meanwhile_meets_an_entry_that_is_immutable() {
    for (version, retry) in [
        ("1.35", "no_retry     disk.acme.io"),
        ("1.36", "next_retry   disk.acme.io"),
    ] {
        let node = Node::new();
        let driver = node.driver("disk.acme.io");
        let kubelet = node.kubelet_with(restarting(version));
        kubelet.says("registered").await;
        driver.plugin.says(Reply::Ok(answer("i-2", &[])));
        assert_eq!(
            kubelet.says("refused").await,
            "refused      disk.acme.io: RegisterPlugin error -- plugin registration failed with err: error updating CSINode object \
             with CSI driver node info: error updating CSINode: timed out waiting for the condition; caused by: \
             CSINode.storage.k8s.io \"node-1\" is invalid: spec.drivers[disk.acme.io]: field is immutable"
        );
        kubelet.says(retry).await;
        // The failure took the entry away, so whatever comes next succeeds: a retry, or another start.
        kubelet
            .says("csinode      disk.acme.io: an entry with node id i-2")
            .await;
        assert_eq!(kubelet.count("refused"), 1);
        let objects = kubelet.stop().await;
        assert_eq!(objects.drivers["disk.acme.io"].node_id, "i-2");
    }
}

#[tokio::test]
async fn the_number_of_volumes_may_change_since_1_35() {
    for (version, refusals) in [("1.34", 1), ("1.35", 0)] {
        let node = Node::new();
        let driver = node.driver("disk.acme.io");
        let volumes = |count| {
            let mut info = answer("i-1", &[]);
            info.max_volumes_per_node = count;
            Reply::Ok(info)
        };
        driver.plugin.says(volumes(1));
        let kubelet = node.kubelet_with(restarting(version));
        kubelet
            .says("csinode      disk.acme.io: an entry with node id i-1, at most 1 volumes")
            .await;
        driver.plugin.says(volumes(2));
        // Up to 1.34 the entry that is in the way goes with the refusal, and the next kubelet makes another.
        kubelet
            .says("csinode      disk.acme.io: an entry with node id i-1, at most 2 volumes")
            .await;
        assert_eq!(kubelet.count("refused"), refusals, "{version}");
        let objects = kubelet.stop().await;
        assert_eq!(objects.drivers["disk.acme.io"].allocatable, Some(2));
    }
}

#[tokio::test]
async fn what_was_being_done_is_given_up_and_begun_anew() {
    let node = Node::new();
    let driver = node.driver("disk.acme.io");
    driver.plugin.says(Reply::Never);
    let kubelet = node.kubelet_with(restarting("1.36"));
    driver.plugin.is_asked(3).await;
    driver.plugin.says(Reply::Ok(answer("i-1", &[])));
    kubelet.says("registered").await;
    assert_eq!(kubelet.count("refused"), 0);
}

#[tokio::test]
async fn a_link_that_was_taken_while_it_ran_is_not_seen_after_the_start_of_an_old_kubelet() {
    let node = Node::new();
    let plugin = node.plugin("disk.acme.io");
    let path = node.folder().join("reg.sock");
    let registrar = Registrar::start(&path, csi_plugin("disk.acme.io", plugin.path()));
    let kubelet = node.kubelet_with(|options| {
        restarting("1.24")(options);
        options.faults = vec![Fault::RestartEvery(Duration::from_millis(300))];
    });
    kubelet.says("started").await;
    symlink(&path, node.socket("link.sock")).unwrap();
    kubelet.says("registered").await;
    kubelet
        .says("ignored      link.sock: it is a symbolic link, which kubelets to 1.24 leave alone when they start")
        .await;
    assert_eq!(registrar.told(), [Told::GetInfo, Told::Registered]);
    // Nobody takes its entry away.
    assert_eq!(kubelet.drivers(), ["disk.acme.io"]);
}
