//! A program of ours whose log can be read while it runs.

use std::net::SocketAddr;
use std::process::Command;

use rustix::process::Signal;
use tempfile::NamedTempFile;

use crate::http::{self, Answer};
use crate::program::{Ran, Running, eventually};

#[derive(Debug)]
pub(crate) struct Process {
    running: Running,
    log: NamedTempFile,
}

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        let log = NamedTempFile::new().unwrap();
        command.stderr(log.reopen().unwrap());
        let running = Running::spawn(command);
        Self { running, log }
    }

    /// The whole lines of its log so far, without their times.
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.log.path()).unwrap();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let without_time = |line: &str| match line.split_once("Z ") {
            Some((_, rest)) => rest.trim().to_owned(),
            None => line.to_owned(),
        };
        whole.lines().map(without_time).collect()
    }

    /// The lines that have this in them.
    pub(crate) fn lines_with(&self, text: &str) -> Vec<String> {
        let mut lines = self.lines();
        lines.retain(|line| line.contains(text));
        lines
    }

    /// Waits until its log has this in so many lines.
    pub(crate) fn has_said(&self, text: &str, times: usize) {
        eventually(text, || self.lines_with(text).len() >= times);
    }

    /// Where it serves HTTP, in the order of its log.
    pub(crate) fn addresses(&self, count: usize) -> Vec<SocketAddr> {
        const LINE: &str = "serving HTTP address=";
        self.has_said(LINE, count);
        let lines = self.lines_with(LINE);
        let addresses = lines.iter().map(|line| line.split_once(LINE).unwrap().1);
        addresses.map(|address| address.parse().unwrap()).collect()
    }

    /// Where it serves HTTP, as seen from this machine.
    pub(crate) fn address(&self) -> SocketAddr {
        let mut address = self.addresses(1)[0];
        if address.ip().is_unspecified() {
            address.set_ip("127.0.0.1".parse().unwrap());
        }
        address
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        http::get(self.address(), path)
    }

    /// What it says of its registration when all is asked for.
    pub(crate) fn registration(&self) -> serde_json::Value {
        http::json(self.address(), "/registrationz")["registration"].take()
    }

    /// Waits until its registration is in this state; returns the whole answer.
    pub(crate) fn comes_to(&self, state: &str) -> Answer {
        let start = format!("{state}: ");
        eventually(state, || {
            self.get("/registrationz").body.starts_with(&start)
        });
        self.get("/registrationz")
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.running.signal(signal);
    }

    /// Asks it to end, and waits for that.
    pub(crate) fn stop(self) -> Ran {
        self.signal(Signal::TERM);
        self.finish()
    }

    /// Ends it without its having a say, and waits for that.
    pub(crate) fn kill(self) {
        self.signal(Signal::KILL);
        assert_eq!(self.finish().code, -9);
    }

    /// Waits for its end.
    pub(crate) fn finish(self) -> Ran {
        let Self { running, log } = self;
        let ran = running.finish();
        let stderr = std::fs::read_to_string(log.path()).unwrap();
        assert!(!stderr.contains("panicked"), "{stderr}");
        Ran { stderr, ..ran }
    }
}
