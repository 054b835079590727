//! What a watcher of the directory, such as a kubelet, sees of a binding.

use std::{
    fs,
    mem::MaybeUninit,
    os::{
        fd::OwnedFd,
        unix::net::{UnixListener as StdListener, UnixStream as StdStream},
    },
    path::Path,
    thread,
};

use csi_endpoint::{BindOptions, Endpoint, Listener};
use rustix::{
    fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags},
    io::Errno,
};

/// Events with the names they carry, but for hidden names and the directory itself.
fn visible(watch: &OwnedFd) -> Vec<(String, ReadFlags)> {
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut reader = Reader::new(watch, &mut buffer);
    let mut events = Vec::new();
    loop {
        match reader.next() {
            Ok(event) => {
                let name = event
                    .file_name()
                    .map(|name| name.to_str().unwrap().to_owned());
                if let Some(name) = name.filter(|name| !name.starts_with('.')) {
                    events.push((name, event.events()));
                }
            }
            Err(Errno::AGAIN) => return events,
            Err(errno) => panic!("{errno}"),
        }
    }
}

fn watch(dir: &Path) -> OwnedFd {
    let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&watch, dir, WatchFlags::ALL_EVENTS).unwrap();
    watch
}

#[tokio::test]
async fn a_watcher_sees_one_event_and_the_socket_is_ready() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::from_path(dir.path().join("csi.sock")).unwrap();
    let options = BindOptions {
        mode: "0666".parse().unwrap(),
        group: Some(rustix::process::getegid().as_raw()),
    };
    let watch = watch(dir.path());

    let listener = Listener::bind(&endpoint, &options).unwrap();
    assert_eq!(
        visible(&watch),
        [("csi.sock".to_owned(), ReadFlags::MOVED_TO)]
    );

    drop(listener);
    assert_eq!(
        visible(&watch),
        [("csi.sock".to_owned(), ReadFlags::DELETE)]
    );
}

#[test]
fn whoever_connects_on_the_event_is_not_refused() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::from_path(dir.path().join("csi.sock")).unwrap();
    let watch = inotify::init(CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&watch, dir.path(), WatchFlags::ALL_EVENTS).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .unwrap();
    let _guard = runtime.enter();
    for _ in 0..100 {
        thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                let mut buffer = [MaybeUninit::uninit(); 4096];
                let mut reader = Reader::new(&watch, &mut buffer);
                while reader.next().unwrap().file_name() != Some(c"csi.sock") {}
                StdStream::connect(endpoint.path()).unwrap();
            });
            let listener = Listener::bind(&endpoint, &BindOptions::default()).unwrap();
            watcher.join().unwrap();
            drop(listener);
        });
        // The event of the removal, so that the next round begins with an empty queue.
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&watch, &mut buffer);
        while !reader.next().unwrap().events().contains(ReadFlags::DELETE) {}
    }
}

#[tokio::test]
async fn a_watcher_sees_one_event_when_a_stale_socket_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::from_path(dir.path().join("csi.sock")).unwrap();
    drop(StdListener::bind(endpoint.path()).unwrap());
    let watch = watch(dir.path());
    let _listener = Listener::bind(&endpoint, &BindOptions::default()).unwrap();
    assert_eq!(
        visible(&watch),
        [("csi.sock".to_owned(), ReadFlags::MOVED_TO)]
    );
}

#[tokio::test]
async fn a_watcher_sees_nothing_of_a_binding_that_fails() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::from_path(dir.path().join("csi.sock")).unwrap();
    let watch = watch(dir.path());
    let options = BindOptions {
        group: Some(u32::MAX),
        ..BindOptions::default()
    };
    Listener::bind(&endpoint, &options).unwrap_err();
    assert_eq!(visible(&watch), []);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}
