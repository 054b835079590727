//! Who may remove a socket file, and who wins when several want one path.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    os::unix::net::{UnixListener as StdListener, UnixStream as StdStream},
    path::Path,
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use csi_endpoint::{BindError, BindOptions, Endpoint, Holder, Listener, Removed};

fn bind(endpoint: &Endpoint) -> Result<Listener, BindError> {
    Listener::bind(endpoint, &BindOptions::default())
}

fn socket_in(dir: &Path) -> Endpoint {
    Endpoint::from_path(dir.join("csi.sock")).unwrap()
}

#[tokio::test]
async fn a_drop_removes_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = socket_in(dir.path());
    drop(bind(&endpoint).unwrap());
    assert!(!endpoint.path().exists());
}

#[tokio::test]
async fn a_file_that_took_the_path_survives_the_drop() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = socket_in(dir.path());
    let listener = bind(&endpoint).unwrap();
    assert!(listener.is_still_ours());
    fs::remove_file(endpoint.path()).unwrap();
    assert!(!listener.is_still_ours());
    let theirs = StdListener::bind(endpoint.path()).unwrap();
    assert!(!listener.is_still_ours());

    drop(listener);

    StdStream::connect(endpoint.path()).unwrap();
    theirs.accept().unwrap();
}

#[tokio::test]
async fn remove_says_what_it_did() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = socket_in(dir.path());

    let (_socket, file) = bind(&endpoint).unwrap().into_parts();
    assert_eq!(file.path(), endpoint.path());
    assert_eq!(file.remove().unwrap(), Removed::Yes);
    assert!(!endpoint.path().exists());

    let (_socket, file) = bind(&endpoint).unwrap().into_parts();
    fs::remove_file(endpoint.path()).unwrap();
    assert_eq!(file.remove().unwrap(), Removed::AlreadyGone);

    let (_socket, file) = bind(&endpoint).unwrap().into_parts();
    fs::remove_file(endpoint.path()).unwrap();
    fs::write(endpoint.path(), "theirs").unwrap();
    assert_eq!(file.remove().unwrap(), Removed::NotOurs);
    assert_eq!(fs::read_to_string(endpoint.path()).unwrap(), "theirs");
    fs::remove_file(endpoint.path()).unwrap();

    let (_socket, file) = bind(&endpoint).unwrap().into_parts();
    fs::remove_dir_all(dir.path()).unwrap();
    assert_eq!(file.remove().unwrap(), Removed::AlreadyGone);
}

#[tokio::test]
async fn a_file_moved_away_is_neither_ours_nor_removed() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = socket_in(dir.path());
    let listener = bind(&endpoint).unwrap();
    let moved = dir.path().join("moved.sock");
    fs::rename(endpoint.path(), &moved).unwrap();
    assert!(!listener.is_still_ours());
    drop(listener);
    assert!(moved.exists());
}

#[test]
fn of_two_threads_that_bind_at_once_exactly_one_wins() {
    race(|_| {}, 100);
}

#[test]
fn of_two_threads_that_replace_a_stale_socket_exactly_one_wins() {
    race(|path| drop(StdListener::bind(path).unwrap()), 100);
}

fn race(prepare: fn(&Path), rounds: usize) {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = socket_in(dir.path());
    for _ in 0..rounds {
        prepare(endpoint.path());
        let start = Barrier::new(2);
        let contend = || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_io()
                .build()
                .unwrap();
            let guard = runtime.enter();
            start.wait();
            let bound = bind(&endpoint);
            drop(guard);
            (bound, runtime)
        };
        let (one, other) = thread::scope(|scope| {
            let one = scope.spawn(contend);
            let other = scope.spawn(contend);
            (one.join().unwrap(), other.join().unwrap())
        });
        let (winner, loser) = match (&one.0, &other.0) {
            (Ok(winner), Err(loser)) | (Err(loser), Ok(winner)) => (winner, loser),
            both => panic!("not exactly one won: {both:?}"),
        };
        assert!(winner.is_still_ours());
        let BindError::InUse { holder, .. } = loser else {
            panic!("the loser was told something else: {loser}");
        };
        assert_eq!(*holder, Holder::Process(std::process::id()));
    }
    assert!(!endpoint.path().exists());
}

#[test]
fn nobody_is_refused_while_a_listener_goes() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = socket_in(dir.path());
    let done = AtomicBool::new(false);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .unwrap();
    let _guard = runtime.enter();
    thread::scope(|scope| {
        let client = scope.spawn(|| {
            // The number of an inode alone is given out again.
            let file = || {
                let file = fs::symlink_metadata(endpoint.path()).ok()?;
                Some((file.ino(), file.ctime(), file.ctime_nsec()))
            };
            while !done.load(Ordering::Relaxed) {
                let before = file();
                if let Err(error) = StdStream::connect(endpoint.path())
                    && error.kind() != std::io::ErrorKind::NotFound
                {
                    // There is no moment at which the file is there and nobody listens, but the kernel looks for the one and
                    // then for the other.
                    assert_eq!(
                        error.kind(),
                        std::io::ErrorKind::ConnectionRefused,
                        "{error}"
                    );
                    let is_same = before.is_some() && file() == before;
                    assert!(!is_same, "{error}");
                }
            }
        });
        for _ in 0..500 {
            drop(bind(&endpoint).unwrap());
            if client.is_finished() {
                break;
            }
        }
        done.store(true, Ordering::Relaxed);
        client.join().unwrap();
    });
}

#[tokio::test]
async fn a_successor_is_known_even_if_it_came_after_the_listener_was_closed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let endpoint = Endpoint::from_path(path.clone()).unwrap();
    let listener = Listener::bind(&endpoint, &BindOptions::default()).unwrap();
    let (socket, file) = listener.into_parts();
    // Many file systems give a number that is free to the next file at once.
    drop(socket);
    std::fs::remove_file(&path).unwrap();
    let _successor = std::os::unix::net::UnixListener::bind(&path).unwrap();

    assert!(!file.is_still_ours());
    assert_eq!(file.remove().unwrap(), Removed::NotOurs);
    std::os::unix::net::UnixStream::connect(&path).unwrap();
}

#[tokio::test]
async fn whoever_holds_the_lock_of_the_directory_does_not_keep_the_file_there() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::from_path(dir.path().join("csi.sock")).unwrap();
    let listener = Listener::bind(&endpoint, &BindOptions::default()).unwrap();
    let (_socket, file) = listener.into_parts();
    let held = std::fs::File::open(dir.path()).unwrap();
    held.lock().unwrap();

    assert_eq!(file.remove().unwrap(), Removed::Yes);
    assert!(!endpoint.path().exists());
}
