use std::{
    fs,
    net::SocketAddr,
    os::unix::{fs::symlink, net::UnixStream},
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::{
    bench::{process::Process, sidecars::Sidecars, subject::serve_arguments},
    http2::{Caller, DRIVER_NAME, Method, await_answer},
};

/// How long a process may need to say where it answers.
const PATIENCE: Duration = Duration::from_secs(10);

/// Between two looks at a log.
const PAUSE: Duration = Duration::from_micros(200);

/// What is run on a node.
#[derive(Debug)]
pub(crate) struct Programs<'a> {
    /// The plugin, which is the same for everybody.
    pub(crate) plugin: PathBuf,
    /// What answers over HTTP and is no product, if it is wanted.
    pub(crate) stock_health: Option<PathBuf>,
    pub(crate) ours: PathBuf,
    pub(crate) sidecars: Option<&'a Sidecars>,
}

/// A node in a temporary folder.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    programs: &'a Programs<'a>,
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
    pub(crate) fn new(programs: &'a Programs<'a>) -> Result<Self> {
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
        self.hidden(&self.programs.plugin)
    }

    fn hidden(&self, program: &Path) -> Result<Hidden> {
        let to = self.plugin_socket();
        let from = to.with_file_name("next.sock");
        let mut command = Command::new(program);
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

    /// The same in Go.
    pub(crate) fn plugin_in_go(&self, sidecars: &Sidecars) -> Result<Process> {
        self.hidden(&sidecars.plugin())?.show()
    }

    /// Starts a plugin of ours that registers itself and answers over HTTP, without waiting for anything.
    pub(crate) fn registering_plugin(&self) -> Result<Process> {
        let socket = self.plugin_socket();
        let mut command = Command::new(&self.programs.ours);
        command
            .args(serve_arguments(&socket.display().to_string()))
            .args(["--node-id", "node-1", "--http-endpoint", "127.0.0.1:0"])
            .args(["--register", "--kubelet-registration-path"])
            .arg(socket)
            .arg("--plugin-registration-path")
            .arg(self.registry());
        Process::spawn(&mut command, self.path("plugin.log"))
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

    /// Starts ours under the name of the sidecar that registers, with its flags.
    pub(crate) fn registrar_by_name(&self) -> Result<Process> {
        let mut command = self.named("csi-node-driver-registrar")?;
        command
            .arg("--csi-address")
            .arg(self.plugin_socket())
            .arg("--kubelet-registration-path")
            .arg(self.plugin_socket())
            .arg("--plugin-registration-path")
            .arg(self.registry());
        Process::spawn(&mut command, self.path("registrar.log"))
    }

    /// Starts ours under the name of the sidecar that answers over HTTP, with its flags.
    pub(crate) fn liveness_by_name(&self) -> Result<Process> {
        let mut command = self.named("livenessprobe")?;
        command
            .args(["--http-endpoint", "127.0.0.1:0", "--csi-address"])
            .arg(self.plugin_socket());
        Process::spawn(&mut command, self.path("liveness.log"))
    }

    /// Ours, by a link, as in an image that takes the place of another.
    fn named(&self, name: &str) -> Result<Command> {
        let link = self.path(name);
        let ours = fs::canonicalize(&self.programs.ours)
            .with_context(|| format!("cannot find {}", self.programs.ours.display()))?;
        symlink(ours, &link).with_context(|| format!("cannot make a link {name}"))?;
        Ok(Command::new(link))
    }

    /// Starts the base line that answers over HTTP.
    pub(crate) fn stock_health(&self) -> Result<Process> {
        let program = self.programs.stock_health.as_ref();
        let mut command = Command::new(program.context("there is no base line for HTTP")?);
        command.arg(self.plugin_socket()).arg("127.0.0.1:0");
        Process::spawn(&mut command, self.path("stock-health.log"))
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

    pub(crate) fn delete_registration_socket(&self) -> Result<()> {
        fs::remove_file(self.registration_socket()).context("cannot delete a registration socket")
    }

    /// Whether a deleted socket is there again and answers; waits for so long.
    pub(crate) fn registrar_comes_back(
        &self,
        process: &mut Process,
        within: Duration,
    ) -> Result<bool> {
        let socket = self.registration_socket();
        let deadline = Instant::now() + within;
        while !socket.exists() {
            process.require_running()?;
            if Instant::now() >= deadline {
                return Ok(false);
            }
            thread::sleep(PAUSE);
        }
        self.await_registrar(process)?;
        Ok(true)
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
