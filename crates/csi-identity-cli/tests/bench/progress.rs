//! What is seen while it runs.

use std::fs::File;
use std::io::Read;

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};

use crate::counting_plugin::CountingPlugin;
use crate::measured::bench;
use crate::program::Running;

/// Long enough for one line of progress.
const ARGUMENTS: &[&str] = &["--duration=1500ms", "--warmup=0s"];

#[test]
fn a_terminal_shows_how_far_it_is_and_nothing_of_it_stays() {
    let plugin = CountingPlugin::start();
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    let terminal = openpt(flags).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let mut command = bench(plugin.socket(), ARGUMENTS);
    command.stderr(ioctl_tiocgptpeer(&terminal, flags).unwrap());
    let running = Running::spawn(&mut command);
    // With it goes the last descriptor of the terminal that is not the program's.
    drop(command);
    let mut seen = Vec::new();
    // Where nobody has the terminal any more, reading it is an error and not an end.
    let end = File::from(terminal).read_to_end(&mut seen).unwrap_err();
    assert_eq!(
        end.raw_os_error(),
        Some(rustix::io::Errno::IO.raw_os_error())
    );
    assert_eq!(running.finish().code, 0);
    let seen = String::from_utf8(seen).unwrap();
    let parts: Vec<_> = seen.split('\r').collect();
    let ["", line, "", blank, ""] = &*parts else {
        panic!("{seen:?}");
    };
    let (_, calls) = line.split_once("1 of 2 s: ").unwrap();
    assert!(calls.ends_with(" calls, 0 failed"), "{seen:?}");
    assert_eq!(*blank, " ".repeat(line.len()));
}

#[test]
fn what_is_no_terminal_is_not_written_to() {
    let plugin = CountingPlugin::start();
    let ran = Running::spawn(&mut bench(plugin.socket(), ARGUMENTS)).finish();
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
}
