//! Servers that come late, in whatever order of directory, file and listening.
//!
//! The safety poll is an hour in most of these tests, so only an event can have told of the change in time.

use std::{
    fs,
    os::{fd::OwnedFd, unix::net::UnixListener as StdListener},
    path::Path,
    time::Duration,
};

use csi_endpoint::Channel;
use csi_endpoint::{
    BindOptions, ConnectError, ConnectOptions, Endpoint, Listener, SocketWatch, WatchOptions,
    connect, connect_reporting,
};
use rustix::{
    fs::inotify::{self, CreateFlags},
    net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with},
    process::geteuid,
    thread::{Gid, Uid, set_thread_res_gid, set_thread_res_uid},
};
use tokio::{net::UnixListener, task::JoinHandle, time::timeout};

use crate::grpc;

const HOUR: Duration = Duration::from_secs(3600);

/// Waits for ever, and trusts events alone.
fn by_events() -> ConnectOptions {
    ConnectOptions {
        wait: Duration::MAX,
        watch: WatchOptions {
            safety_poll: HOUR,
            poll: HOUR,
            ..WatchOptions::default()
        },
        ..ConnectOptions::default()
    }
}

fn by_polling() -> ConnectOptions {
    ConnectOptions {
        wait: Duration::MAX,
        watch: WatchOptions {
            inotify: false,
            safety_poll: HOUR,
            poll: Duration::from_millis(5),
        },
        ..ConnectOptions::default()
    }
}

/// A client that waits already: the runtime has nothing else to do but to run it until it does.
async fn waiting(
    path: &Path,
    options: ConnectOptions,
) -> JoinHandle<Result<Channel, ConnectError>> {
    let endpoint = Endpoint::from_path(path).unwrap();
    let client = tokio::spawn(async move { connect(&endpoint, &options).await });
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    assert!(!client.is_finished());
    client
}

async fn is_connected(client: JoinHandle<Result<Channel, ConnectError>>) {
    let channel = timeout(Duration::from_secs(20), client)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    grpc::call(&channel).await.unwrap();
}

#[tokio::test]
async fn a_late_socket_is_used() {
    for options in [by_events(), by_polling()] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("csi.sock");
        let client = waiting(&path, options).await;
        let _server = grpc::Server::bind(&path);
        is_connected(client).await;
    }
}

#[tokio::test]
async fn a_late_socket_of_ours_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let client = waiting(&path, by_events()).await;
    let listener = Listener::bind(
        &Endpoint::from_path(&path).unwrap(),
        &BindOptions::default(),
    )
    .unwrap();
    let (socket, _file) = listener.into_parts();
    let _server = grpc::Server::on(socket);
    is_connected(client).await;
}

#[tokio::test]
async fn late_directories_are_followed_down_to_the_socket() {
    for options in [by_events(), by_polling()] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/csi.sock");
        let client = waiting(&path, options).await;
        fs::create_dir(dir.path().join("a")).unwrap();
        tokio::task::yield_now().await;
        // Made elsewhere and moved in, so that the last directory comes with another event.
        fs::create_dir(dir.path().join("elsewhere")).unwrap();
        fs::rename(dir.path().join("elsewhere"), dir.path().join("a/b")).unwrap();
        tokio::task::yield_now().await;
        let _server = grpc::Server::bind(&path);
        is_connected(client).await;
    }
}

#[tokio::test]
async fn a_directory_replaced_by_another_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("a")).unwrap();
    let path = dir.path().join("a/csi.sock");
    let client = waiting(&path, by_events()).await;
    fs::rename(dir.path().join("a"), dir.path().join("old")).unwrap();
    fs::create_dir(dir.path().join("a")).unwrap();
    let _server = grpc::Server::bind(&path);
    is_connected(client).await;
}

/// A socket that is bound and does not listen.
fn bound(path: &Path) -> OwnedFd {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let fd = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap();
    bind(&fd, &SocketAddrUnix::new(path).unwrap()).unwrap();
    fd
}

#[tokio::test]
async fn a_socket_that_listens_later_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let fd = bound(&path);
    let client = waiting(&path, by_events()).await;
    listen(&fd, 16).unwrap();
    let _server = grpc::Server::on(UnixListener::from_std(StdListener::from(fd)).unwrap());
    is_connected(client).await;
}

#[tokio::test]
async fn a_dead_socket_is_left_for_the_one_that_replaces_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    drop(StdListener::bind(&path).unwrap());
    let client = waiting(&path, by_events()).await;
    fs::remove_file(&path).unwrap();
    let _server = grpc::Server::bind(&path);
    is_connected(client).await;
}

#[tokio::test]
async fn a_mute_server_is_left_for_the_one_that_replaces_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let _mute = StdListener::bind(&path).unwrap();
    let options = ConnectOptions {
        attempt_timeout: Duration::from_millis(30),
        ..by_events()
    };
    let client = waiting(&path, options).await;
    fs::remove_file(&path).unwrap();
    let _server = grpc::Server::bind(&path);
    is_connected(client).await;
}

