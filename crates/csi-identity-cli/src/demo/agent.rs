use std::fs::File;
use std::process::{Child, Command, Stdio};

use anyhow::Context as _;
use rustix::process::{Pid, Signal, kill_process};

use super::stage::Stage;

/// The agent as it runs on a node: a process of its own, which is how a kubelet meets it.
#[derive(Debug)]
pub(super) struct Agent {
    process: Child,
}

impl Agent {
    /// Starts it; what it logs goes to a file in the folder, after what an earlier one has logged.
    pub(super) fn start(stage: &Stage) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let log = File::options()
            .create(true)
            .append(true)
            .open(stage.folder().join("agent.log"))
            .context("cannot keep the agent's log")?;
        let plugin = stage.plugin().path();
        let process = Command::new(program)
            .arg("agent")
            .arg("--endpoint")
            .arg(plugin)
            .arg("--kubelet-registration-path")
            .arg(plugin)
            .arg("--plugin-registration-path")
            .arg(stage.registration().directory())
            .arg("--kubelet-root-dir")
            .arg(stage.folder())
            .arg("--state-file")
            .arg(stage.folder().join("registration.json"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .context("cannot start the agent")?;
        Ok(Self { process })
    }

    /// Asks it to stop, and waits until it has.
    pub(super) async fn stop(mut self) -> anyhow::Result<()> {
        kill_process(Pid::from_child(&self.process), Signal::TERM)?;
        let ended = tokio::task::spawn_blocking(move || self.process.wait()).await;
        ended.context("cannot wait for the agent")??;
        Ok(())
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
