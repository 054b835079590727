//! Modes: those of the socket, and those that shut the program out.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::{Signal, getegid, geteuid};

use crate::program::{Ran, Running, eventually, isolate, listing, temporary_folder};
use crate::served::{IDENTITY, Served, serve};

#[test]
fn a_socket_is_private_unless_a_mode_is_asked_for() {
    for (arguments, mode) in [
        (&[][..], 0o600),
        (&["--socket-mode=0660"], 0o660),
        (&["--socket-mode=666"], 0o666),
    ] {
        let served = Served::start(arguments);
        let file = fs::metadata(served.socket()).unwrap();
        assert_eq!(file.mode() & 0o7777, mode, "{arguments:?}");
    }
}

#[test]
fn a_socket_takes_the_group_that_was_asked_for() {
    let gid = getegid().as_raw();
    let served = Served::start(&[&format!("--socket-group={gid}")]);
    assert_eq!(fs::metadata(served.socket()).unwrap().gid(), gid);
}

#[test]
fn a_mode_that_was_meant_as_decimal_is_a_warning_where_it_shuts_out_the_owner() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    // 0660, as a reader of YAML writes it.
    let running = Running::spawn(serve(&socket).arg("--socket-mode=432"));
    eventually("a socket", || socket.exists());
    running.signal(Signal::TERM);
    let ran = running.finish();
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.log()[0],
        "WARN csi_identity::serve: socket mode 0432 does not let the socket's owner connect; modes are octal, as in 0660"
    );
}

#[test]
fn a_folder_that_may_not_be_written_to_is_named_with_its_mode() {
    let folder = temporary_folder();
    set_mode(folder.path(), 0o755);
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    set_mode(&inner, 0o555);
    let socket = inner.join("csi.sock");
    let (mut command, uid, gid) = unprivileged(folder.path());
    command.args(["serve", "-e"]).arg(&socket).args(IDENTITY);
    let ran = Running::spawn(&mut command).finish();
    let owner = fs::metadata(&inner).unwrap();
    let error = format!(
        "error: permission to bind {} denied: {} (uid {}, gid {}, mode 0555) does not let this process (uid {uid}, gid {gid}) \
         make a socket in it, which needs the write and execute bits; change its group or mode, or the user of the process\n",
        socket.display(),
        inner.display(),
        owner.uid(),
        owner.gid(),
    );
    assert_eq!(ran, Ran::error(2, &error));
    assert_eq!(listing(&inner), [""; 0]);
}

#[test]
fn a_demo_that_may_not_have_a_folder_names_the_place() {
    let folder = temporary_folder();
    set_mode(folder.path(), 0o755);
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    set_mode(&inner, 0o555);
    let (mut command, ..) = unprivileged(folder.path());
    let ran = Running::spawn(command.arg("demo").env("TMPDIR", &inner)).finish();
    let place = inner.display();
    let expected = format!(
        "error: cannot make a folder in {place}; set TMPDIR to a place where that is possible: Permission denied (os error \
         13) at path \"{place}/csi-identity-demo-"
    );
    assert_eq!((ran.code, &*ran.stdout), (2, ""));
    assert!(ran.stderr.starts_with(&expected), "{ran:?}");
}

#[test]
fn a_group_that_cannot_be_given_leaves_nothing_behind() {
    let folder = temporary_folder();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    set_mode(folder.path(), 0o755);
    set_mode(&inner, 0o777);
    let socket = inner.join("csi.sock");
    let (mut command, ..) = unprivileged(folder.path());
    command.args(["serve", "--socket-group=0", "-e"]);
    let ran = Running::spawn(command.arg(&socket).args(IDENTITY)).finish();
    let error = format!(
        "error: socket {} cannot be given group 0; it takes a member of that group, or CAP_CHOWN: Operation not permitted (os \
         error 1)\n",
        socket.display()
    );
    assert_eq!(ran, Ran::error(2, &error));
    assert_eq!(listing(&inner), [""; 0]);
}

#[test]
fn a_socket_that_may_not_be_connected_to_is_named_with_its_mode() {
    let served = Served::start(&[]);
    set_mode(served.folder(), 0o755);
    set_mode(served.socket(), 0o400);
    let socket = served.socket().display();
    let owner = fs::metadata(served.socket()).unwrap();
    for subcommand in ["info", "capabilities", "probe"] {
        let (mut command, uid, gid) = unprivileged(served.folder());
        command.args([subcommand, "-e"]).arg(served.socket());
        let ran = Running::spawn(&mut command).finish();
        let error = format!(
            "error: permission to connect to {socket} denied: {socket} (uid {}, gid {}, mode 0400) does not let this process \
             (uid {uid}, gid {gid}) connect, which needs the write bit; change its group or mode, or the user of the \
             process\n",
            owner.uid(),
            owner.gid(),
        );
        assert_eq!(ran, Ran::error(2, &error));
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// The program without root's rights, and its user and group. Modes shut out root no more than it wishes.
fn unprivileged(folder: &Path) -> (Command, u32, u32) {
    let mut program = PathBuf::from(env!("CARGO_BIN_EXE_csi-identity"));
    let (mut uid, mut gid) = (geteuid().as_raw(), getegid().as_raw());
    let is_root = uid == 0;
    if is_root {
        // Where it was built, nobody else may be able to go. Another process copies it: of a descriptor that writes to it
        // here, children of other tests would have a copy for a moment, and a file that is written to cannot be run.
        let copy = folder.join("csi-identity");
        let copied = Command::new("cp").arg(program).arg(&copy).status();
        assert!(copied.unwrap().success());
        program = copy;
        (uid, gid) = (54321, 54321);
    }
    let mut command = Command::new(program);
    isolate(&mut command);
    if is_root {
        command.uid(uid).gid(gid);
    }
    (command, uid, gid)
}
