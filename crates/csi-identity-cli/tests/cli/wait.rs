//! `probe --wait`, from sockets that are late to plugins that never get ready.

use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, Instant};

use tonic::Code;

use crate::fake_plugin::{FakePlugin, Reply, Script};
use crate::program::{Ran, Running, csi_identity, eventually, temporary_folder};

fn wait_for(socket: &Path, more: &[&str]) -> Running {
    let mut command = csi_identity(["probe", "--wait", "-e"]);
    Running::spawn(command.arg(socket).args(more))
}

#[test]
fn a_late_socket_is_waited_for() {
    let folder = temporary_folder();
    let socket = folder.path().join("plugins/disk/csi.sock");
    let waiting = wait_for(&socket, &["--timeout=30s"]);
    eventually("the program watches for the socket", || {
        let mut descriptors = waiting.descriptors();
        descriptors.any(|target| target.as_os_str() == "anon_inode:inotify")
    });

    std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
    let _plugin = FakePlugin::start_at(&socket, Script::default());
    assert_eq!(waiting.finish(), Ran::quiet(0, "ready\n"));
}

#[test]
fn a_starting_plugin_is_waited_for() {
    let plugin = FakePlugin::start(Script::probes([Reply::Ok(Some(false)), Reply::Ok(None)]));
    let ran = wait_for(plugin.socket(), &["--timeout=30s"]).finish();
    assert_eq!(ran, Ran::quiet(0, "ready (unset, which means ready)\n"));
    assert_eq!(plugin.probes(), 2);
}

#[test]
fn calls_that_hang_or_come_too_late_are_made_again() {
    let plugin = FakePlugin::start(Script::probes([
        Reply::Never,
        Reply::Error(Code::DeadlineExceeded, "too slow"),
        Reply::Ok(Some(true)),
    ]));
    let ran = wait_for(plugin.socket(), &["--timeout=30s", "-o", "json"]).finish();
    assert_eq!(ran, Ran::quiet(0, "{\n  \"ready\": true\n}\n"));
    assert_eq!(plugin.probes(), 3);
}

#[test]
fn running_out_of_time_tells_the_last_answer_and_fails() {
    for (reply, text) in [
        (
            Reply::Ok(Some(false)),
            "not ready: starting, or waiting for what it depends on (ready=false)\n",
        ),
        (
            Reply::Error(Code::DeadlineExceeded, "too slow"),
            "DEADLINE_EXCEEDED: too slow\n",
        ),
    ] {
        let plugin = FakePlugin::start(Script::probes([reply]));
        let ran = wait_for(plugin.socket(), &["--timeout=300ms"]).finish();
        assert_eq!((ran.code, &*ran.stdout), (1, text));
        assert_eq!(ran.log(), ["WARN csi_identity::probe: gave up after 300ms"]);
    }
}

#[test]
fn running_out_of_time_without_an_answer_says_why_there_was_none() {
    let folder = temporary_folder();
    let at = |name: &str| folder.path().join(name);
    let here = folder.path().display();
    let hanging = FakePlugin::start_at(&at("hanging.sock"), Script::mute());
    let _mute = UnixListener::bind(at("mute.sock")).unwrap();
    drop(UnixListener::bind(at("stale.sock")).unwrap());
    for (name, reason) in [
        (
            "none.sock",
            format!(
                "nothing is at {here}/none.sock, though its directory exists; its server has not bound it yet, or binds \
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
            "mute.sock",
            format!(
                "connected to {here}/mute.sock, but no HTTP/2 SETTINGS came within 100ms; its server hangs, or speaks another \
                 protocol"
            ),
        ),
        (
            "hanging.sock",
            format!("the plugin at {here}/hanging.sock takes calls, but did not answer"),
        ),
    ] {
        let ran = wait_for(&at(name), &["--timeout=300ms"]).finish();
        let expected = format!("error: gave up after 300ms: {reason}\n");
        assert_eq!(ran, Ran::error(2, &expected));
    }
    assert_eq!(hanging.probes(), 1);
}

#[test]
fn any_other_error_ends_the_wait_at_once() {
    for (code, text) in [
        (
            Code::FailedPrecondition,
            "FAILED_PRECONDITION: pool p0 is offline\n",
        ),
        (Code::Unimplemented, "UNIMPLEMENTED: pool p0 is offline\n"),
        (Code::Unavailable, "UNAVAILABLE: pool p0 is offline\n"),
    ] {
        let reply = Reply::Error(code, "pool p0 is offline");
        let plugin = FakePlugin::start(Script::probes([reply]));
        // Without end, if it were not at once.
        let ran = wait_for(plugin.socket(), &["--timeout=999999999h"]).finish();
        assert_eq!(ran, Ran::quiet(1, text));
        assert_eq!(plugin.probes(), 1);
    }
}

#[test]
fn a_plugin_that_goes_away_while_it_starts_ends_the_wait() {
    let plugin = FakePlugin::start(Script::probes([Reply::Ok(Some(false))]));
    let socket = plugin.socket().to_owned();
    let waiting = wait_for(&socket, &["--timeout=30s"]);
    // The first has been answered when the second comes.
    eventually("two Probes", || plugin.probes() > 1);
    let started = Instant::now();
    drop(plugin);
    let ran = waiting.finish();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(
        (ran.code, &*ran.stdout),
        (
            1,
            "not ready: starting, or waiting for what it depends on (ready=false)\n"
        )
    );
    assert_eq!(ran.log().len(), 1, "{:?}", ran.log());
}
