//! What binding replaces, what it refuses, and what it leaves behind.

use std::{
    fs,
    os::unix::{
        fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink},
        net::{UnixDatagram, UnixListener as StdListener},
    },
    path::Path,
    process,
};

use csi_endpoint::{BindError, BindOptions, Endpoint, Holder, Listener};
use rustix::{
    fs::{CWD, Mode, mkfifoat},
    net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, socket_with},
};
use tempfile::TempDir;
use tokio::net::UnixStream;

fn private() -> BindOptions {
    BindOptions::default()
}

fn at(dir: &TempDir, name: &str) -> Endpoint {
    Endpoint::from_path(dir.path().join(name)).unwrap()
}

/// The names in a directory, hidden ones too.
fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

async fn answers(listener: &Listener, path: &Path) {
    let (client, server) = tokio::join!(UnixStream::connect(path), listener.accept());
    client.unwrap();
    server.unwrap();
}

#[tokio::test]
async fn a_free_name_is_bound_and_answers() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = at(&dir, "csi.sock");
    let listener = Listener::bind(&endpoint, &private()).unwrap();

    let file = fs::symlink_metadata(endpoint.path()).unwrap();
    assert!(file.file_type().is_socket());
    assert_eq!(file.mode() & 0o7777, 0o600);
    assert_eq!(names(dir.path()), ["csi.sock"]);
    assert_eq!(listener.endpoint(), &endpoint);
    answers(&listener, endpoint.path()).await;
}

#[tokio::test]
async fn a_stale_socket_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = at(&dir, "csi.sock");
    drop(StdListener::bind(endpoint.path()).unwrap());
    let stale = fs::metadata(endpoint.path()).unwrap().ino();

    let listener = Listener::bind(&endpoint, &private()).unwrap();

    assert_ne!(fs::metadata(endpoint.path()).unwrap().ino(), stale);
    assert_eq!(names(dir.path()), ["csi.sock"]);
    answers(&listener, endpoint.path()).await;
}

#[tokio::test]
async fn what_a_killed_process_left_under_the_hidden_name_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = at(&dir, "csi.sock");
    drop(StdListener::bind(dir.path().join(".csi.sock")).unwrap());

    let listener = Listener::bind(&endpoint, &private()).unwrap();

    assert_eq!(names(dir.path()), ["csi.sock"]);
    answers(&listener, endpoint.path()).await;
}

#[tokio::test]
async fn a_live_socket_stays_and_its_process_is_named() {
    for name in ["csi.sock", ".csi.sock"] {
        let dir = tempfile::tempdir().unwrap();
        let live = StdListener::bind(dir.path().join(name)).unwrap();
        let inode = fs::metadata(dir.path().join(name)).unwrap().ino();

        let error = Listener::bind(&at(&dir, "csi.sock"), &private()).unwrap_err();

        assert_eq!(
            error.to_string(),
            format!(
                "socket {} is in use by process {}; stop that first, or choose another path",
                dir.path().join(name).display(),
                process::id()
            )
        );
        assert_eq!(names(dir.path()), [name]);
        assert_eq!(fs::metadata(dir.path().join(name)).unwrap().ino(), inode);
        live.accept().unwrap();
    }
}

