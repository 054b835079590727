//! A plugin from its start to its end, and again.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use csi_endpoint::{Channel, Endpoint};
use rustix::fs::lstat;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::child::Child;
use super::{ObserveError, Visit, file};
use crate::{Exchange, Launch, Method, ProcessSeen, Socket, Stop};

/// How long a start may take, at most.
const START_LIMIT: Duration = Duration::from_secs(10);
/// How long it may take to end; a kubelet kills after 30 s.
const STOP_LIMIT: Duration = Duration::from_secs(5);
/// How long a second instance has for taking the socket of the first, or ending.
const SECOND_LIMIT: Duration = Duration::from_secs(1);
/// How often is looked for what sends no event.
const INTERVAL: Duration = Duration::from_millis(5);

/// What has to be known of a plugin that is started.
struct Plan {
    command: String,
    endpoint: Endpoint,
    /// What was in the directory before.
    before: Vec<String>,
    _directory: Option<TempDir>,
}

/// Starts the plugin, asks it everything, and sees how it stops and starts again.
pub(super) async fn observe(
    visit: &mut Visit<'_>,
    command: &str,
    endpoint: Option<&Endpoint>,
) -> Result<(Socket, ProcessSeen), ObserveError> {
    let plan = Plan::new(command, endpoint)?;
    let limit = START_LIMIT.min(visit.budget.left() / 3);
    (visit.progress)("starting the plugin");
    let (child, first) = plan.launch(limit).await?;
    let mut process = ProcessSeen {
        first,
        stop: None,
        left_behind: Vec::new(),
        beside: Vec::new(),
        again: None,
        info_again: None,
        capabilities_again: None,
        node_info_again: None,
        kept_socket: None,
        over_stale: None,
    };
    if !process.first.is_good() {
        return Ok((Socket::at(plan.endpoint.path_text()), process));
    }
    let mut socket = visit.socket(&plan.endpoint).await?;
    process.beside = plan.new_files(false);
    // Whose files these are is known here, so that they are the process's.
    if let Some(file) = &mut socket.file {
        file.beside.clear();
    }
    if visit.budget.allows("SIGTERM") {
        (visit.progress)("stopping the plugin");
        process.stop = Some(stop(&child, STOP_LIMIT).await);
        process.left_behind = plan.new_files(true);
    }
    drop(child);
    if visit.budget.allows("a second start") {
        again(visit, &plan, &mut process, limit).await?;
    }
    plan.clear();
    Ok((socket, process))
}

/// The second start, a second instance beside it, and a start after it was killed.
async fn again(
    visit: &mut Visit<'_>,
    plan: &Plan,
    process: &mut ProcessSeen,
    limit: Duration,
) -> Result<(), ObserveError> {
    (visit.progress)("starting the plugin again");
    let (child, launch) = plan.launch(limit).await?;
    let is_good = launch.is_good();
    process.again = Some(launch);
    if !is_good {
        return Ok(());
    }
    process.info_again = Some(plan.ask(visit, Method::GET_PLUGIN_INFO).await);
    process.capabilities_again = Some(plan.ask(visit, Method::GET_PLUGIN_CAPABILITIES).await);
    process.node_info_again = Some(plan.ask(visit, Method::NODE_GET_INFO).await);
    if visit.budget.allows("a second instance") {
        (visit.progress)("starting a second instance");
        process.kept_socket = Some(plan.is_kept_beside_another().await?);
    }
    // Killed, so that it cannot remove its socket.
    drop(child);
    if plan.endpoint.path().exists() && visit.budget.allows("a start over a stale socket") {
        (visit.progress)("starting over a stale socket");
        let (child, launch) = plan.launch(limit).await?;
        process.over_stale = Some(launch);
        drop(child);
    }
    Ok(())
}

