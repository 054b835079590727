//! Servers that are killed, restarted, and started side by side, a hundred times each.

use std::os::unix::net::UnixListener;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::program::{PATIENCE, Ran, Running, listing, temporary_folder};
use crate::served::{await_answer, serve};

const TIMES: u32 = 100;

#[test]
fn a_killed_server_is_followed_by_one_that_serves() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    for _ in 0..TIMES {
        let running = Running::spawn(&mut serve(&socket));
        await_answer(&socket);
        assert_eq!(listing(folder.path()), ["csi.sock"]);
        running.signal(Signal::KILL);
        assert_eq!(running.finish().code, -Signal::KILL.as_raw());
        assert_eq!(listing(folder.path()), ["csi.sock"]);
    }
}

/// Wherever the kill hits: before the socket is bound, under its hidden name, or when it is there.
#[test]
fn a_server_killed_while_it_starts_leaves_nothing_that_the_next_one_does_not_clear_away() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    for time in 0..TIMES {
        let started = Instant::now();
        let killed = Running::spawn(&mut serve(&socket));
        while started.elapsed() < Duration::from_micros(200) * time {
            std::hint::spin_loop();
        }
        killed.signal(Signal::KILL);
        assert_eq!(killed.finish().code, -Signal::KILL.as_raw());
    }
    let running = Running::spawn(&mut serve(&socket));
    await_answer(&socket);
    assert_eq!(listing(folder.path()), ["csi.sock"]);
    running.signal(Signal::TERM);
    assert_eq!(running.finish().code, 0);
    assert_eq!(listing(folder.path()), [""; 0]);
}

#[test]
fn what_a_killed_server_left_under_the_hidden_name_is_cleared_away() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    drop(UnixListener::bind(folder.path().join(".csi.sock")).unwrap());
    let _running = Running::spawn(&mut serve(&socket));
    await_answer(&socket);
    assert_eq!(listing(folder.path()), ["csi.sock"]);
}

#[test]
fn of_two_servers_started_at_once_one_serves_and_the_other_names_it() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    for _ in 0..TIMES {
        let (ends, ended) = mpsc::channel();
        let start = || Running::spawn_reporting(&mut serve(&socket), ends.clone());
        let (one, other) = (start(), start());
        let (loser, ran) = ended.recv_timeout(PATIENCE).unwrap();
        let winner = if loser == one.pid() { &other } else { &one };
        let error = format!(
            "error: socket {} is in use by process {}; stop that first, or choose another path\n",
            socket.display(),
            winner.pid()
        );
        assert_eq!(ran, Ran::error(2, &error));

        await_answer(&socket);
        assert_eq!(listing(folder.path()), ["csi.sock"]);
        winner.signal(Signal::TERM);
        let (pid, ran) = ended.recv_timeout(PATIENCE).unwrap();
        assert_eq!((pid, ran.code), (winner.pid(), 0));
        assert_eq!(listing(folder.path()), [""; 0]);
    }
}
