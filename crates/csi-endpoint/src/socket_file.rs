//! The file of a bound socket, and the right to remove it.

use std::{io, os::fd::OwnedFd, path::Path, time::Duration};

use rustix::{
    fs::{self, Stat},
    io::Errno,
};

use crate::{
    Endpoint,
    locked_directory::{LockError, LockedDirectory},
};

/// How long a removal waits for another process that works in the directory; others may wait for this thread.
const PATIENCE: Duration = Duration::from_secs(1);

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
/// path keeps its socket, also when the listener has been closed long before.
#[derive(Debug)]
pub struct SocketFile {
    endpoint: Endpoint,
    id: FileId,
    /// A descriptor of the file: while it is open, no other file can get its inode number.
    _pin: OwnedFd,
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
    pub(crate) fn new(endpoint: Endpoint, id: FileId, pin: OwnedFd) -> Self {
        Self {
            endpoint,
            id,
            _pin: pin,
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
    /// This costs one `lstat`. Device and inode number are compared, and no other file can come by the same pair: a
    /// descriptor of the file is kept open, so that even after an unlink the number is not given out again.
    ///
    /// An error of `lstat` counts as no, since nobody could connect either.
    pub fn is_still_ours(&self) -> bool {
        fs::lstat(self.path()).is_ok_and(|stat| FileId::of(&stat) == self.id)
    }

    /// Removes the file if it is still ours.
    ///
    /// Look and removal happen under the lock that binding takes too, so a successor cannot come in between. Should
    /// somebody hold that lock for a second, which blocks this thread, the removal happens without it.
    ///
    /// # Errors
    ///
    /// Whatever opening the directory, locking it or removing the file reports; the file is left then.
    pub fn remove(mut self) -> io::Result<Removed> {
        self.remove_once()
    }

    fn remove_once(&mut self) -> io::Result<Removed> {
        self.removed = true;
        let directory = match LockedDirectory::open(self.endpoint.directory(), PATIENCE) {
            Ok(directory) => directory,
            Err(LockError::Open(Errno::NOENT)) => return Ok(Removed::AlreadyGone),
            Err(LockError::Open(errno) | LockError::Lock(errno)) => return Err(errno.into()),
            // Whoever can read the directory can hold the lock; that shall not keep the file there.
            Err(LockError::Held) => return self.remove_unlocked(),
        };
        let name = self.endpoint.file_name();
        self.unlink_if_ours(directory.stat(name)?, || directory.unlink(name))
    }

    fn remove_unlocked(&self) -> io::Result<Removed> {
        let found = match fs::lstat(self.path()) {
            Err(Errno::NOENT) => None,
            found => Some(found?),
        };
        self.unlink_if_ours(found, || fs::unlink(self.path()))
    }

    /// `unlink` removes what was found at the path.
    fn unlink_if_ours(
        &self,
        found: Option<Stat>,
        unlink: impl FnOnce() -> Result<(), Errno>,
    ) -> io::Result<Removed> {
        match found {
            None => Ok(Removed::AlreadyGone),
            Some(stat) if FileId::of(&stat) != self.id => Ok(Removed::NotOurs),
            Some(_) => {
                unlink()?;
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
        if let Err(error) = self.remove_once() {
            tracing::warn!(socket = %self.path().display(), %error, "socket file stays behind");
        }
    }
}
