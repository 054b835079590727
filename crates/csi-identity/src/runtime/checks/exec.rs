//! A command that ends well.

use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use rustix::process::WaitIdStatus;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;

use super::lane::Lane;
use super::process_group::{KillOnDrop, ProcessGroup};
use crate::ExecCommand;

/// How much of the end of the output goes into a reason, in bytes: so much that all of it is within the limit of one.
const KEPT: usize = 896;

#[derive(Debug)]
pub(super) struct ExecProbe {
    command: ExecCommand,
    lane: Lane<Result<WaitIdStatus, String>>,
    /// Whether a run has come as far as to begin.
    begun: bool,
}

impl ExecProbe {
    pub(super) fn new(command: ExecCommand) -> Self {
        Self {
            command,
            lane: Lane::new(),
            begun: false,
        }
    }

    pub(super) async fn run(&mut self) -> Result<(), String> {
        self.begun = false;
        self.lane.free().await;
        self.begun = true;
        let program = self.command.program().to_owned();
        let unready = |error: io::Error| format!("cannot make a pipe for {program}: {error}");
        let (output, command) = prepared(&self.command).map_err(unready)?;
        let mut output = pipe::Receiver::from_owned_fd(output).map_err(unready)?;

        let group = Arc::new(ProcessGroup::default());
        let _kill = KillOnDrop(Arc::clone(&group));
        let mut tail = Tail::default();
        let status = {
            let mut ended = std::pin::pin!(self.lane.call(move || group.run(command)));
            tokio::select! {
                status = &mut ended => status,
                () = tail.fill(&mut output) => ended.await,
            }
        };
        let status = status?.map_err(|failure| format!("{program} {failure}"))?;
        if status.exit_status() == Some(0) {
            return Ok(());
        }
        tail.fill_from_what_is_there(output);
        let end = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => format!("ended with status {code}"),
            (None, Some(signal)) => format!("was killed by signal {signal}"),
            (None, None) => "ended in an unknown way".to_owned(),
        };
        Err(match tail.text() {
            text if text.trim().is_empty() => format!("{program} {end}"),
            text => format!("{program} {end}: {text}"),
        })
    }

    pub(super) fn doing(&self) -> String {
        let program = self.command.program();
        if self.begun {
            format!("{program} did not end and was killed")
        } else {
            format!("{program} of an earlier run was killed and has not ended")
        }
    }
}

/// The command, and where its output can be read.
fn prepared(command: &ExecCommand) -> io::Result<(OwnedFd, Command)> {
    let (output, input) = io::pipe()?;
    let mut prepared = Command::new(command.program());
    prepared
        .args(command.arguments())
        .stdin(Stdio::null())
        .stdout(input.try_clone()?)
        .stderr(input)
        .process_group(0);
    Ok((output.into(), prepared))
}

/// The end of what a command wrote.
#[derive(Debug, Default)]
struct Tail {
    kept: Vec<u8>,
    is_cut: bool,
}

impl Tail {
    /// Reads until nobody can write any more.
    async fn fill(&mut self, output: &mut pipe::Receiver) {
        let mut buffer = [0; 4096];
        // An error ends the reading as the end does: it is about the reason only.
        while let Ok(count @ 1..) = output.read(&mut buffer).await {
            self.push(buffer.get(..count).unwrap_or_default());
        }
    }

    /// Reads what was written before the command ended. There is no waiting for what others write.
    ///
    /// Not through the runtime, which may not have heard yet that there is something to read.
    fn fill_from_what_is_there(&mut self, output: pipe::Receiver) {
        /// What a pipe holds at most by default (`pipe(7)`), so that someone who writes for ever cannot keep this up.
        const PIPE_SIZE: usize = 64 * 1024;
        let Ok(output) = output.into_nonblocking_fd() else {
            return;
        };
        let mut output = io::PipeReader::from(output);
        let mut buffer = [0; 4096];
        for _ in 0..PIPE_SIZE / buffer.len() {
            match output.read(&mut buffer) {
                Ok(count @ 1..) => self.push(buffer.get(..count).unwrap_or_default()),
                _ => break,
            }
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.kept.extend_from_slice(bytes);
        let over = self.kept.len().saturating_sub(KEPT);
        self.is_cut |= over > 0;
        self.kept.drain(..over);
    }

    fn text(&self) -> String {
        let ellipsis = if self.is_cut { "…" } else { "" };
        format!("{ellipsis}{}", String::from_utf8_lossy(&self.kept))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use tokio::net::unix::pipe;

    use super::Tail;

    #[tokio::test]
    async fn what_was_written_is_there_without_waiting_though_the_runtime_has_not_heard_of_it() {
        let (output, mut input) = std::io::pipe().unwrap();
        let output = pipe::Receiver::from_owned_fd(output.into()).unwrap();
        input.write_all(b"disk is full\n").unwrap();
        let mut tail = Tail::default();
        // Somebody can still write, so there is no end.
        tail.fill_from_what_is_there(output);
        assert_eq!(tail.text(), "disk is full\n");
        drop(input);
    }

    #[test]
    fn only_the_end_is_kept() {
        let mut tail = Tail::default();
        tail.push(b"begin");
        tail.push(&[b'x'; super::KEPT - 3]);
        tail.push(b"end");
        assert_eq!(tail.text(), format!("…{}end", "x".repeat(super::KEPT - 3)));
    }
}
