//! What a client is told, at once, of an endpoint it cannot reach; and what it does with one it can.

use std::{
    fs,
    io::Write,
    os::{
        fd::OwnedFd,
        unix::{
            fs::{MetadataExt, PermissionsExt, symlink},
            net::{UnixDatagram, UnixListener as StdListener},
        },
    },
    path::Path,
    thread,
    time::Duration,
};

use csi_endpoint::{ConnectError, ConnectOptions, Endpoint, connect};
use rustix::{
    fs::{CWD, Mode, mkfifoat},
    net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with},
};
use tempfile::TempDir;

use crate::grpc;
use crate::unprivileged::unprivileged;

async fn error_at(path: &Path) -> ConnectError {
    let endpoint = Endpoint::from_path(path).unwrap();
    connect(&endpoint, &ConnectOptions::default())
        .await
        .unwrap_err()
}

fn stream_socket() -> OwnedFd {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap()
}

fn directory() -> (TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().display().to_string();
    (dir, root)
}

#[tokio::test]
async fn a_server_is_called_with_localhost_as_authority() {
    let (dir, _) = directory();
    let path = dir.path().join("csi.sock");
    let mut server = grpc::Server::bind(&path);
    let endpoint = Endpoint::from_path(&path).unwrap();
    let channel = connect(&endpoint, &ConnectOptions::default())
        .await
        .unwrap();
    grpc::call(&channel).await.unwrap();
    assert_eq!(server.authority().await, "localhost");
}

#[tokio::test]
async fn a_missing_socket_is_told_from_a_missing_directory() {
    let (dir, root) = directory();
    symlink("gone/away", dir.path().join("dangling")).unwrap();
    symlink("gone.sock", dir.path().join("link.sock")).unwrap();
    let there =
        "though its directory exists; its server has not bound it yet, or binds another path";
    let cases = [
        (
            "csi.sock",
            format!("nothing is at {root}/csi.sock, {there}"),
        ),
        (
            "link.sock",
            format!("nothing is at {root}/link.sock, {there}"),
        ),
        (
            "a/b/csi.sock",
            format!(
                "nothing is at {root}/a/b/csi.sock, because {root}/a does not exist; make that directory, or mount it here"
            ),
        ),
        (
            "dangling/csi.sock",
            format!(
                "nothing is at {root}/dangling/csi.sock, because {root}/gone does not exist; make that directory, or mount it here"
            ),
        ),
    ];
    for (name, message) in cases {
        assert_eq!(error_at(&dir.path().join(name)).await.to_string(), message);
    }
    let ConnectError::NoSocket { missing, .. } = error_at(&dir.path().join("link.sock")).await
    else {
        panic!("another error");
    };
    assert_eq!(missing, dir.path().join("gone.sock"));
}

#[tokio::test]
async fn what_is_no_socket_is_named() {
    let (dir, root) = directory();
    fs::write(dir.path().join("file"), "").unwrap();
    fs::create_dir(dir.path().join("directory")).unwrap();
    mkfifoat(CWD, dir.path().join("pipe"), Mode::RWXU).unwrap();
    let _datagram = UnixDatagram::bind(dir.path().join("datagram")).unwrap();
    let no_socket = "not a socket; give the path of the server's socket";
    let cases = [
        (
            "file",
            format!("{root}/file is a regular file, {no_socket}"),
        ),
        (
            "directory",
            format!("{root}/directory is a directory, {no_socket}"),
        ),
        ("pipe", format!("{root}/pipe is a named pipe, {no_socket}")),
        (
            "datagram",
            format!(
                "{root}/datagram is not a stream socket, which gRPC needs; give the path of the server's socket"
            ),
        ),
        (
            "file/csi.sock",
            format!(
                "nothing is at {root}/file/csi.sock, because {root}/file is a regular file; it has to be a directory"
            ),
        ),
    ];
    for (name, message) in cases {
        assert_eq!(error_at(&dir.path().join(name)).await.to_string(), message);
    }
}

#[tokio::test]
async fn a_socket_nobody_listens_on_refuses() {
    let (dir, root) = directory();
    let path = dir.path().join("csi.sock");
    let message = format!(
        "nobody listens on {root}/csi.sock; its server is gone and left the socket, or is about to listen"
    );

    let bound = stream_socket();
    bind(&bound, &SocketAddrUnix::new(&path).unwrap()).unwrap();
    assert_eq!(error_at(&path).await.to_string(), message);

    drop(bound);
    assert_eq!(error_at(&path).await.to_string(), message);
}

