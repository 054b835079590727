//! The file of a bound socket, and the right to remove it.

use std::{io, path::Path, time::Duration};

use rustix::{
    fs::{self, Stat},
    io::Errno,
};

use crate::{
    Endpoint,
    locked_directory::{LockError, LockedDirectory},
};

/// How long [`SocketFile::remove`] waits for another process that works in the directory.
const PATIENCE: Duration = Duration::from_secs(10);

/// The same for a drop, which may happen on a thread that others wait for.
const PATIENCE_ON_DROP: Duration = Duration::from_secs(1);

/// Device and inode number of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(crate) fn of(stat: &Stat) -> Self {
        Self {
            device: stat.st_dev,
            inode: stat.st_ino,
        }
    }
}

/// The file of a socket that this process has bound.
///
/// Dropping it removes the file, but only while it is still the one this process made: a successor that took over the
/// path keeps its socket. Keep it as long as the listener, and drop it first; [`Listener`](crate::Listener) does.
#[derive(Debug)]
pub struct SocketFile {
    endpoint: Endpoint,
    id: FileId,
    removed: bool,
}

/// What became of a socket file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removed {
    /// It was ours and is gone now.
    Yes,
    /// There was no file any more.
    AlreadyGone,
    /// Another file had taken its place, and stays.
    NotOurs,
}

impl SocketFile {
    pub(crate) fn new(endpoint: Endpoint, id: FileId) -> Self {
        Self {
            endpoint,
            id,
            removed: false,
        }
    }

    /// The path of the socket.
    pub fn path(&self) -> &Path {
        self.endpoint.path()
    }

    /// The address of the socket.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Whether the path still leads to the socket this process bound.
    ///
    /// This costs one `lstat`. Device and inode number are compared, and no other file can come by the same pair
    /// while the listener is open: a bound socket holds a reference to its inode, so that even after an unlink the
    /// number is not given out again. After the listener is closed the answer means nothing.
    ///
    /// An error of `lstat` counts as no, since nobody could connect either.
    pub fn is_still_ours(&self) -> bool {
        fs::lstat(self.path()).is_ok_and(|stat| FileId::of(&stat) == self.id)
    }

    /// Removes the file if it is still ours.
    ///
    /// Look and removal happen under the lock that binding takes too, so a successor cannot come in between. May
    /// block the thread for up to 10 s, should somebody hold that lock.
    ///
    /// # Errors
    ///
    /// Whatever opening the directory, locking it or removing the file reports; the file is left then.
    pub fn remove(mut self) -> io::Result<Removed> {
        self.remove_within(PATIENCE)
    }

    fn remove_within(&mut self, patience: Duration) -> io::Result<Removed> {
        self.removed = true;
        let directory = match LockedDirectory::open(self.endpoint.directory(), patience) {
            Ok(directory) => directory,
            Err(LockError::Open(Errno::NOENT)) => return Ok(Removed::AlreadyGone),
            Err(LockError::Open(errno) | LockError::Lock(errno)) => return Err(errno.into()),
            Err(LockError::Held) => {
                let message = "another process keeps the directory locked";
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
        };
        match directory.stat(self.endpoint.file_name())? {
            None => Ok(Removed::AlreadyGone),
            Some(stat) if FileId::of(&stat) != self.id => Ok(Removed::NotOurs),
            Some(_) => {
                directory.unlink(self.endpoint.file_name())?;
                Ok(Removed::Yes)
            }
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if self.removed {
            return;
        }
        if let Err(error) = self.remove_within(PATIENCE_ON_DROP) {
            tracing::warn!(socket = %self.path().display(), %error, "socket file stays behind");
        }
    }
}
