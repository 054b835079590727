//! The part of a kubelet that meets registrars: it watches, dials, asks and tells its verdict, as kubelets since 1.29 do.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};

use csi_identity::PluginClient;
use csi_identity::endpoint::{
    Authority, ConnectOptions, Endpoint, SocketWatch, WatchOptions, connect,
};
use csi_identity::proto::pluginregistration::v1::registration_client::RegistrationClient;
use csi_identity::proto::pluginregistration::v1::{InfoRequest, PluginInfo, RegistrationStatus};
use tokio::sync::oneshot;

use crate::program::PATIENCE;
use crate::served::in_runtime;

/// What it makes of a plugin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Verdict {
    /// What NodeGetInfo deserves.
    Fair,
    Yes,
    No(&'static str),
}

/// What it saw and did.
#[derive(Debug)]
enum Seen {
    Registered(PluginInfo),
    Refused,
    Failed(String),
    /// The socket is gone, or another one.
    Gone,
}

/// One that watches a single path, in a thread of the test.
#[derive(Debug)]
pub(crate) struct Kubelet {
    seen: Receiver<Seen>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Kubelet {
    /// Its verdicts one after the other; the last goes for all that follow.
    pub(crate) fn start(socket: &Path, verdicts: &[Verdict]) -> Self {
        let socket = Endpoint::from_path(socket).unwrap();
        let verdicts = VecDeque::from_iter(verdicts.iter().copied());
        let (stop, stopping) = oneshot::channel();
        let (sender, seen) = mpsc::channel();
        // The test may look at nothing of it.
        let tell = move |seen| drop(sender.send(seen));
        let thread = thread::spawn(|| {
            in_runtime(async {
                tokio::select! {
                    () = watch(socket, verdicts, tell) => {}
                    _ = stopping => {}
                }
            });
        });
        Self {
            seen,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Waits until it has registered the plugin; returns what it was told.
    pub(crate) fn registers(&self) -> PluginInfo {
        self.comes_to("register the plugin", |seen| match seen {
            Seen::Registered(info) => Some(info),
            _ => None,
        })
    }

    pub(crate) fn refuses(&self) {
        self.comes_to("refuse the plugin", |seen| {
            matches!(seen, Seen::Refused).then_some(())
        });
    }

    /// Waits until the socket has gone that it knew.
    pub(crate) fn forgets(&self) {
        self.comes_to("forget the plugin", |seen| {
            matches!(seen, Seen::Gone).then_some(())
        });
    }

    fn comes_to<T>(&self, what: &str, is_it: impl Fn(Seen) -> Option<T>) -> T {
        let mut failures = Vec::new();
        loop {
            match self.seen.recv_timeout(PATIENCE) {
                Ok(Seen::Failed(reason)) => failures.push(reason),
                Ok(seen) => match is_it(seen) {
                    Some(done) => return done,
                    None => continue,
                },
                Err(error) => panic!("the kubelet does not {what}: {error}; before: {failures:?}"),
            }
        }
    }
}

impl Drop for Kubelet {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || thread::panicking());
        }
    }
}

async fn watch(socket: Endpoint, mut verdicts: VecDeque<Verdict>, tell: impl Fn(Seen)) {
    let mut watch = SocketWatch::new(socket.clone(), WatchOptions::default());
    let mut known = None;
    loop {
        let now = file_id(socket.path());
        if now == known {
            watch.changed().await;
            continue;
        }
        if known.is_some() {
            tell(Seen::Gone);
        }
        known = now;
        if now.is_some() {
            let verdict = match verdicts.len() {
                1 => verdicts[0],
                _ => verdicts.pop_front().unwrap(),
            };
            tell(match register(&socket, verdict).await {
                Ok(seen) => seen,
                Err(status) => Seen::Failed(status.to_string()),
            });
        }
    }
}

fn file_id(path: &Path) -> Option<(u64, i64, i64)> {
    let file = fs::symlink_metadata(path).ok()?;
    Some((file.ino(), file.ctime(), file.ctime_nsec()))
}

async fn register(socket: &Endpoint, verdict: Verdict) -> Result<Seen, tonic::Status> {
    let options = ConnectOptions {
        attempt_timeout: PATIENCE,
        authority: Authority::EncodedPath,
        ..ConnectOptions::default()
    };
    let connected = connect(socket, &options).await;
    let channel = connected.map_err(|error| tonic::Status::unavailable(error.to_string()))?;
    let mut client = RegistrationClient::new(channel);
    let info = client.get_info(InfoRequest {}).await?.into_inner();
    let error = match verdict {
        Verdict::Fair => node_get_info(&info.endpoint).await,
        Verdict::Yes => String::new(),
        Verdict::No(message) => message.to_owned(),
    };
    let plugin_registered = error.is_empty();
    let status = RegistrationStatus {
        plugin_registered,
        error,
    };
    client.notify_registration_status(status).await?;
    Ok(match plugin_registered {
        true => Seen::Registered(info),
        false => Seen::Refused,
    })
}

/// What is wrong with the node. The endpoint is opened as it stands, as a path.
async fn node_get_info(endpoint: &str) -> String {
    let endpoint = Endpoint::from_path(endpoint).unwrap();
    let plugin = match PluginClient::connect(&endpoint, &ConnectOptions::default()).await {
        Ok(plugin) => plugin,
        Err(error) => return error.to_string(),
    };
    match plugin.node_info().await {
        Ok(node) if node.node_id.is_empty() => "driverNodeID must not be empty".to_owned(),
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}
