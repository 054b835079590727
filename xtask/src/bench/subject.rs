use std::{
    fs,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::process::Process;
use crate::{
    http2::{Caller, DRIVER_NAME, DRIVER_VERSION, Method, await_answer},
    workspace,
};

/// A server that can be started as often as needed.
#[derive(Debug)]
pub(crate) struct Subject {
    binary: PathBuf,
    arguments: fn(&str) -> Vec<String>,
    /// What its configuration file says, made from the path of its folder.
    configuration: Option<fn(&Path) -> String>,
    /// The program that runs it, with its arguments; none by default.
    runner: &'static [&'static str],
}

impl Subject {
    /// The base line, built now.
    pub(crate) fn stock() -> Result<Self> {
        Ok(Self::of_one_argument(workspace::build(
            "stock-tonic",
            "stock-tonic",
            |_| (),
        )?))
    }

    /// The base line for health over HTTP, built now; what is told to it is not what a plugin is told.
    pub(crate) fn stock_health() -> Result<PathBuf> {
        workspace::build("stock-axum", "stock-axum", |_| ())
    }

    /// A server that takes the path of its socket and nothing else.
    pub(crate) fn of_one_argument(binary: PathBuf) -> Self {
        Self {
            binary,
            arguments: |socket| vec![socket.to_owned()],
            configuration: None,
            runner: &[],
        }
    }

    /// `csi-identity`, built now.
    pub(crate) fn ours() -> Result<Self> {
        Ok(Self::ours_at(workspace::build(
            "csi-identity-cli",
            "csi-identity",
            |_| (),
        )?))
    }

    /// A `csi-identity` that is built already.
    pub(crate) fn ours_at(binary: PathBuf) -> Self {
        Self {
            binary,
            arguments: serve_arguments,
            configuration: None,
            runner: &[],
        }
    }

    /// The same with a configuration file beside its arguments, for a `csi-identity` only.
    pub(crate) fn configured(&self, configuration: fn(&Path) -> String) -> Self {
        Self {
            binary: self.binary.clone(),
            arguments: self.arguments,
            configuration: Some(configuration),
            runner: self.runner,
        }
    }

    /// The same, run by a program that has the path of the binary after its arguments.
    pub(crate) fn under(&self, runner: &'static [&'static str]) -> Self {
        Self {
            binary: self.binary.clone(),
            arguments: self.arguments,
            configuration: self.configuration,
            runner,
        }
    }

    /// Path of the binary.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    /// Bytes of the binary.
    pub(crate) fn size(&self) -> Result<u64> {
        let metadata = fs::metadata(&self.binary);
        let metadata =
            metadata.with_context(|| format!("cannot read {}", self.binary.display()))?;
        Ok(metadata.len())
    }

    /// Starts it in a temporary folder, without waiting for it.
    pub(crate) fn start(&self) -> Result<Running> {
        let directory = tempfile::tempdir().context("cannot make a temporary directory")?;
        let socket = directory.path().join("csi.sock").display().to_string();
        let log = directory.path().join("log");
        let mut command = match self.runner {
            [] => Command::new(&self.binary),
            [program, arguments @ ..] => {
                let mut command = Command::new(program);
                command.args(arguments).arg(&self.binary);
                command
            }
        };
        command.args((self.arguments)(&socket));
        if let Some(configuration) = self.configuration {
            let file = directory.path().join("csi.yaml");
            fs::write(&file, configuration(directory.path()))
                .context("cannot write a configuration")?;
            command.arg("--config").arg(file);
        }
        Ok(Running {
            process: Process::spawn(&mut command, log)?,
            socket,
            directory,
        })
    }
}

/// A server that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    process: Process,
    socket: String,
    directory: TempDir,
}

impl Running {
    /// Waits for the first answer, and keeps the connection on which it came.
    pub(crate) fn await_answer(&mut self) -> Result<Caller> {
        let Self {
            process, socket, ..
        } = self;
        await_answer(
            Path::new(socket),
            Method::GetPluginInfo,
            "localhost",
            || process.require_running(),
        )
    }

    pub(crate) fn process(&self) -> &Process {
        &self.process
    }

    /// Asks it to stop, and returns what it wrote to standard error.
    pub(crate) fn terminate(self) -> Result<String> {
        self.process.terminate()
    }

    pub(crate) fn connect(&self, method: Method<'_>, authority: &str) -> Result<Caller> {
        Caller::open(UnixStream::connect(&self.socket)?, method, authority)
    }

    /// Its folder, with its socket and its configuration in it.
    pub(crate) fn folder(&self) -> &Path {
        self.directory.path()
    }

    /// Path of the socket.
    pub(crate) fn socket(&self) -> &str {
        &self.socket
    }
}

/// What `csi-identity serve` is told about the plugin that it is.
pub(crate) fn serve_arguments(socket: &str) -> Vec<String> {
    let endpoint = format!("unix://{socket}");
    let arguments = [
        ["--endpoint", &endpoint],
        ["--name", DRIVER_NAME],
        ["--vendor-version", DRIVER_VERSION],
        ["--capability", "CONTROLLER_SERVICE"],
    ];
    let arguments = arguments.as_flattened().iter().copied();
    ["serve"]
        .into_iter()
        .chain(arguments)
        .map(str::to_owned)
        .collect()
}
