//! Which sockets are found, when, and which are not.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::{Node, Registrar, Told, csi_plugin};

#[tokio::test]
async fn sockets_are_found_at_the_start_and_later_one_by_one_and_many_at_once() {
    let node = Node::new();
    let _first = node.driver("first.io");
    let kubelet = node.kubelet();
    kubelet.says("registered   first.io").await;
    let _second = node.driver("second.io");
    kubelet.says("registered   second.io").await;

    let many: Vec<_> = (0..20).map(|n| node.driver(&format!("d{n}.io"))).collect();
    kubelet.says_times("registered", 22).await;
    for driver in &many {
        assert_eq!(driver.registrar.told(), [Told::GetInfo, Told::Registered]);
    }
    assert_eq!(kubelet.count("discovered"), 22);
    assert_eq!(kubelet.count("refused"), 0);
    assert_eq!(kubelet.stop().await.drivers.len(), 22);
}

#[tokio::test]
async fn sockets_in_subdirectories_are_found_be_these_old_new_or_moved_in() {
    let node = Node::new();
    let plugins = ["a.io", "b.io", "c.io"].map(|name| node.plugin(name));
    fs::create_dir_all(node.socket("old/deep")).unwrap();
    let _old = Registrar::start(
        &node.socket("old/deep/a.sock"),
        csi_plugin("a.io", plugins[0].path()),
    );
    let kubelet = node.kubelet();
    kubelet.says("registered   a.io").await;

    fs::create_dir(node.socket("new")).unwrap();
    let new = Registrar::start(
        &node.socket("new/b.sock"),
        csi_plugin("b.io", plugins[1].path()),
    );
    kubelet.says("registered   b.io").await;

    fs::create_dir_all(node.folder().join("elsewhere/deep")).unwrap();
    let _moved = Registrar::start(
        &node.folder().join("elsewhere/deep/c.sock"),
        csi_plugin("c.io", plugins[2].path()),
    );
    fs::rename(node.folder().join("elsewhere"), node.socket("moved")).unwrap();
    kubelet.says("registered   c.io").await;

    // A directory that goes takes its sockets with it.
    fs::remove_dir_all(node.socket("new")).unwrap();
    kubelet.says("deregistered b.io").await;
    drop(new);
    assert_eq!(kubelet.drivers(), ["a.io", "c.io"]);
}

#[tokio::test]
async fn a_socket_that_is_moved_in_is_found_once_and_one_that_is_moved_out_stays_registered() {
    let node = Node::new();
    let plugin = node.plugin("disk.acme.io");
    let kubelet = node.kubelet();
    // As registrars do that show a socket only when it answers.
    let hidden = node.socket(".disk");
    let shown = node.socket("disk.sock");
    let registrar = Registrar::start(&hidden, csi_plugin("disk.acme.io", plugin.path()));
    fs::rename(&hidden, &shown).unwrap();
    kubelet.says("registered").await;
    assert_eq!(
        kubelet.lines()[1..3],
        [
            "ignored      .disk: its name begins with a dot",
            "discovered   disk.sock: a socket"
        ]
    );

    fs::rename(&shown, node.folder().join("disk.sock")).unwrap();
    let _next = node.driver("next.io");
    kubelet.says("registered   next.io").await;
    assert_eq!(kubelet.count("removed"), 0);
    assert_eq!(registrar.told(), [Told::GetInfo, Told::Registered]);
    assert_eq!(kubelet.stop().await.drivers.len(), 2);
}

#[tokio::test]
async fn what_is_in_a_directory_that_was_moved_out_is_not_watched_any_more() {
    let node = Node::new();
    let plugin = node.plugin("disk.acme.io");
    fs::create_dir(node.socket("sub")).unwrap();
    let registrar = Registrar::start(
        &node.socket("sub/disk.sock"),
        csi_plugin("disk.acme.io", plugin.path()),
    );
    let kubelet = node.kubelet();
    kubelet.says("registered").await;

    let elsewhere = node.folder().join("elsewhere");
    fs::rename(node.socket("sub"), &elsewhere).unwrap();
    fs::remove_file(elsewhere.join("disk.sock")).unwrap();
    drop(registrar);
    let _next = node.driver("next.io");
    kubelet.says("registered   next.io").await;
    assert_eq!(kubelet.count("removed"), 0);
    assert_eq!(kubelet.drivers(), ["disk.acme.io", "next.io"]);
}

#[tokio::test]
async fn a_directory_that_is_moved_about_is_watched_by_its_new_name() {
    let node = Node::new();
    let plugin = node.plugin("disk.acme.io");
    fs::create_dir(node.socket("old")).unwrap();
    let kubelet = node.kubelet();
    fs::rename(node.socket("old"), node.socket("new")).unwrap();
    let registrar = Registrar::start(
        &node.socket("new/disk.sock"),
        csi_plugin("disk.acme.io", plugin.path()),
    );
    kubelet.says("registered").await;
    assert_eq!(
        kubelet.event("registered").socket.as_deref(),
        Some(registrar.path())
    );
    registrar.remove();
    kubelet.says("deregistered").await;
}