#[tokio::test]
async fn a_file_in_the_way_is_waited_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    fs::write(&path, "").unwrap();
    let client = waiting(&path, by_events()).await;
    fs::remove_file(&path).unwrap();
    let _server = grpc::Server::bind(&path);
    is_connected(client).await;
}

#[tokio::test]
async fn when_the_time_is_up_the_last_reason_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let options = ConnectOptions {
        wait: Duration::from_millis(50),
        ..by_events()
    };
    let client = waiting(&path, options).await;
    let _bound = bound(&path);
    let error = client.await.unwrap().unwrap_err();
    assert!(matches!(error, ConnectError::Refused { .. }), "{error:?}");
}

#[tokio::test]
async fn each_reason_to_wait_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::from_path(dir.path().join("csi.sock")).unwrap();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let asked = endpoint.clone();
    let client = tokio::spawn(async move {
        let report = |reason: &ConnectError| tell.send(reason.to_string()).unwrap();
        connect_reporting(&asked, &by_events(), report).await
    });
    let missing = told.recv().await.unwrap();
    assert!(missing.starts_with("nothing is at "), "{missing}");
    let fd = bound(endpoint.path());
    let refused = told.recv().await.unwrap();
    assert!(refused.starts_with("nobody listens on "), "{refused}");
    listen(&fd, 16).unwrap();
    let _server = grpc::Server::on(UnixListener::from_std(StdListener::from(fd)).unwrap());
    is_connected(client).await;
    assert_eq!(told.recv().await, None);
}

#[tokio::test]
async fn a_change_without_an_event_is_found_when_the_time_is_up() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let watch = WatchOptions {
        inotify: false,
        poll: HOUR,
        safety_poll: HOUR,
    };
    let options = ConnectOptions {
        wait: Duration::from_millis(50),
        watch,
        ..ConnectOptions::default()
    };
    let client = waiting(&path, options).await;
    let _server = grpc::Server::bind(&path);
    is_connected(client).await;
}

#[test]
fn a_user_without_inotify_instances_polls() {
    if !geteuid().is_root() {
        println!("skipped: not root, so there is no user whose inotify instances may be used up");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let unprivileged = std::thread::spawn(move || {
        rustix::fs::chown(dir.path(), Some(Uid::from_raw(54322)), None).unwrap();
        let (uid, gid) = (Uid::from_raw(54322), Gid::from_raw(54322));
        set_thread_res_gid(gid, gid, gid).unwrap();
        set_thread_res_uid(uid, uid, uid).unwrap();
        let mut instances = Vec::new();
        while let Ok(instance) = inotify::init(CreateFlags::CLOEXEC) {
            instances.push(instance);
        }
        let options = ConnectOptions {
            watch: WatchOptions {
                poll: Duration::from_millis(5),
                ..by_events().watch
            },
            ..by_events()
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let client = waiting(&path, options).await;
            let _server = grpc::Server::bind(&path);
            is_connected(client).await;
        });
    });
    unprivileged.join().unwrap();
}

#[tokio::test]
async fn a_watch_that_is_lent_tells_of_a_late_socket_time_and_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let endpoint = Endpoint::from_path(&path).unwrap();
    let options = by_events();
    let channel = Channel::new(endpoint.clone(), &options);
    let mut watch = SocketWatch::new(endpoint, options.watch);
    for _ in 0..3 {
        let (waits, mut waiting) = tokio::sync::mpsc::unbounded_channel();
        let late = async {
            waiting.recv().await.unwrap();
            grpc::Server::bind(&path)
        };
        let connect = channel.connect_watching(&mut watch, |_| waits.send(()).unwrap());
        let both = async { tokio::join!(connect, late) };
        let (connected, _server) = timeout(Duration::from_secs(20), both).await.unwrap();
        connected.unwrap();
        grpc::call(&channel).await.unwrap();
        fs::remove_file(&path).unwrap();
        channel.renew();
    }
}

#[tokio::test]
async fn a_watch_that_is_lent_is_trusted_no_longer_than_the_options_say() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let endpoint = Endpoint::from_path(&path).unwrap();
    let mut options = by_events();
    // It sees nothing and looks once an hour.
    options.watch.inotify = false;
    let mut watch = SocketWatch::new(endpoint.clone(), options.watch.clone());
    options.watch.safety_poll = Duration::from_millis(5);
    let channel = Channel::new(endpoint, &options);
    let (waits, mut waiting) = tokio::sync::mpsc::unbounded_channel();
    let late = async {
        waiting.recv().await.unwrap();
        grpc::Server::bind(&path)
    };
    let connect = channel.connect_watching(&mut watch, |_| waits.send(()).unwrap());
    let both = async { tokio::join!(connect, late) };
    let (connected, _server) = timeout(Duration::from_secs(20), both).await.unwrap();
    connected.unwrap();
    grpc::call(&channel).await.unwrap();
}
