//! The agent's process, and what can be seen of it from outside.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::patience::{until, within};

const DRIVER_NAME: &str = "disk.acme.io";

/// Folders of a node.
#[derive(Debug)]
pub(crate) struct Node {
    root: TempDir,
    plugin_socket: PathBuf,
    registration_socket: PathBuf,
}

impl Node {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let plugins = root.path().join("plugins").join(DRIVER_NAME);
        let registry = root.path().join("plugins_registry");
        fs::create_dir_all(&plugins).unwrap();
        fs::create_dir(&registry).unwrap();
        Self {
            plugin_socket: plugins.join("csi.sock"),
            registration_socket: registry.join(format!("{DRIVER_NAME}-reg.sock")),
            root,
        }
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn plugin_socket(&self) -> &Path {
        &self.plugin_socket
    }

    pub(crate) fn registration_socket(&self) -> &Path {
        &self.registration_socket
    }
}

/// One that runs; killed when dropped.
#[derive(Debug)]
pub(crate) struct Agent {
    process: Child,
    log: PathBuf,
}

/// What it holds of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Bytes of resident memory.
    pub(crate) memory: u64,
    pub(crate) descriptors: usize,
    pub(crate) threads: u64,
}

impl Agent {
    pub(crate) fn start(node: &Node) -> Self {
        let log = node.root.path().join("log");
        let process = Command::new(env!("CARGO_BIN_EXE_csi-identity"))
            .args(["agent", "--http-endpoint", "127.0.0.1:0", "--endpoint"])
            .arg(node.plugin_socket())
            .arg("--kubelet-registration-path")
            .arg(node.plugin_socket())
            .arg("--plugin-registration-path")
            .arg(node.registration_socket().parent().unwrap())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        Self { process, log }
    }

    /// What it logged.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    pub(crate) fn footprint(&self) -> Footprint {
        let pid = self.process.id();
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let number = |key: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(key));
            let number = line.unwrap().split_whitespace().next();
            number.unwrap().parse().unwrap()
        };
        Footprint {
            memory: 1024 * number("VmRSS:"),
            descriptors: fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count(),
            threads: number("Threads:"),
        }
    }

    /// Connects to its HTTP, as soon as it has said where that is.
    pub(crate) async fn connect(&self) -> Http {
        let address = || {
            let log = self.log();
            let (_, rest) = log.split_once("address=")?;
            let (address, _) = rest.split_once('\n')?;
            Some(address.to_owned())
        };
        until("the agent serves HTTP", || address().is_some()).await;
        Http(TcpStream::connect(address().unwrap()).await.unwrap())
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // It has ended already if this fails.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A connection that stays.
#[derive(Debug)]
pub(crate) struct Http(TcpStream);

impl Http {
    /// Asks once; returns the code and the body.
    pub(crate) async fn healthz(&mut self) -> String {
        let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        self.0.write_all(request).await.unwrap();
        let mut answer = String::new();
        let mut buffer = [0; 4096];
        loop {
            let count = within("an answer", self.0.read(&mut buffer)).await.unwrap();
            assert!(count > 0, "closed after {answer:?}");
            answer.push_str(str::from_utf8(&buffer[..count]).unwrap());
            if let Some(whole) = whole(&answer) {
                return whole;
            }
        }
    }
}

fn whole(answer: &str) -> Option<String> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let code = head.split(' ').nth(1)?;
    let (_, length) = head.split_once("content-length: ")?;
    let length: usize = length.split("\r\n").next()?.parse().ok()?;
    (body.len() == length).then(|| format!("{code} {body}"))
}
