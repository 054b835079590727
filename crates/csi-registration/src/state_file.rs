use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use tokio::sync::watch;

use crate::Status;

/// The file in which a registration's status is kept for others, and across restarts.
///
/// It is replaced in one step at each change, so that whoever reads it finds a whole one. Whoever keeps it up to date has it
/// locked (`flock`), so that what a killed process left is not taken for the present.
#[derive(Clone, Debug)]
pub struct StateFile {
    path: PathBuf,
}

/// What is in a state file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateFileContent {
    /// The status.
    pub status: Status,
    /// Whether a process keeps it up to date; else it tells of one that has ended.
    pub is_kept: bool,
}

/// Why a state file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateFileError {
    /// The system refused.
    #[error("cannot {action} the state file {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no status.
    #[error("{} is no state file", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl StateFile {
    /// A file that may not exist yet; its directory has to.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads what is in it; nothing if it does not exist.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no status.
    pub fn read(&self) -> Result<Option<Status>, StateFileError> {
        Ok(self.read_content()?.map(|kept| kept.status))
    }

    /// Reads what is in it and whether somebody keeps it up to date; nothing if it does not exist.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no status.
    pub fn read_content(&self) -> Result<Option<StateFileContent>, StateFileError> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|source| self.io("read", source))?,
        };
        let mut text = Vec::new();
        file.read_to_end(&mut text)
            .map_err(|source| self.io("read", source))?;
        let status = serde_json::from_slice(&text).map_err(|source| StateFileError::Content {
            path: self.path.clone(),
            source,
        })?;
        let is_kept = match file.try_lock_shared() {
            Ok(()) => false,
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(source)) => return Err(self.io("look at the lock of", source)),
        };
        Ok(Some(StateFileContent { status, is_kept }))
    }

    /// Writes a status in place of what is there.
    ///
    /// # Errors
    ///
    /// The system refused; what was there stays.
    pub fn write(&self, status: &Status) -> Result<(), StateFileError> {
        self.write_locked(status).map(drop)
    }

    /// The same; the file stays locked until what is returned is dropped.
    fn write_locked(&self, status: &Status) -> Result<File, StateFileError> {
        let mut text =
            serde_json::to_vec_pretty(status).map_err(|source| StateFileError::Content {
                path: self.path.clone(),
                source,
            })?;
        text.push(b'\n');
        let draft = self.draft();
        self.replace(&draft, &text).map_err(|source| {
            // It may not even have been made.
            let _ = fs::remove_file(&draft);
            self.io("write", source)
        })
    }

    /// Writes each status from now on, until its sender is gone. What cannot be written is a warning, once.
    pub async fn follow(&self, mut status: watch::Receiver<Status>) {
        let mut failed = false;
        let mut kept = None;
        loop {
            let now = status.borrow_and_update().clone();
            let file = self.clone();
            let written = tokio::task::spawn_blocking(move || file.write_locked(&now)).await;
            match written {
                Ok(Ok(file)) => {
                    failed = false;
                    // The one before is at no path any more.
                    drop(kept.replace(file));
                }
                Ok(Err(error)) if !failed => {
                    failed = true;
                    let cause = std::error::Error::source(&error).map(ToString::to_string);
                    tracing::warn!(%error, cause, "the state file is not up to date");
                }
                Ok(Err(_)) | Err(_) => {}
            }
            if status.changed().await.is_err() {
                return;
            }
        }
    }

    fn replace(&self, draft: &Path, text: &[u8]) -> io::Result<File> {
        let mut file = File::options()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o644)
            .open(draft)?;
        file.write_all(text)?;
        // Never waited for: who else has it is another process that is told to keep the same file.
        file.try_lock().map_err(io::Error::from)?;
        fs::rename(draft, &self.path)?;
        Ok(file)
    }

    /// A hidden name beside it.
    fn draft(&self) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!(".{name}.new"))
    }

    fn io(&self, action: &'static str, source: io::Error) -> StateFileError {
        StateFileError::Io {
            action,
            path: self.path.clone(),
            source,
        }
    }
}

#[cfg(test)]
mod tests;
