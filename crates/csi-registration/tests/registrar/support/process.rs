//! A part of a test in a process of its own: this program again, told by a variable what to be.

use std::process::Stdio;

use rustix::process::{Signal, set_parent_process_death_signal};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use super::within;

/// Where the process finds its options.
const OPTIONS: &str = "TEST_PROCESS_OPTIONS";

/// What its lines begin with; the test runner writes others.
const PREFIX: &str = "it says: ";

/// It is killed when dropped.
#[derive(Debug)]
pub(crate) struct TestProcess {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl TestProcess {
    /// Starts an ignored test of this program as a process.
    pub(crate) fn start(test: &str, options: &impl Serialize) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--ignored", "--nocapture", test])
            .env(OPTIONS, serde_json::to_string(options).unwrap())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// What it says next; nothing when it has ended.
    pub(crate) async fn says<T: DeserializeOwned>(&mut self) -> Option<T> {
        while let Some(line) = self.lines.next_line().await.unwrap() {
            if let Some((_, said)) = line.split_once(PREFIX) {
                return Some(serde_json::from_str(said).unwrap());
            }
        }
        None
    }

    /// SIGKILL.
    pub(crate) async fn kill(mut self) {
        within("a process is killed", self.child.kill())
            .await
            .unwrap();
    }

    /// In the process: what it was started with. From now on it dies with the test that started it.
    pub(crate) fn options<T: DeserializeOwned>() -> T {
        set_parent_process_death_signal(Some(Signal::KILL)).unwrap();
        serde_json::from_str(&std::env::var(OPTIONS).unwrap()).unwrap()
    }

    /// In the process: says something.
    #[expect(
        clippy::print_stdout,
        reason = "standard output is how the process says what it saw"
    )]
    pub(crate) fn say(something: &impl Serialize) {
        println!("{PREFIX}{}", serde_json::to_string(something).unwrap());
    }
}