impl Plan {
    fn new(command: &str, endpoint: Option<&Endpoint>) -> Result<Self, ObserveError> {
        let (directory, endpoint) = match endpoint {
            // Otherwise the other one would be judged.
            Some(endpoint) if UnixStream::connect(endpoint.path()).is_ok() => {
                let path = endpoint.path().to_owned();
                return Err(ObserveError::Occupied { path });
            }
            Some(endpoint) => (None, endpoint.clone()),
            None => {
                let directory = tempfile::Builder::new().prefix("csi-").tempdir();
                let directory = directory.map_err(ObserveError::NoDirectory)?;
                let endpoint = Endpoint::from_path(directory.path().join("csi.sock"));
                let endpoint = endpoint.map_err(|error| ObserveError::BadDirectory {
                    directory: directory.path().to_owned(),
                    error,
                })?;
                (Some(directory), endpoint)
            }
        };
        Ok(Self {
            command: command.to_owned(),
            before: file::others(&endpoint),
            endpoint,
            _directory: directory,
        })
    }

    /// Starts it and waits until it answers, ends, or has had its time.
    async fn launch(&self, limit: Duration) -> Result<(Child, Launch), ObserveError> {
        let started = Instant::now();
        let child =
            Child::start(&self.command, &self.endpoint).map_err(ObserveError::NotStarted)?;
        let mut why = "its socket did not come".to_owned();
        let launch = loop {
            if let Some(how) = child.ended() {
                break Launch::Ended {
                    how,
                    output: child.output(),
                };
            }
            let after = started.elapsed();
            if after >= limit {
                break Launch::NoAnswer {
                    after: limit,
                    why,
                    output: child.output(),
                };
            }
            let options = csi_endpoint::ConnectOptions {
                attempt_timeout: limit.saturating_sub(after),
                ..csi_endpoint::ConnectOptions::default()
            };
            match csi_endpoint::connect(&self.endpoint, &options).await {
                Ok(_) => {
                    break Launch::Answers {
                        after: started.elapsed(),
                    };
                }
                Err(error) => why = error.to_string(),
            }
            sleep(INTERVAL).await;
        };
        Ok((child, launch))
    }

    async fn ask(&self, visit: &Visit<'_>, method: Method) -> Exchange {
        let channel = Channel::new(self.endpoint.clone(), &visit.connect_options());
        visit.call(method).make(&channel, &visit.tally).await
    }

    /// Whether the socket is still the same after another instance was started beside the one that runs.
    async fn is_kept_beside_another(&self) -> Result<bool, ObserveError> {
        let inode = || {
            lstat(self.endpoint.path())
                .ok()
                .map(|stat| (stat.st_dev, stat.st_ino))
        };
        let before = inode();
        let started = Instant::now();
        let second =
            Child::start(&self.command, &self.endpoint).map_err(ObserveError::NotStarted)?;
        while started.elapsed() < SECOND_LIMIT && inode() == before && second.ended().is_none() {
            sleep(INTERVAL).await;
        }
        Ok(inode() == before)
    }

    /// What is in the directory that was not there before, with the socket or without it.
    fn new_files(&self, with_socket: bool) -> Vec<String> {
        let mut names = file::others(&self.endpoint);
        names.retain(|name| !self.before.contains(name));
        if with_socket && lstat(self.endpoint.path()).is_ok() {
            names.insert(0, self.endpoint.file_name().to_owned());
        }
        names
    }

    /// Removes the socket of the last instance, which was killed.
    fn clear(&self) {
        let path: &Path = self.endpoint.path();
        let is_socket = lstat(path).is_ok_and(|stat| {
            rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Socket
        });
        if is_socket {
            // It may have gone by itself.
            let _ = std::fs::remove_file(path);
        }
    }
}

async fn stop(child: &Child, limit: Duration) -> Stop {
    let started = Instant::now();
    child.terminate();
    loop {
        let after = started.elapsed();
        match child.ended() {
            Some(how) => return Stop::Ended { after, how },
            None if after >= limit => return Stop::Ignored { after: limit },
            None => sleep(INTERVAL).await,
        }
    }
}