#[tokio::test]
async fn hidden_names_are_left_alone_but_hidden_directories_are_looked_into_at_the_start() {
    let node = Node::new();
    let [a, b, c, d] = ["a.io", "b.io", "c.io", "d.io"].map(|name| node.plugin(name));
    fs::create_dir(node.socket(".old")).unwrap();
    let _inside = Registrar::start(&node.socket(".old/a.sock"), csi_plugin("a.io", a.path()));
    let _hidden = Registrar::start(&node.socket(".b.sock"), csi_plugin("b.io", b.path()));
    let kubelet = node.kubelet();
    kubelet.says("registered   a.io").await;

    let _later = Registrar::start(&node.socket(".c.sock"), csi_plugin("c.io", c.path()));
    kubelet.says("ignored      .c.sock").await;
    fs::create_dir(node.socket(".new")).unwrap();
    kubelet.says("ignored      .new").await;
    let _unseen = Registrar::start(&node.socket(".new/d.sock"), csi_plugin("d.io", d.path()));
    let _last = node.driver("last.io");
    kubelet.says("registered   last.io").await;
    assert_eq!(kubelet.drivers(), ["a.io", "last.io"]);
    let mut ignored = kubelet.lines();
    ignored.retain(|line| line.starts_with("ignored"));
    let reason = "its name begins with a dot";
    assert_eq!(
        ignored,
        [
            format!("ignored      .b.sock: {reason}"),
            format!("ignored      .c.sock: {reason}"),
            format!("ignored      .new: {reason}"),
        ]
    );
}

#[tokio::test]
async fn a_link_to_a_socket_counts_since_1_25_at_the_start_and_ever_since_later() {
    for (version, at_the_start) in [("1.24", false), ("1.25", true)] {
        let node = Node::new();
        let [old, new] = ["old.io", "new.io"].map(|name| {
            let plugin = node.plugin(name);
            let path = node.folder().join(format!("{name}-reg.sock"));
            let registrar = Registrar::start(&path, csi_plugin(name, plugin.path()));
            (registrar, plugin)
        });
        symlink(old.0.path(), node.socket("old.sock")).unwrap();
        let kubelet = node.kubelet_of(version);
        symlink(new.0.path(), node.socket("new.sock")).unwrap();
        kubelet.says("registered   new.io").await;
        if at_the_start {
            kubelet.says("registered   old.io").await;
        } else {
            assert_eq!(
                kubelet.lines()[1],
                "ignored      old.sock: it is a symbolic link, which kubelets to 1.24 leave alone when they start"
            );
            assert_eq!(old.0.told(), []);
        }
        // What counts is the link, and not the socket behind it.
        fs::remove_file(new.0.path()).unwrap();
        fs::remove_file(node.socket("new.sock")).unwrap();
        kubelet.says("deregistered new.io").await;
    }
}

#[tokio::test]
async fn a_link_to_the_directory_itself_gives_what_comes_later_another_path() {
    let node = Node::new();
    let before = node.driver("before.io");
    let kubelet = node.kubelet();
    kubelet.says("registered   before.io").await;
    symlink(node.registry(), node.socket("loop")).unwrap();
    // The kernel has one watch for a directory, whatever the path it was asked for by; so it goes for a kubelet, too.
    let after = node.driver("after.io");
    kubelet.says("registered   after.io").await;
    assert_eq!(
        kubelet.event("registered").socket,
        Some(node.socket("loop/after.io-reg.sock"))
    );
    before.registrar.remove();
    after.registrar.remove();
    kubelet.says("deregistered after.io").await;
    assert_eq!(kubelet.drivers(), ["before.io"]);
}

#[tokio::test]
async fn the_directory_is_made_for_its_owner_and_his_group() {
    use std::os::unix::fs::PermissionsExt as _;
    let node = Node::new();
    let options = csi_kubelet::KubeletOptions::new(node.folder().join("var/lib/kubelet"));
    let kubelet = csi_kubelet::Kubelet::new(options.clone()).unwrap();
    let mode = fs::metadata(options.registry())
        .unwrap()
        .permissions()
        .mode();
    // Less what the umask of these tests takes away.
    assert_eq!(mode & 0o7027, 0);
    assert_eq!(mode & 0o700, 0o700);
    drop(kubelet);

    let options = csi_kubelet::KubeletOptions::new("/dev/null/kubelet");
    let error = csi_kubelet::Kubelet::new(options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot make the directory /dev/null/kubelet/plugins_registry"
    );
}

#[tokio::test]
async fn once_the_directory_itself_is_gone_nothing_is_seen_any_more() {
    let node = Node::new();
    let driver = node.driver("disk.acme.io");
    let kubelet = node.kubelet();
    kubelet.says("registered").await;
    // A socket that is still open would keep its directory, even a removed one.
    driver.registrar.kill().await;
    fs::remove_dir_all(node.registry()).unwrap();
    kubelet.says("deregistered").await;
    kubelet
        .says(
            "ignored      plugins_registry: the directory itself is gone; one that takes its place stays unseen until the kubelet \
             starts anew",
        )
        .await;
    assert!(kubelet.stop().await.drivers.is_empty());
}

#[tokio::test]
async fn once_the_directory_itself_is_moved_away_nothing_is_seen_any_more() {
    let node = Node::new();
    let _driver = node.driver("disk.acme.io");
    let kubelet = node.kubelet();
    kubelet.says("registered").await;
    fs::rename(node.registry(), node.folder().join("elsewhere")).unwrap();
    kubelet
        .says("ignored      plugins_registry: the directory itself is gone")
        .await;
    assert_eq!(kubelet.drivers(), ["disk.acme.io"]);
}