#[tokio::test]
async fn a_socket_with_a_full_backlog_is_live() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = at(&dir, "csi.sock");
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let stream = || socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap();
    let address = SocketAddrUnix::new(endpoint.path()).unwrap();
    let live = stream();
    bind(&live, &address).unwrap();
    rustix::net::listen(&live, 0).unwrap();
    let waiting = stream();
    rustix::net::connect(&waiting, &address).unwrap();

    let error = Listener::bind(&endpoint, &private()).unwrap_err();

    assert!(
        matches!(
            error,
            BindError::InUse {
                holder: Holder::Busy,
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        format!(
            "socket {} is in use by a process that does not accept connections (its backlog is full); stop that first, \
             or choose another path",
            endpoint.path().display()
        )
    );
}

#[tokio::test]
async fn a_bound_datagram_socket_is_live() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = at(&dir, "csi.sock");
    let _live = UnixDatagram::bind(endpoint.path()).unwrap();

    let error = Listener::bind(&endpoint, &private()).unwrap_err();

    assert!(
        matches!(
            error,
            BindError::InUse {
                holder: Holder::OtherType,
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(names(dir.path()), ["csi.sock"]);
}

#[tokio::test]
async fn other_kinds_of_files_stay_and_are_named() {
    for name in ["csi.sock", ".csi.sock"] {
        for (kind, make) in [
            (
                "a regular file",
                (|path| fs::write(path, "keep").unwrap()) as fn(&Path),
            ),
            ("a directory", |path| fs::create_dir(path).unwrap()),
            ("a named pipe", |path| {
                mkfifoat(CWD, path, Mode::RWXU).unwrap();
            }),
            ("a symbolic link", |path| {
                drop(StdListener::bind(path.with_file_name("target")).unwrap());
                symlink("target", path).unwrap();
            }),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(name);
            make(&path);
            let before = (
                names(dir.path()),
                fs::symlink_metadata(&path).unwrap().ino(),
            );

            let error = Listener::bind(&at(&dir, "csi.sock"), &private()).unwrap_err();

            assert_eq!(
                error.to_string(),
                format!(
                    "{} is {kind}, not a socket, and is left alone; remove it, or choose another path",
                    path.display()
                )
            );
            assert_eq!(
                (
                    names(dir.path()),
                    fs::symlink_metadata(&path).unwrap().ino()
                ),
                before
            );
        }
    }
}

#[tokio::test]
async fn the_element_of_the_path_that_is_no_directory_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path().display().to_string();
    fs::write(dir.path().join("file"), "").unwrap();
    symlink("gone", dir.path().join("dangling")).unwrap();
    let cases = [
        (
            "a/b/csi.sock",
            format!(
                "no socket can be made in {here}/a/b, because {here}/a does not exist; make the directory, or mount it here"
            ),
        ),
        (
            "dangling/csi.sock",
            format!(
                "no socket can be made in {here}/dangling, because {here}/gone does not exist; make the directory, or mount it here"
            ),
        ),
        (
            "file/csi.sock",
            format!(
                "no socket can be made in {here}/file, because {here}/file is a regular file; it has to be a directory"
            ),
        ),
        (
            "file/a/csi.sock",
            format!(
                "no socket can be made in {here}/file/a, because {here}/file is a regular file; it has to be a directory"
            ),
        ),
    ];
    for (name, message) in cases {
        let error = Listener::bind(&at(&dir, name), &private()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(names(dir.path()), ["dangling", "file"]);
}

#[tokio::test]
async fn every_legal_length_of_path_and_name_binds() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().as_os_str().len();
    for (path_len, name_len) in [
        (106, 1),
        (107, 1),
        (106, 40),
        (107, 40),
        (107, 80),
        (107, 81),
        (106, 107 - root - 4),
        (107, 107 - root - 4),
    ] {
        let Some(padding) = (path_len - name_len - 2usize).checked_sub(root) else {
            panic!(
                "temporary directory {} is too long for a path of {path_len} bytes",
                dir.path().display()
            );
        };
        let parent = dir.path().join("d".repeat(padding));
        fs::create_dir_all(&parent).unwrap();
        let endpoint = Endpoint::from_path(parent.join("n".repeat(name_len))).unwrap();
        assert_eq!(endpoint.path_text().len(), path_len);

        let listener = Listener::bind(&endpoint, &private()).unwrap();

        assert_eq!(
            names(&parent),
            ["n".repeat(name_len)],
            "{path_len} {name_len}"
        );
        answers(&listener, endpoint.path()).await;
        let again = Listener::bind(&endpoint, &private()).unwrap_err();
        assert!(matches!(again, BindError::InUse { .. }), "{again:?}");
        drop(listener);
        assert!(names(&parent).is_empty());
    }
}

#[tokio::test]
async fn the_group_is_set_and_a_wrong_one_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = at(&dir, "csi.sock");
    let own = rustix::process::getegid().as_raw();
    let options = BindOptions {
        mode: "0660".parse().unwrap(),
        group: Some(own),
    };

    let listener = Listener::bind(&endpoint, &options).unwrap();
    let file = fs::metadata(endpoint.path()).unwrap();
    assert_eq!((file.gid(), file.mode() & 0o7777), (own, 0o660));
    drop(listener);

    let options = BindOptions {
        group: Some(u32::MAX),
        ..options
    };
    let error = Listener::bind(&endpoint, &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "socket {} cannot be given group 4294967295; it takes a member of that group, or CAP_CHOWN",
            endpoint.path().display()
        )
    );
    assert!(names(dir.path()).is_empty());
}

#[tokio::test]
async fn a_wrong_group_keeps_the_stale_socket() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = at(&dir, "csi.sock");
    drop(StdListener::bind(endpoint.path()).unwrap());
    let options = BindOptions {
        group: Some(u32::MAX),
        ..private()
    };
    Listener::bind(&endpoint, &options).unwrap_err();
    assert_eq!(names(dir.path()), ["csi.sock"]);
}

#[tokio::test]
async fn a_mode_set_on_the_file_later_does_not_unsettle_its_owner() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = at(&dir, "csi.sock");
    let listener = Listener::bind(&endpoint, &private()).unwrap();
    fs::set_permissions(endpoint.path(), fs::Permissions::from_mode(0o666)).unwrap();
    assert!(listener.is_still_ours());
}

#[test]
fn outside_a_runtime_nothing_is_bound() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = at(&dir, "csi.sock");
    let error = Listener::bind(&endpoint, &private()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "socket {} cannot be registered outside a tokio runtime; bind it in async code, or under Runtime::enter",
            endpoint.path().display()
        )
    );
    assert!(names(dir.path()).is_empty());
}
