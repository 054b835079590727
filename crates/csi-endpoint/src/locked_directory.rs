//! A directory that only one process at a time works in.
//!
//! The lock is `flock` on the directory itself, so no lock file lies about, and the kernel drops it when its holder
//! dies. It binds those who ask for it, that is this crate in whatever process; others are watched for separately.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{self, AtFlags, FlockOperation, Mode, OFlags, Stat},
    io::Errno,
};

/// Between two tries. The lock is held for well under a millisecond, unless somebody else took it on purpose.
const PAUSE: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(crate) struct LockedDirectory {
    fd: OwnedFd,
    path: PathBuf,
}

/// Why a directory could not be locked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LockError {
    Open(Errno),
    Lock(Errno),
    /// Somebody else held the lock all the time.
    Held,
}

impl LockedDirectory {
    /// Opens and locks a directory, trying for as long as is said. Blocks the thread meanwhile.
    pub(crate) fn open(path: &Path, patience: Duration) -> Result<Self, LockError> {
        let started = Instant::now();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = fs::open(path, flags, Mode::empty()).map_err(LockError::Open)?;
        loop {
            match fs::flock(&fd, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {
                    return Ok(Self {
                        fd,
                        path: path.to_owned(),
                    });
                }
                Err(Errno::WOULDBLOCK) if started.elapsed() < patience => thread::sleep(PAUSE),
                Err(Errno::WOULDBLOCK) => return Err(LockError::Held),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(LockError::Lock(errno)),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What is there under a name, symbolic links not followed.
    pub(crate) fn stat(&self, name: &str) -> Result<Option<Stat>, Errno> {
        match fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    pub(crate) fn unlink(&self, name: &str) -> Result<(), Errno> {
        fs::unlinkat(&self.fd, name, AtFlags::empty())
    }
}

impl AsFd for LockedDirectory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for LockedDirectory {
    fn drop(&mut self) {
        // Closing would do, were it not for a child of another thread that has a copy until it calls exec. An error
        // here leaves exactly that case.
        let _ = fs::flock(&self.fd, FlockOperation::Unlock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_locked_by_one_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let lock = || LockedDirectory::open(dir.path(), Duration::from_millis(5));
        let first = lock().unwrap();
        assert!(matches!(lock(), Err(LockError::Held)));
        drop(first);
        lock().unwrap();
    }

    #[test]
    fn a_lock_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let first = LockedDirectory::open(dir.path(), Duration::ZERO).unwrap();
        thread::scope(|scope| {
            let second = scope.spawn(|| LockedDirectory::open(dir.path(), Duration::from_secs(60)));
            drop(first);
            second.join().unwrap().unwrap();
        });
    }
}
