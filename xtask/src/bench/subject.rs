use std::{
    env,
    fs::{self, File},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

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
}

impl Subject {
    /// The base line, built now.
    pub(crate) fn stock() -> Result<Self> {
        Ok(Self {
            binary: build("stock-tonic", "stock-tonic")?,
            arguments: |socket| vec![socket.to_owned()],
            configuration: None,
        })
    }

    /// `csi-identity`, built now.
    pub(crate) fn ours() -> Result<Self> {
        Ok(Self::ours_at(build("csi-identity-cli", "csi-identity")?))
    }

    /// A `csi-identity` that is built already.
    pub(crate) fn ours_at(binary: PathBuf) -> Self {
        let arguments = |socket: &str| {
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
        };
        Self {
            binary,
            arguments,
            configuration: None,
        }
    }

    /// The same with a configuration file beside its arguments, for a `csi-identity` only.
    pub(crate) fn configured(&self, configuration: fn(&Path) -> String) -> Self {
        Self {
            binary: self.binary.clone(),
            arguments: self.arguments,
            configuration: Some(configuration),
        }
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
        let mut command = Command::new(&self.binary);
        command.args((self.arguments)(&socket));
        if let Some(configuration) = self.configuration {
            let file = directory.path().join("csi.yaml");
            fs::write(&file, configuration(directory.path()))
                .context("cannot write a configuration")?;
            command.arg("--config").arg(file);
        }
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).context("cannot create a log")?)
            .spawn()
            .with_context(|| format!("cannot run {}", self.binary.display()))?;
        Ok(Running {
            child,
            socket,
            log,
            directory,
        })
    }
}

/// A server that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    socket: String,
    log: PathBuf,
    directory: TempDir,
}

impl Running {
    /// Waits for the first answer, and keeps the connection on which it came.
    pub(crate) fn await_answer(&mut self) -> Result<Caller> {
        let Self {
            child, socket, log, ..
        } = self;
        await_answer(Path::new(socket), "localhost", || {
            match child.try_wait()? {
                None => Ok(()),
                Some(status) => bail!(
                    "the server ended early, {status}: {}",
                    fs::read_to_string(&*log)?.trim()
                ),
            }
        })
    }

    pub(crate) fn connect(&self, method: Method, authority: &str) -> Result<Caller> {
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

    /// Waits until no thread of the server runs; what `/proc` says of it is settled then.
    ///
    /// # Errors
    ///
    /// Where it is still busy after five seconds.
    pub(crate) fn settle(&self) -> Result<()> {
        let deadline = Instant::now() + Duration::from_secs(5);
        while !self.tasks("stat")?.iter().all(|stat| is_asleep(stat)) {
            ensure!(
                Instant::now() < deadline,
                "the server is busy though nobody calls"
            );
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// What `/proc` has in the file `status` of the process.
    pub(crate) fn status(&self) -> Result<String> {
        let path = format!("/proc/{}/status", self.child.id());
        fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))
    }

    /// What `/proc` has in `file` for each of its threads.
    pub(crate) fn tasks(&self, file: &str) -> Result<Vec<String>> {
        let path = format!("/proc/{}/task", self.child.id());
        let tasks = fs::read_dir(&path).with_context(|| format!("cannot list {path}"))?;
        tasks
            .map(|task| Ok(fs::read_to_string(task?.path().join(file))?))
            .collect()
    }
}

/// The number in a line such as `VmRSS:   3640 kB` of a `status` file.
pub(crate) fn number(status: &str, key: &str) -> Result<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.with_context(|| format!("/proc has no number {key}"))
}

/// A `stat` file has the state after the name, which is in parentheses and may have some in it.
fn is_asleep(stat: &str) -> bool {
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| rest.starts_with('S'))
}

fn build(package: &str, binary: &str) -> Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Each on its own, so that no build changes what another is made with.
    let status = Command::new(cargo)
        .args([
            "build",
            "--quiet",
            "--locked",
            "--release",
            "--package",
            package,
            "--bin",
            binary,
        ])
        .current_dir(workspace::path(""))
        .status()
        .context("cannot run cargo")?;
    ensure!(status.success(), "{package} cannot be built");
    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace::path("target"), PathBuf::from);
    Ok(workspace::path("")
        .join(target)
        .join("release")
        .join(binary))
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already if this fails; either way nothing of it stays.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_whole_name() {
        let status =
            "Name:\tServer\nVmRSSx:\t 1 kB\nVmRSS:\t    3640 kB\nvoluntary_ctxt_switches:\t17\n";
        assert_eq!(number(status, "VmRSS").unwrap(), 3640);
        assert_eq!(number(status, "voluntary_ctxt_switches").unwrap(), 17);
        for key in ["Name", "Rss"] {
            let error = number(status, key).unwrap_err().to_string();
            assert_eq!(error, format!("/proc has no number {key}"));
        }
    }

    #[test]
    fn a_sleeping_thread_is_told_from_a_running_one() {
        assert!(is_asleep("12 (csi) S 1 2"));
        assert!(!is_asleep("12 (a) S b) R 1 2"));
        assert!(!is_asleep(""));
    }
}
