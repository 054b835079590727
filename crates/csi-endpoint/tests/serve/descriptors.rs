//! A process that has no descriptor left waits for one, and does not spin.

use std::io::Read as _;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use std::{env, fs};

use csi_endpoint::{Authority, BindOptions, Endpoint, Limits, Listener, ServeOptions, serve};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::process::{Child, ChildStdout, Command};
use tokio_util::sync::CancellationToken;

use crate::bounded::within;
use crate::registration::Plugin;
use crate::served::{ask, client_of};

/// How many descriptors the child may have beside those it begins with.
const SPARE: u64 = 8;

/// The server of the test below: has few descriptors, logs to standard output, ends with its standard input.
#[tokio::test]
#[ignore = "runs in a process of its own, which another test starts"]
async fn child() {
    let path = PathBuf::from(env::var_os("CHILD_SERVES").unwrap());
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(std::io::stdout)
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let endpoint = Endpoint::from_path(path).unwrap();
    let listener = Listener::bind(&endpoint, &BindOptions::default()).unwrap();
    let shutdown = CancellationToken::new();
    let input_ended = shutdown.clone();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read(&mut [0]);
        input_ended.cancel();
    });

    let mut limit = getrlimit(Resource::Nofile);
    limit.current = Some(next_descriptor() + SPARE);
    setrlimit(Resource::Nofile, limit).unwrap();
    println!("\nserving");
    let options = ServeOptions {
        limits: Limits {
            preface_timeout: Duration::MAX,
            ..Limits::default()
        },
        ..ServeOptions::default()
    };
    let stopped = serve(
        listener,
        Plugin::new().routes(),
        options,
        shutdown.cancelled(),
    );
    println!("\n{:?}", stopped.await);
}

/// The number that the next descriptor will have.
fn next_descriptor() -> u64 {
    let next = rustix::io::dup(std::io::stdout()).unwrap();
    next.as_raw_fd().try_into().unwrap()
}

struct Server {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Server {
    async fn start(path: &Path) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "descriptors::child", "--ignored", "--nocapture"])
            .env("CHILD_SERVES", path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut server = Self { child, lines };
        server.says("serving").await;
        server
    }

    /// Waits for a line of its output with this text in it.
    async fn says(&mut self, text: &str) {
        let saying = async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                if line.contains(text) {
                    return;
                }
            }
            panic!("the child ended without saying {text:?}");
        };
        within(text, saying).await;
    }

    /// How often its threads have gone to sleep of their own will.
    fn rests(&self) -> u64 {
        let tasks = fs::read_dir(self.proc("task")).unwrap();
        tasks
            .map(|task| {
                let status = fs::read_to_string(task.unwrap().path().join("status")).unwrap();
                let rests = status
                    .lines()
                    .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
                rests.unwrap().trim().parse::<u64>().unwrap()
            })
            .sum()
    }

    /// How long it has been at work, in clock ticks (hundredths of a second): fields 14 and 15 of `stat`, see proc(5).
    fn work(&self) -> u64 {
        let stat = fs::read_to_string(self.proc("stat")).unwrap();
        let (_, after_name) = stat.rsplit_once(") ").unwrap();
        let fields = after_name.split(' ').skip(14 - 3).take(2);
        fields.map(|field| field.parse::<u64>().unwrap()).sum()
    }

    fn proc(&self, name: &str) -> PathBuf {
        format!("/proc/{}/{name}", self.child.id().unwrap()).into()
    }
}

#[tokio::test]
async fn without_descriptors_it_rests_and_serves_again_when_some_are_free() {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::from_path(folder.path().join("csi.sock")).unwrap();
    let mut server = Server::start(endpoint.path()).await;

    let mut takers = Vec::new();
    for _ in 0..2 * SPARE {
        takers.push(UnixStream::connect(endpoint.path()).await.unwrap());
    }
    server.says("cannot accept connections, trying on").await;

    let (rests, work) = (server.rests(), server.work());
    let rested = async {
        while server.rests() < rests + 5 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    within("five pauses of the server", rested).await;
    let worked = server.work() - work;
    assert!(worked <= 10, "{worked} ticks of work in five pauses");

    let of_endpoint = endpoint.clone();
    let asking = tokio::spawn(async move {
        let mut client = client_of(&of_endpoint, Authority::RawPath).await;
        ask(&mut client).await
    });
    let (rests, served) = (server.rests(), &asking);
    let still_none = async {
        while server.rests() < rests + 2 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        served.is_finished()
    };
    assert!(!within("two pauses of the server", still_none).await);

    drop(takers);
    let answer = within("an answer", asking).await.unwrap();
    assert_eq!(answer.r#type, "CSIPlugin");
    drop(server.child.stdin.take());
    server
        .says("Ok(Stopped { drained: true, socket: Yes })")
        .await;
}
