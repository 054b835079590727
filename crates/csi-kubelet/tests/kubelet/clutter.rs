//! Whatever lies in the directory, a kubelet neither stops nor crashes over it, and registers the others.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::Path;

use rustix::fs::{CWD, Mode, mkfifoat};

use crate::support::{Manner, Node, RawServer, Registrar, Running, Told, csi_plugin};

/// All that has no business there.
fn fill(directory: &Path) -> UnixDatagram {
    let at = |name: &str| directory.join(name);
    fs::write(at("file.sock"), "no socket").unwrap();
    mkfifoat(CWD, at("fifo"), Mode::from_raw_mode(0o600)).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    symlink("file.sock", at("link-to-file")).unwrap();
    symlink("/dev/zero", at("link-to-device")).unwrap();
    symlink("self", at("self")).unwrap();
    symlink("pong", at("ping")).unwrap();
    symlink("ping", at("pong")).unwrap();
    fs::create_dir(at("looped")).unwrap();
    symlink("..", at("looped/up")).unwrap();
    drop(UnixListener::bind(at("dead.sock")).unwrap());
    let long = "long".repeat(40) + ".sock";
    drop(UnixListener::bind(at("short")).unwrap());
    fs::rename(at("short"), at(&long)).unwrap();
    drop(UnixListener::bind(at("short")).unwrap());
    fs::rename(at("short"), directory.join(OsStr::from_bytes(b"\xff.sock"))).unwrap();
    fs::create_dir_all(at(&"deep/".repeat(100))).unwrap();
    UnixDatagram::bind(at("datagram.sock")).unwrap()
}

/// What is said of what lies there; the kubelet leaves some of it alone and dials the rest in vain.
async fn says_what_it_is(kubelet: &Running) {
    for ignored in [
        "file.sock: it is no socket",
        "fifo: it is no socket",
        "dangling: cannot look at it: No such file or directory (os error 2)",
        "link-to-file: it is no socket",
        "link-to-device: it is no socket",
        "self: cannot look at it: Too many levels of symbolic links (os error 40)",
        "ping: cannot look at it: ",
    ] {
        kubelet.says(&format!("ignored      {ignored}")).await;
    }
    let failed = |socket: &str, cause: &str| {
        let path = "~/plugins_registry";
        format!(
            "refused      {socket}: RegisterPlugin error -- dial failed at socket {path}/{socket}, err: failed to dial socket \
             {path}/{socket}, err: context deadline exceeded - {cause}",
        )
    };
    let long = "long".repeat(40) + ".sock";
    for (socket, cause) in [
        (
            "dead.sock",
            "nobody listens on ~/plugins_registry/dead.sock; its server is gone and left the socket, or is about to listen",
        ),
        (
            "datagram.sock",
            "~/plugins_registry/datagram.sock is not a stream socket, which gRPC needs; give the path of the server's socket",
        ),
        (&long, "socket path ~/plugins_registry/longlong"),
        (
            "\u{fffd}.sock",
            "socket path \"~/plugins_registry/\\xFF.sock\" is not UTF-8, so it can be in no manifest",
        ),
    ] {
        kubelet.says(&failed(socket, cause)).await;
        kubelet.says(&format!("next_retry   {socket}: in ")).await;
    }
}

#[tokio::test]
async fn whatever_lies_there_at_the_start_the_others_are_registered() {
    let node = Node::new();
    let _datagram = fill(&node.registry());
    let drivers = ["0first.io", "zlast.io"].map(|name| node.driver(name));
    let deep = node.registry().join("deep/".repeat(8));
    let plugin = node.plugin("deep.io");
    let _deep = Registrar::start(&deep.join("r.sock"), csi_plugin("deep.io", plugin.path()));
    let kubelet = node.kubelet();
    kubelet.says_times("registered", 3).await;
    says_what_it_is(&kubelet).await;
    for driver in &drivers {
        assert_eq!(driver.registrar.told(), [Told::GetInfo, Told::Registered]);
    }
    assert_eq!(kubelet.stop().await.drivers.len(), 3);
}

#[tokio::test]
async fn whatever_comes_there_later_the_others_are_registered() {
    let node = Node::new();
    let kubelet = node.kubelet();
    let _first = node.driver("0first.io");
    let _datagram = fill(&node.registry());
    let _last = node.driver("zlast.io");
    kubelet.says("registered   0first.io").await;
    kubelet.says("registered   zlast.io").await;
    says_what_it_is(&kubelet).await;
}

#[tokio::test]
async fn servers_that_hang_or_talk_nonsense_keep_nobody_waiting() {
    let node = Node::new();
    let mute: Vec<_> = (0..100)
        .map(|n| RawServer::start(&node.socket(&format!("mute{n}.sock")), Manner::Mute))
        .collect();
    let _garbling = RawServer::start(&node.socket("garbling.sock"), Manner::Garbles);
    let kubelet = node.kubelet();
    let _driver = node.driver("zz.io");
    kubelet.says("registered   zz.io").await;
    kubelet
        .says(
            "refused      garbling.sock: RegisterPlugin error -- dial failed at socket ~/plugins_registry/garbling.sock, err: \
             failed to dial socket ~/plugins_registry/garbling.sock, err: context deadline exceeded - the server of \
             ~/plugins_registry/garbling.sock does not speak HTTP/2",
        )
        .await;
    drop(mute);
}

#[tokio::test]
async fn sockets_that_come_and_go_by_the_hundred_leave_nothing_behind() {
    let node = Node::new();
    let kubelet = node.kubelet();
    for _ in 0..200 {
        let socket = node.socket("flickering.sock");
        drop(UnixListener::bind(&socket).unwrap());
        fs::remove_file(&socket).unwrap();
    }
    let driver = node.driver("disk.acme.io");
    kubelet.says("registered").await;
    driver.registrar.remove();
    kubelet.says("deregistered").await;
    assert!(kubelet.stop().await.drivers.is_empty());
}
