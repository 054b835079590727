//! Output that nobody reads, or that does not fit: no panic, and the exit code stays true.

use std::fs::File;
use std::io::{BufRead, BufReader, PipeWriter};
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use tonic::Code;

use crate::fake_plugin::{FakePlugin, Reply, Script};
use crate::program::{Ran, Running, csi_identity, listing, temporary_folder};
use crate::served::{await_answer, serve};

/// A pipe whose reader has gone.
fn closed() -> PipeWriter {
    std::io::pipe().unwrap().1
}

fn end_of(command: &mut Command) -> Ran {
    Running::spawn(command).finish()
}

#[test]
fn a_verdict_does_not_depend_on_a_reader() {
    for (script, code) in [
        (Script::default(), 0),
        (Script::error(Code::Unavailable, "away"), 1),
    ] {
        let plugin = FakePlugin::start(script);
        for subcommand in ["info", "capabilities", "probe"] {
            for format in ["text", "json"] {
                let mut command = csi_identity([subcommand, "-o", format, "-e"]);
                let ran = end_of(command.arg(plugin.socket()).stdout(closed()));
                assert_eq!(ran.code, code, "{subcommand} {format}: {ran:?}");
                assert!(!ran.stderr.contains("error"), "{ran:?}");
            }
        }
    }
    let starting = FakePlugin::start(Script::probes([Reply::Ok(Some(false))]));
    let mut probe = csi_identity(["probe", "-e"]);
    let ran = end_of(probe.arg(starting.socket()).stdout(closed()));
    assert_eq!(ran, Ran::quiet(1, ""));
}

#[test]
fn an_error_that_nobody_reads_keeps_its_exit_code() {
    let folder = temporary_folder();
    let nowhere = folder.path().join("csi.sock");
    for subcommand in ["info", "capabilities", "probe"] {
        let mut command = csi_identity([subcommand, "-e"]);
        let ran = end_of(command.arg(&nowhere).stderr(closed()));
        assert_eq!(ran, Ran::quiet(2, ""));
    }
    let _live = UnixListener::bind(&nowhere).unwrap();
    assert_eq!(end_of(serve(&nowhere).stderr(closed())), Ran::quiet(2, ""));
    let usage = end_of(csi_identity(["frobnicate"]).stderr(closed()));
    assert_eq!(usage, Ran::quiet(2, ""));
}

#[test]
fn a_server_outlives_the_reader_of_its_log() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    let running = Running::spawn(serve(&socket).arg("-vv").stderr(closed()));
    await_answer(&socket);
    running.signal(Signal::TERM);
    assert_eq!(running.finish(), Ran::quiet(0, ""));
    assert!(!socket.exists());
}

#[test]
fn output_that_does_not_fit_is_an_error() {
    let plugin = FakePlugin::start(Script::default());
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let expected = Ran::error(2, "error: No space left on device (os error 28)\n");
    for subcommand in ["info", "capabilities", "probe"] {
        let mut command = csi_identity([subcommand, "-e"]);
        let mut ran = end_of(command.arg(plugin.socket()).stdout(full()));
        // Warnings on the name of this plugin come before.
        let error = ran.stderr.find("error: ").unwrap();
        ran.stderr.drain(..error);
        assert_eq!(ran, expected, "{subcommand}");
    }
    assert_eq!(end_of(csi_identity(["demo"]).stdout(full())), expected);
}

#[test]
fn a_demo_of_which_one_line_is_read_plays_to_its_end() {
    let (reader, writer) = std::io::pipe().unwrap();
    let place = temporary_folder();
    let mut command = csi_identity(["demo"]);
    command.env("TMPDIR", place.path()).stdout(writer);
    let running = Running::spawn(&mut command);
    drop(command);
    let mut line = String::new();
    BufReader::with_capacity(1, reader)
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "Registration\n");
    assert_eq!(running.finish(), Ran::quiet(0, ""));
    let left = listing(place.path());
    assert!(
        matches!(&left[..], [picture] if picture.ends_with(".html")),
        "{left:?}"
    );
}
