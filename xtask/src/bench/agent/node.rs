use std::{
    fs,
    net::SocketAddr,
    os::unix::net::UnixStream,
    path::PathBuf,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::sidecars::Sidecars;
use crate::{
    bench::process::Process,
    http2::{Caller, DRIVER_NAME, Method, await_answer},
};

/// How long a process may need to say where it answers.
const PATIENCE: Duration = Duration::from_secs(10);

/// Between two looks at a log.
const PAUSE: Duration = Duration::from_micros(200);

/// What is run on a node.
#[derive(Debug)]
pub(crate) struct Programs {
    /// The plugin, which is the same for everybody.
    pub(crate) plugin: PathBuf,
    pub(crate) ours: PathBuf,
    pub(crate) sidecars: Option<Sidecars>,
}

/// A node in a temporary folder.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    programs: &'a Programs,
    folder: TempDir,
}

/// A plugin that serves where nobody looks yet.
#[derive(Debug)]
pub(crate) struct Hidden {
    process: Process,
    from: PathBuf,
    to: PathBuf,
}

impl<'a> Node<'a> {
    pub(crate) fn new(programs: &'a Programs) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a temporary directory")?;
        let node = Self { programs, folder };
        let plugins = node.plugin_socket();
        let registry = node.registry();
        for folder in [plugins.parent(), Some(&*registry)].into_iter().flatten() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        Ok(node)
    }

    /// Starts a plugin under another name and waits for its first answer.
    pub(crate) fn hidden_plugin(&self) -> Result<Hidden> {
        let to = self.plugin_socket();
        let from = to.with_file_name("next.sock");
        let mut command = Command::new(&self.programs.plugin);
        command.arg(&from);
        let mut process = Process::spawn(&mut command, self.path("plugin.log"))?;
        await_answer(&from, Method::GetPluginInfo, "localhost", || {
            process.require_running()
        })?;
        Ok(Hidden { process, from, to })
    }

    pub(crate) fn plugin(&self) -> Result<Process> {
        self.hidden_plugin()?.show()
    }

    /// Starts the agent, without waiting for anything.
    pub(crate) fn agent(&self) -> Result<Process> {
        let mut command = Command::new(&self.programs.ours);
        command
            .args(["agent", "--http-endpoint", "127.0.0.1:0", "--endpoint"])
            .arg(self.plugin_socket())
            .arg("--kubelet-registration-path")
            .arg(self.plugin_socket())
            .arg("--plugin-registration-path")
            .arg(self.registry());
        Process::spawn(&mut command, self.path("agent.log"))
    }

    /// Starts the one in Go that answers over HTTP.
    pub(crate) fn liveness(&self, sidecars: &Sidecars) -> Result<Process> {
        let mut command = Command::new(sidecars.liveness());
        command.arg(self.plugin_socket()).arg("127.0.0.1:0");
        Process::spawn(&mut command, self.path("liveness.log"))
    }

    /// Starts the one in Go that registers.
    pub(crate) fn registrar(&self, sidecars: &Sidecars) -> Result<Process> {
        let mut command = Command::new(sidecars.registrar());
        command.arg(self.plugin_socket()).arg(self.registry());
        Process::spawn(&mut command, self.path("registrar.log"))
    }

    /// Waits until whoever registers the plugin answers a kubelet.
    pub(crate) fn await_registrar(&self, process: &mut Process) -> Result<()> {
        let endpoint = self.plugin_socket().display().to_string();
        let method = Method::GetInfo {
            endpoint: &endpoint,
        };
        let socket = self.registration_socket();
        // Kubelets send the path as the authority.
        let authority = socket.display().to_string();
        await_answer(&socket, method, &authority, || process.require_running()).map(drop)
    }

    /// Does what a kubelet does when it has registered the plugin.
    pub(crate) fn register(&self, process: &mut Process) -> Result<()> {
        self.await_registrar(process)?;
        let socket = self.registration_socket();
        let authority = socket.display().to_string();
        let stream = UnixStream::connect(&socket).context("cannot connect to a registrar")?;
        Caller::open(stream, Method::NotifyRegistered, &authority)?.call()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn plugin_socket(&self) -> PathBuf {
        self.path("plugins").join(DRIVER_NAME).join("csi.sock")
    }

    fn registry(&self) -> PathBuf {
        self.path("registry")
    }

    fn registration_socket(&self) -> PathBuf {
        self.registry().join(format!("{DRIVER_NAME}-reg.sock"))
    }
}

impl Hidden {
    /// Gives the socket its name, where it takes connections from this moment on.
    pub(crate) fn show(self) -> Result<Process> {
        let Self { process, from, to } = self;
        fs::rename(from, to).context("cannot rename a socket")?;
        Ok(process)
    }
}

/// Waits until a process says where it answers over HTTP.
pub(crate) fn address(process: &mut Process) -> Result<SocketAddr> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let log = process.log()?;
        let lines = log
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        let said = lines.filter_map(|line| line.split_once("address=")).next();
        if let Some((_, address)) = said {
            let address = address.trim();
            return address
                .parse()
                .with_context(|| format!("no address: {address}"));
        }
        process.require_running()?;
        ensure!(Instant::now() < deadline, "no word of an address: {log}");
        thread::sleep(PAUSE);
    }
}
