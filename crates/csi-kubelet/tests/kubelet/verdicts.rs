//! Whether the registrar can be told, and whether a kubelet tries again.

use tonic::Status;

use crate::support::{Node, Registrar, Reply, Told, answer, csi_plugin};

const NOT_YET: &str = "RegisterPlugin error -- plugin registration failed with err: rpc error: code = Unavailable desc = not yet";

#[tokio::test]
async fn a_plugin_that_was_refused_is_tried_again_since_1_36() {
    for (version, tries_again) in [("1.20", false), ("1.35", false), ("1.36", true)] {
        let node = Node::new();
        let driver = node.driver("disk.acme.io");
        let plugin = &driver.plugin;
        plugin.says(Reply::Error(Status::unavailable("not yet")));
        // Something that every version tries again.
        let other = Registrar::start_with(
            &node.socket("other.sock"),
            Reply::Error(Status::unavailable("not yet")),
            Reply::Ok(()),
        );
        let kubelet = node.kubelet_of(version);
        let refused = Told::Refused(NOT_YET.to_owned());
        if tries_again {
            driver.registrar.hears(&refused, 3).await;
            for pause in ["500ms", "1s", "2s"] {
                let retry = format!("next_retry   disk.acme.io: in {pause} at the earliest");
                kubelet.says(&retry).await;
            }
            plugin.says(Reply::Ok(answer("i-1", &[])));
            kubelet.says("registered").await;
            assert_eq!(driver.registrar.told().last(), Some(&Told::Registered));
        } else {
            kubelet
                .says("no_retry     disk.acme.io: not before another socket takes its place")
                .await;
            plugin.says(Reply::Ok(answer("i-1", &[])));
            other.hears(&Told::GetInfo, 8).await;
            assert_eq!(driver.registrar.told(), [Told::GetInfo, refused]);
            // Until another socket takes its place.
            let path = plugin.path().to_owned();
            driver.registrar.remove();
            kubelet.says("deregistered disk.acme.io").await;
            let again = node.socket("disk.acme.io-reg.sock");
            let again = Registrar::start(&again, csi_plugin("disk.acme.io", &path));
            again.hears(&Told::Registered, 1).await;
        }
    }
}

#[tokio::test]
async fn a_pause_doubles_with_each_failure_and_begins_anew_after_a_success() {
    let node = Node::new();
    let driver = node.driver("disk.acme.io");
    let not_yet = Reply::Error(Status::unavailable("not yet"));
    driver.plugin.says(not_yet.clone());
    let kubelet = node.kubelet();
    for pause in [
        "500ms", "1s", "2s", "4s", "8s", "16s", "32s", "1m 4s", "2m 2s",
    ] {
        kubelet
            .says(&format!(
                "next_retry   disk.acme.io: in {pause} at the earliest"
            ))
            .await;
    }
    let longest = "next_retry   disk.acme.io: in 2m 2s at the earliest";
    kubelet.says_times(longest, 2).await;
    driver.plugin.says(Reply::Ok(answer("i-1", &[])));
    kubelet.says("registered").await;
    driver.registrar.remove();
    kubelet.says("deregistered").await;

    driver.plugin.says(not_yet);
    let info = csi_plugin("disk.acme.io", driver.plugin.path());
    let _again = Registrar::start(&node.socket("disk.acme.io-reg.sock"), info);
    let first = "next_retry   disk.acme.io: in 500ms at the earliest";
    kubelet.says_times(first, 2).await;
}

#[tokio::test]
async fn a_plugin_whose_registrar_cannot_be_told_is_registered_to_1_35_and_not_since() {
    let status = "rpc error: code = ResourceExhausted desc = no memory";
    let message = format!(
        "refused      disk.acme.io: RegisterPlugin error -- failed to send registration status at socket \
         ~/plugins_registry/disk.acme.io-reg.sock, err: : {status}"
    );
    for (version, stays) in [("1.20", true), ("1.35", true), ("1.36", false)] {
        let node = Node::new();
        let driver = node.driver("disk.acme.io");
        let registrar = &driver.registrar;
        registrar.change(|script| {
            script.notify = Reply::Error(Status::resource_exhausted("no memory"));
        });
        let kubelet = node.kubelet_of(version);
        kubelet
            .says(&format!(
                "notified     disk.acme.io RESOURCE_EXHAUSTED: {status}"
            ))
            .await;
        let refused = kubelet.says("refused").await;
        if stays {
            let cause = "the plugin stays registered, though its registrar may not know";
            assert_eq!(refused, format!("{message} - {cause}"));
            kubelet.says("no_retry").await;
            assert_eq!(kubelet.count("registered"), 1);
            assert_eq!(kubelet.drivers(), ["disk.acme.io"]);
            driver.registrar.remove();
            kubelet.says("deregistered").await;
        } else {
            assert_eq!(refused, message);
            kubelet.says("next_retry   disk.acme.io: in 500ms").await;
            kubelet.says("deregistered").await;
            assert_eq!(kubelet.count("registered"), 0);
            registrar.hears(&Told::Registered, 2).await;
            registrar.change(|script| script.notify = Reply::Ok(()));
            kubelet.says("registered").await;
            assert_eq!(kubelet.drivers(), ["disk.acme.io"]);
        }
    }
}

#[tokio::test]
async fn a_refusal_that_cannot_be_told_is_logged_with_the_reason_of_that() {
    let status = "rpc error: code = Unknown desc = no";
    let node = Node::new();
    let driver = node.driver("disk.acme.io");
    let registrar = &driver.registrar;
    registrar.change(|script| script.notify = Reply::Error(Status::unknown("no")));
    driver
        .plugin
        .says(Reply::Error(Status::unavailable("not yet")));
    let kubelet = node.kubelet();
    assert_eq!(
        kubelet.says("refused").await,
        format!("refused      disk.acme.io: {NOT_YET}: {status}")
    );
    registrar.says(|info| info.r#type = "Other".to_owned());
    let logged = "RegisterPlugin error -- no handler registered for plugin type: Other at socket \
                  ~/plugins_registry/disk.acme.io-reg.sock";
    kubelet
        .says(&format!(
            "refused      disk.acme.io: RegisterPlugin error -- failed to send error at socket \
             ~/plugins_registry/disk.acme.io-reg.sock, err: {logged}: {status} - the type of a CSI plugin is CSIPlugin"
        ))
        .await;
}
