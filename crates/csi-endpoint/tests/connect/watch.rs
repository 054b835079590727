//! What wakes a watch, and what does not.

use std::{
    fs,
    future::Future,
    os::unix::{fs::PermissionsExt, net::UnixListener as StdListener},
    path::Path,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use csi_endpoint::{Endpoint, SocketWatch, WatchOptions};
use tokio::time::timeout;

/// A watch that only an event can wake in time.
fn watch(path: &Path) -> SocketWatch {
    let hour = Duration::from_secs(3600);
    let options = WatchOptions {
        safety_poll: hour,
        poll: hour,
        ..WatchOptions::default()
    };
    SocketWatch::new(Endpoint::from_path(path).unwrap(), options)
}

async fn wakes(watch: &mut SocketWatch) {
    timeout(Duration::from_secs(20), watch.changed())
        .await
        .unwrap();
}

/// Whether a watch stays asleep, once all events there are have been seen.
async fn sleeps(watch: &mut SocketWatch) -> bool {
    let mut changed = pin!(watch.changed());
    for _ in 0..20 {
        tokio::task::yield_now().await;
        if let Poll::Ready(()) = changed
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            return false;
        }
    }
    true
}

#[tokio::test]
async fn each_change_of_the_file_wakes() {
    let dir = tempfile::tempdir().unwrap();
    let (path, aside) = (dir.path().join("csi.sock"), dir.path().join("aside"));
    let mut watch = watch(&path);
    assert!(!watch.is_polling());

    let _listener = StdListener::bind(&path).unwrap();
    wakes(&mut watch).await;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    wakes(&mut watch).await;
    fs::rename(&path, &aside).unwrap();
    wakes(&mut watch).await;
    fs::rename(&aside, &path).unwrap();
    wakes(&mut watch).await;
    fs::remove_file(&path).unwrap();
    wakes(&mut watch).await;
    assert!(sleeps(&mut watch).await);
}

#[tokio::test]
async fn each_change_of_a_directory_on_the_way_wakes() {
    let dir = tempfile::tempdir().unwrap();
    let (outer, inner) = (dir.path().join("a"), dir.path().join("a/b"));
    let path = inner.join("csi.sock");
    let mut watch = watch(&path);

    fs::create_dir(&outer).unwrap();
    wakes(&mut watch).await;
    fs::create_dir(&inner).unwrap();
    wakes(&mut watch).await;
    fs::remove_dir(&inner).unwrap();
    wakes(&mut watch).await;
    fs::write(&inner, "in the way").unwrap();
    wakes(&mut watch).await;
    fs::remove_file(&inner).unwrap();
    wakes(&mut watch).await;
    fs::create_dir(&inner).unwrap();
    wakes(&mut watch).await;
    fs::rename(&inner, outer.join("c")).unwrap();
    wakes(&mut watch).await;
    fs::create_dir(&inner).unwrap();
    wakes(&mut watch).await;
    fs::write(&path, "").unwrap();
    wakes(&mut watch).await;
    assert!(!watch.is_polling());
}

#[tokio::test]
async fn changes_beside_the_path_do_not_wake() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let mut watch = watch(&path);
    for name in ["other.sock", ".csi.sock", "csi.sock2"] {
        fs::write(dir.path().join(name), "").unwrap();
    }
    assert!(sleeps(&mut watch).await);
    fs::write(&path, "").unwrap();
    wakes(&mut watch).await;
}

#[tokio::test]
async fn a_change_before_the_wait_is_not_lost_and_a_cancelled_wait_loses_none() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let mut watch = watch(&path);
    assert!(sleeps(&mut watch).await);
    fs::write(&path, "").unwrap();
    drop(watch.changed());
    wakes(&mut watch).await;
}

#[tokio::test]
async fn without_inotify_it_wakes_at_intervals() {
    let dir = tempfile::tempdir().unwrap();
    let options = WatchOptions {
        inotify: false,
        poll: Duration::from_millis(1),
        ..WatchOptions::default()
    };
    let mut watch = SocketWatch::new(
        Endpoint::from_path(dir.path().join("csi.sock")).unwrap(),
        options,
    );
    assert!(watch.is_polling());
    wakes(&mut watch).await;
}

#[tokio::test]
async fn the_safety_poll_wakes_without_an_event() {
    let dir = tempfile::tempdir().unwrap();
    let options = WatchOptions {
        safety_poll: Duration::from_millis(1),
        ..WatchOptions::default()
    };
    let mut watch = SocketWatch::new(
        Endpoint::from_path(dir.path().join("csi.sock")).unwrap(),
        options,
    );
    assert!(!watch.is_polling());
    wakes(&mut watch).await;
}