#[tokio::test]
async fn a_full_backlog_is_busy() {
    let (dir, root) = directory();
    let path = dir.path().join("csi.sock");
    let address = SocketAddrUnix::new(&path).unwrap();
    let server = stream_socket();
    bind(&server, &address).unwrap();
    listen(&server, 0).unwrap();
    let waiting = stream_socket();
    rustix::net::connect(&waiting, &address).unwrap();
    assert_eq!(
        error_at(&path).await.to_string(),
        format!(
            "the server of {root}/csi.sock does not accept connections, and its backlog is full; it hangs, or is overloaded"
        )
    );
}

#[tokio::test]
async fn a_mute_server_times_out() {
    let (dir, root) = directory();
    let path = dir.path().join("csi.sock");
    let _mute = StdListener::bind(&path).unwrap();
    let options = ConnectOptions {
        attempt_timeout: Duration::from_millis(30),
        ..ConnectOptions::default()
    };
    let error = connect(&Endpoint::from_path(&path).unwrap(), &options)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "connected to {root}/csi.sock, but no HTTP/2 SETTINGS came within 30ms; its server hangs, or speaks another protocol"
        )
    );
}

/// Takes one connection, and does something with it after the client's preface has come.
fn once(
    path: &Path,
    serve: impl FnOnce(std::os::unix::net::UnixStream) + Send + 'static,
) -> thread::JoinHandle<()> {
    let listener = StdListener::bind(path).unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        std::io::Read::read_exact(&mut stream, &mut [0; 24]).unwrap();
        serve(stream);
    })
}

#[tokio::test]
async fn another_protocol_is_shown() {
    for (answer, seen) in [
        (
            &b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"[..],
            r#""HTTP/1.1 400 Bad Request""#,
        ),
        (
            b"\x15\x03\x01\x00\x02\x02\x0a",
            r#""\x15\x03\x01\x00\x02\x02""#,
        ),
        (b"\0\0\x12\x04", r#""\x00\x00\x12\x04""#),
    ] {
        let (dir, root) = directory();
        let path = dir.path().join("csi.sock");
        let server = once(&path, move |mut stream| stream.write_all(answer).unwrap());
        assert_eq!(
            error_at(&path).await.to_string(),
            format!(
                "the server of {root}/csi.sock does not speak HTTP/2, but answers {seen}; give the path of a gRPC server's socket"
            )
        );
        server.join().unwrap();
    }
}

#[tokio::test]
async fn a_connection_closed_at_once_is_called_so() {
    let (dir, root) = directory();
    let message = format!(
        "the server of {root}/csi.sock closed the connection at once; it is stopping, or refuses this process"
    );
    let path = dir.path().join("csi.sock");

    let server = once(&path, drop);
    assert_eq!(error_at(&path).await.to_string(), message);
    server.join().unwrap();

    // With the preface unread, so that the kernel resets the connection.
    fs::remove_file(&path).unwrap();
    let listener = StdListener::bind(&path).unwrap();
    let server = thread::spawn(move || drop(listener.accept().unwrap()));
    assert_eq!(error_at(&path).await.to_string(), message);
    server.join().unwrap();
}

/// The error of a thread without root's rights, and its uid and gid.
fn unprivileged_error_at(path: &Path) -> (ConnectError, u32, u32) {
    unprivileged(|uid, gid| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        (runtime.block_on(error_at(path)), uid, gid)
    })
}

#[test]
fn the_element_of_the_path_that_shuts_a_client_out_is_named() {
    let (dir, root) = directory();
    let set_mode = |name: &str, mode| {
        let path = dir.path().join(name);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        fs::metadata(path).unwrap()
    };
    fs::create_dir(dir.path().join("private")).unwrap();
    symlink("private", dir.path().join("link")).unwrap();
    let path = dir.path().join("private/csi.sock");
    let _server = StdListener::bind(&path).unwrap();
    set_mode("", 0o755);
    let search = "go through it, which needs the execute bit";
    let write = "connect, which needs the write bit";
    let cases = [
        ("private/csi.sock", 0o755, 0o444, "private/csi.sock", write),
        ("link/csi.sock", 0o755, 0o444, "private/csi.sock", write),
        ("private/csi.sock", 0o640, 0o666, "private", search),
        ("link/csi.sock", 0o640, 0o666, "private", search),
    ];
    for (asked, directory_mode, socket_mode, element, need) in cases {
        set_mode("private/csi.sock", socket_mode);
        set_mode("private", directory_mode);
        let (error, uid, gid) = unprivileged_error_at(&dir.path().join(asked));
        set_mode("private", 0o755);
        let file = fs::metadata(dir.path().join(element)).unwrap();
        let mode = if element == "private" {
            directory_mode
        } else {
            socket_mode
        };
        assert_eq!(
            error.to_string(),
            format!(
                "permission to connect to {root}/{asked} denied: {root}/{element} (uid {}, gid {}, mode {mode:04o}) does not let \
                 this process (uid {uid}, gid {gid}) {need}; change its group or mode, or the user of the process",
                file.uid(),
                file.gid(),
            )
        );
    }
}
