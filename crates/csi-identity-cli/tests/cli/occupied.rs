//! Places where `serve` cannot have its socket: what is there stays as it is.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::Path;

use crate::program::{Ran, Running, listing, temporary_folder};
use crate::served::{Served, serve};

fn refused(socket: &Path) -> Ran {
    Running::spawn(&mut serve(socket)).finish()
}

#[test]
fn whatever_is_at_the_path_is_named_and_left_alone() {
    let folder = temporary_folder();
    let at = |name: &str| folder.path().join(name);
    let here = folder.path().display();
    fs::write(at("file.sock"), "kept").unwrap();
    fs::create_dir(at("folder.sock")).unwrap();
    let _live = UnixListener::bind(at("live.sock")).unwrap();
    let _datagram = UnixDatagram::bind(at("datagram.sock")).unwrap();
    symlink(at("live.sock"), at("link.sock")).unwrap();
    symlink(at("gone.sock"), at("dangling.sock")).unwrap();
    let before = listing(folder.path());

    let alone = "not a socket, and is left alone; remove it, or choose another path";
    let pid = std::process::id();
    for (name, error) in [
        (
            "file.sock",
            format!("{here}/file.sock is a regular file, {alone}"),
        ),
        (
            "folder.sock",
            format!("{here}/folder.sock is a directory, {alone}"),
        ),
        (
            "link.sock",
            format!("{here}/link.sock is a symbolic link, {alone}"),
        ),
        (
            "dangling.sock",
            format!("{here}/dangling.sock is a symbolic link, {alone}"),
        ),
        (
            "live.sock",
            format!(
                "socket {here}/live.sock is in use by process {pid}; stop that first, or choose another path"
            ),
        ),
        (
            "datagram.sock",
            format!(
                "socket {here}/datagram.sock is in use by a process that uses it for something else (it is no stream \
                 socket); stop that first, or choose another path"
            ),
        ),
        (
            "no/where.sock",
            format!(
                "no socket can be made in {here}/no, because {here}/no does not exist; make the directory, or mount it here"
            ),
        ),
        (
            "file.sock/csi.sock",
            format!(
                "no socket can be made in {here}/file.sock, because {here}/file.sock is a regular file; it has to be a \
                 directory"
            ),
        ),
    ] {
        assert_eq!(
            refused(&at(name)),
            Ran::error(2, &format!("error: {error}\n"))
        );
        assert_eq!(listing(folder.path()), before);
    }
    assert_eq!(fs::read(at("file.sock")).unwrap(), b"kept");
    assert!(
        fs::metadata(at("link.sock"))
            .unwrap()
            .file_type()
            .is_socket()
    );
}

#[test]
fn a_server_of_the_program_keeps_its_socket() {
    let served = Served::start(&[]);
    let inode = || fs::metadata(served.socket()).unwrap().ino();
    let before = inode();
    let error = format!(
        "error: socket {} is in use by process {}; stop that first, or choose another path\n",
        served.socket().display(),
        served.pid()
    );
    assert_eq!(refused(served.socket()), Ran::error(2, &error));
    assert_eq!(inode(), before);
    assert_eq!(listing(served.folder()), ["csi.sock"]);
}
