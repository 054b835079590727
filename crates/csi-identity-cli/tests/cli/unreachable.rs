//! Sockets behind which no plugin answers: nothing can be found out, and the message says why.

use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::symlink;
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::Path;
use std::thread;

use rustix::process::geteuid;

use crate::program::{Ran, Running, csi_identity, eventually, temporary_folder};
use crate::raw_call::{DATA, END_STREAM, PREFACE, SETTINGS, read_frame, write_frame};
use crate::served::{Served, serve};

const SUBCOMMANDS: [&str; 4] = ["info", "capabilities", "probe", "explain"];

/// Asks in every way, and wants the same error each time.
fn assert_unreachable(socket: &Path, more: &[&str], reason: &str) {
    for subcommand in SUBCOMMANDS {
        for format in ["text", "json"] {
            let mut command = csi_identity([subcommand, "-o", format, "-e"]);
            let ran = Running::spawn(command.arg(socket).args(more)).finish();
            let expected = Ran::error(2, &format!("error: {reason}\n"));
            assert_eq!(ran, expected, "{subcommand} {}", socket.display());
        }
    }
}

/// A server that treats each of so many clients like this.
fn raw_server(socket: &Path, clients: usize, treat: impl Fn(UnixStream) + Send + 'static) {
    let listener = UnixListener::bind(socket).unwrap();
    thread::spawn(move || {
        for client in listener.incoming().take(clients) {
            treat(client.unwrap());
        }
    });
}

#[test]
fn a_path_without_a_socket_is_told_by_what_is_there() {
    let folder = temporary_folder();
    let at = |name: &str| folder.path().join(name);
    let here = folder.path().display();
    fs::write(at("file.sock"), "").unwrap();
    fs::create_dir(at("folder.sock")).unwrap();
    symlink(at("gone.sock"), at("dangling.sock")).unwrap();
    drop(UnixListener::bind(at("stale.sock")).unwrap());
    let _datagram = UnixDatagram::bind(at("datagram.sock")).unwrap();
    for (name, reason) in [
        (
            "none.sock",
            format!(
                "nothing is at {here}/none.sock, though its directory exists; its server has not bound it yet, or binds \
                 another path"
            ),
        ),
        (
            "no/where.sock",
            format!(
                "nothing is at {here}/no/where.sock, because {here}/no does not exist; make that directory, or mount it here"
            ),
        ),
        (
            "file.sock/x.sock",
            format!(
                "nothing is at {here}/file.sock/x.sock, because {here}/file.sock is a regular file; it has to be a directory"
            ),
        ),
        (
            "file.sock",
            format!(
                "{here}/file.sock is a regular file, not a socket; give the path of the server's socket"
            ),
        ),
        (
            "folder.sock",
            format!(
                "{here}/folder.sock is a directory, not a socket; give the path of the server's socket"
            ),
        ),
        (
            "dangling.sock",
            format!(
                "nothing is at {here}/dangling.sock, though its directory exists; its server has not bound it yet, or binds \
                 another path"
            ),
        ),
        (
            "stale.sock",
            format!(
                "nobody listens on {here}/stale.sock; its server is gone and left the socket, or is about to listen"
            ),
        ),
        (
            "datagram.sock",
            format!(
                "{here}/datagram.sock is not a stream socket, which gRPC needs; give the path of the server's socket"
            ),
        ),
    ] {
        assert_unreachable(&at(name), &[], &reason);
    }
}

#[test]
fn a_server_that_is_no_grpc_server_is_told_by_what_it_does() {
    let folder = temporary_folder();
    let at = |name: &str| folder.path().join(name);
    let here = folder.path().display();
    let clients = SUBCOMMANDS.len() * 2;
    raw_server(&at("http.sock"), clients, |mut client| {
        let _request = client.read(&mut [0; 100]).unwrap();
        client
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .unwrap();
    });
    raw_server(&at("closing.sock"), clients, drop);
    for (name, reason) in [
        (
            "http.sock",
            format!(
                "the server of {here}/http.sock does not speak HTTP/2, but answers \"HTTP/1.1 400 Bad Request\"; give the path \
                 of a gRPC server's socket"
            ),
        ),
        (
            "closing.sock",
            format!(
                "the server of {here}/closing.sock closed the connection at once; it is stopping, or refuses this process"
            ),
        ),
    ] {
        assert_unreachable(&at(name), &[], &reason);
    }
}

#[test]
fn a_server_that_says_nothing_is_waited_for_no_longer_than_allowed() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    // The kernel connects clients that nobody accepts.
    let _mute = UnixListener::bind(&socket).unwrap();
    assert_unreachable(
        &socket,
        &["--timeout=200ms"],
        &format!(
            "connected to {}, but no HTTP/2 SETTINGS came within 200ms; its server hangs, or speaks another protocol",
            socket.display()
        ),
    );
}

#[test]
fn a_server_that_goes_away_during_a_call_is_no_answer() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    let clients = SUBCOMMANDS.len() * 2;
    raw_server(&socket, clients, |mut client| {
        write_frame(&mut client, SETTINGS, 0, 0, &[]);
        client.read_exact(&mut [0; PREFACE.len()]).unwrap();
        loop {
            let frame = read_frame(&mut client).unwrap();
            if frame.kind == DATA && frame.flags & END_STREAM != 0 {
                break;
            }
        }
        // Without a reset, which closing would bring about where something is unread.
        client.shutdown(Shutdown::Write).unwrap();
        while read_frame(&mut client).is_some() {}
    });
    assert_unreachable(
        &socket,
        &[],
        &format!(
            "the plugin at {}: the connection was lost before the answer came: stream closed because of a broken pipe",
            socket.display()
        ),
    );
}

#[test]
fn a_stranger_to_the_server_is_turned_away() {
    let own = geteuid().as_raw();
    let stranger = own + 1;
    let open = Served::start(&[
        &format!("--allow-uid={stranger}"),
        &format!("--allow-uid={own}"),
    ]);
    let mut command = csi_identity(["probe", "-e"]);
    let ran = Running::spawn(command.arg(open.socket())).finish();
    assert_eq!(ran, Ran::quiet(0, "ready\n"));

    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    let _closed = Running::spawn(serve(&socket).arg(format!("--allow-uid={stranger}")));
    eventually("a socket", || socket.exists());
    assert_unreachable(
        &socket,
        &[],
        &format!(
            "the server of {} closed the connection at once; it is stopping, or refuses this process",
            socket.display()
        ),
    );
}
