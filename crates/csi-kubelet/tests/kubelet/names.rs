//! Two plugins of one name, and plugins without a good one.

use crate::support::{Node, Registrar, Reply, Told, answer, csi_plugin};

/// The text that refuses a plugin because of another one of its name.
fn taken(name: &str, endpoint: &std::path::Path, version: &str) -> Told {
    Told::Refused(format!(
        "RegisterPlugin error -- plugin validation failed with err: validation failed for CSI Driver {name} at endpoint {}: \
         kubernetes.io/csi: ValidatePlugin for CSI driver {name:?} failed. Another driver with the same name is already registered \
         with a higher supported version: {version:?}",
        endpoint.display()
    ))
}

#[tokio::test]
async fn a_second_plugin_of_a_name_in_no_higher_version_waits_until_the_first_one_goes() {
    for (version, second_version) in [("1.35", "1.0.0"), ("1.36", "1.0.0"), ("1.36", "1.0")] {
        let node = Node::new();
        let first = node.driver("disk.acme.io");
        let kubelet = node.kubelet_of(version);
        kubelet.says("registered").await;
        let plugin = node.plugin("second");
        let mut info = csi_plugin("disk.acme.io", plugin.path());
        info.supported_versions = vec![second_version.to_owned()];
        let second = Registrar::start(&node.socket("second.sock"), info);
        second
            .hears(&taken("disk.acme.io", plugin.path(), "1.0.0"), 2)
            .await;
        assert_eq!(plugin.calls(), 0);
        assert_eq!(kubelet.drivers(), ["disk.acme.io"]);

        first.registrar.remove();
        second.hears(&Told::Registered, 1).await;
        assert_eq!(plugin.calls(), 1);
    }
}

#[tokio::test]
async fn the_end_of_a_second_plugin_that_was_refused_does_not_touch_the_first_one() {
    let node = Node::new();
    let first = node.driver("disk.acme.io");
    let kubelet = node.kubelet();
    kubelet.says("registered").await;
    let second = Registrar::start(
        &node.socket("second.sock"),
        csi_plugin("disk.acme.io", first.plugin.path()),
    );
    kubelet.says("refused").await;
    second.remove();
    kubelet.says("removed      second.sock").await;
    let _next = node.driver("next.io");
    kubelet.says("registered   next.io").await;
    assert_eq!(kubelet.count("deregistered"), 0);
    assert_eq!(kubelet.drivers(), ["disk.acme.io", "next.io"]);
}

#[tokio::test]
async fn a_higher_version_takes_a_name_over_and_loses_it_when_the_old_socket_goes() {
    let node = Node::new();
    let old = node.driver("disk.acme.io");
    let kubelet = node.kubelet();
    kubelet.says("registered").await;
    let plugin = node.plugin("new");
    let mut info = csi_plugin("disk.acme.io", plugin.path());
    info.supported_versions = vec!["1.1.0".to_owned()];
    let new = Registrar::start(&node.socket("new.sock"), info);
    new.hears(&Told::Registered, 1).await;
    assert_eq!(plugin.calls(), 1);

    // Drivers are kept by name, so the new one goes with the old one, and is not asked again.
    old.registrar.remove();
    kubelet.says("deregistered disk.acme.io").await;
    let _next = node.driver("next.io");
    kubelet.says("registered   next.io").await;
    assert_eq!(kubelet.drivers(), ["next.io"]);
    assert_eq!(new.told(), [Told::GetInfo, Told::Registered]);
}

#[tokio::test]
async fn a_higher_version_on_another_node_id_costs_both_of_them_the_name_for_a_moment() {
    let node = Node::new();
    let _old = node.driver("disk.acme.io");
    let kubelet = node.kubelet();
    kubelet.says("registered").await;
    let plugin = node.plugin("new");
    plugin.says(Reply::Ok(answer("i-2", &[])));
    let mut info = csi_plugin("disk.acme.io", plugin.path());
    info.supported_versions = vec!["1.1.0".to_owned()];
    let new = Registrar::start(&node.socket("new.sock"), info);
    new.hears(&Told::Registered, 1).await;
    assert_eq!(
        kubelet.says("refused").await,
        "refused      disk.acme.io: RegisterPlugin error -- plugin registration failed with err: error updating CSINode object with \
         CSI driver node info: error updating CSINode: timed out waiting for the condition; caused by: CSINode.storage.k8s.io \
         \"node-1\" is invalid: spec.drivers[disk.acme.io]: field is immutable"
    );
    assert_eq!(kubelet.objects().drivers["disk.acme.io"].node_id, "i-2");
}

#[tokio::test]
async fn a_plugin_without_a_name_is_refused_and_stands_in_its_own_way() {
    let empty = "RegisterPlugin error -- plugin registration failed with err: driver name is empty";
    let node = Node::new();
    let plugin = node.plugin("disk.acme.io");

    let kubelet = node.kubelet();
    let registrar = Registrar::start(&node.socket("a.sock"), csi_plugin("", plugin.path()));
    registrar.hears(&taken("", plugin.path(), "1.0.0"), 2).await;
    assert_eq!(registrar.told()[1], Told::Refused(empty.to_owned()));
    assert_eq!(
        kubelet.says("refused").await,
        format!("refused      a.sock: {empty}")
    );
    assert_eq!(registrar.count(&Told::Refused(empty.to_owned())), 1);
    kubelet.stop().await;
    registrar.remove();

    let kubelet = node.kubelet_of("1.35");
    let registrar = Registrar::start(&node.socket("a.sock"), csi_plugin("", plugin.path()));
    kubelet.says("no_retry     a.sock").await;
    let told = [Told::GetInfo, Told::Refused(empty.to_owned())];
    assert_eq!(registrar.told(), told);
    // Its end makes room for the next one.
    registrar.remove();
    kubelet.says("deregistered a.sock").await;
    let registrar = Registrar::start(&node.socket("a.sock"), csi_plugin("", plugin.path()));
    registrar.hears(&told[1], 1).await;
    assert_eq!(plugin.calls(), 0);
}

#[tokio::test]
async fn a_bad_name_is_found_bad_only_when_the_csinode_is_written() {
    let long = "a".repeat(64);
    for (name, reason) in [
        (
            "disk..io",
            "plugin name has an empty label at byte 5; remove the extra '.'",
        ),
        (&long, "plugin name is 64 bytes long, the limit is 63"),
    ] {
        let node = Node::new();
        let plugin = node.plugin("disk.acme.io");
        let kubelet = node.kubelet_of("1.35");
        let _registrar = Registrar::start(&node.socket("a.sock"), csi_plugin(name, plugin.path()));
        assert_eq!(
            kubelet.says("refused").await,
            format!(
                "refused      {name}: RegisterPlugin error -- plugin registration failed with err: error updating CSINode object with \
                 CSI driver node info: error updating CSINode: timed out waiting for the condition; caused by: \
                 CSINode.storage.k8s.io \"node-1\" is invalid: spec.drivers[{name}].name: {reason}"
            )
        );
        assert_eq!(plugin.calls(), 1);
        let objects = kubelet.stop().await;
        assert!(objects.drivers.is_empty() && objects.node_ids.is_empty());
    }
}
