//! The file of a socket and what is around it.

use std::time::Duration;

use csi_endpoint::Endpoint;
use rustix::fs::{FileType, lstat, stat};
use tokio::net::UnixStream;
use tokio::time::timeout;

use crate::SocketFile;

/// What is to be seen of it; nothing where that may not be looked at.
pub(super) async fn look(endpoint: &Endpoint) -> Option<SocketFile> {
    let itself = lstat(endpoint.path()).ok()?;
    let target = stat(endpoint.path()).ok()?;
    let directory = stat(endpoint.directory()).ok()?;
    Some(SocketFile {
        mode: target.st_mode & 0o7777,
        owner: target.st_uid,
        listener: listener(endpoint).await,
        is_link: FileType::from_raw_mode(itself.st_mode) == FileType::Symlink,
        directory_mode: directory.st_mode & 0o7777,
        beside: others(endpoint),
    })
}

/// What else is in the directory, sorted.
pub(super) fn others(endpoint: &Endpoint) -> Vec<String> {
    let entries = std::fs::read_dir(endpoint.directory());
    let entries = entries.into_iter().flatten().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name != endpoint.file_name())
        .collect();
    names.sort();
    names
}

async fn listener(endpoint: &Endpoint) -> Option<u32> {
    // A Unix socket connects at once or not at all, but for one whose backlog is full.
    let connected = timeout(Duration::from_secs(1), UnixStream::connect(endpoint.path()));
    let stream = connected.await.ok()?.ok()?;
    Some(stream.peer_cred().ok()?.uid())
}
