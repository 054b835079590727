//! Why an endpoint could not be bound.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::{fs, io::Errno};

use super::Holder;
use crate::{
    Denial, Endpoint, FileKind, Need, SocketMode,
    locked_directory::LockError,
    obstacle::{Obstacle, walk},
};

/// Why an [`Endpoint`] could not be bound.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// A listening process has the path, or the hidden name beside it.
    #[error("socket {} is in use by {holder}; stop that first, or choose another path", path.display())]
    InUse {
        /// The path.
        path: PathBuf,
        /// Who listens.
        holder: Holder,
    },
    /// A file of another kind has the path, or the hidden name beside it.
    #[error("{} is {kind}, not a socket, and is left alone; remove it, or choose another path", path.display())]
    NotASocket {
        /// The path.
        path: PathBuf,
        /// What is there.
        kind: FileKind,
    },
    /// The directory is not there.
    #[error("no socket can be made in {}, because {} does not exist; make the directory, or mount it here", directory.display(), missing.display())]
    MissingDirectory {
        /// The directory of the socket.
        directory: PathBuf,
        /// The first element of the path that is missing.
        missing: PathBuf,
    },
    /// The directory, or something on the way to it, is no directory.
    #[error("no socket can be made in {}, because {} is {kind}; it has to be a directory", directory.display(), element.display())]
    NotADirectory {
        /// The directory of the socket.
        directory: PathBuf,
        /// The element of the path that is in the way.
        element: PathBuf,
        /// What it is.
        kind: FileKind,
    },
    /// This process may not do it.
    #[error("permission to bind {} denied: {denial}", path.display())]
    Denied {
        /// The path of the socket.
        path: PathBuf,
        /// Who was refused what at which element of the path.
        denial: Denial,
    },
    /// The file system is mounted read-only.
    #[error("no socket can be made in {}, because its file system is read-only; mount it writable, or choose another directory", directory.display())]
    ReadOnly {
        /// The directory of the socket.
        directory: PathBuf,
    },
    /// The file system has no room for another file.
    #[error("no socket can be made in {}, because its file system has no space, inode or quota left", directory.display())]
    NoSpace {
        /// The directory of the socket.
        directory: PathBuf,
    },
    /// Another process kept the directory locked.
    #[error("directory {} stayed locked by another process for {waited:?}; see who holds it with lslocks", directory.display())]
    Locked {
        /// The directory of the socket.
        directory: PathBuf,
        /// How long this process tried.
        waited: Duration,
    },
    /// The socket could not be given its group.
    #[error("socket {} cannot be given group {group}; it takes a member of that group, or CAP_CHOWN", path.display())]
    Group {
        /// The path of the socket.
        path: PathBuf,
        /// The group.
        group: u32,
        /// What the system said.
        source: io::Error,
    },
    /// The socket could not be given its mode.
    #[error("socket {} cannot be given mode {mode}; modes other than 0600 need /proc", path.display())]
    Mode {
        /// The path of the socket.
        path: PathBuf,
        /// The mode.
        mode: SocketMode,
        /// What the system said.
        source: io::Error,
    },
    /// There is no tokio runtime to register the socket with.
    #[error("socket {} cannot be registered outside a tokio runtime; bind it in async code, or under Runtime::enter", path.display())]
    NoRuntime {
        /// The path of the socket.
        path: PathBuf,
    },
    /// The system refused a step for another reason.
    #[error("cannot {action} {}", path.display())]
    Os {
        /// The step.
        action: &'static str,
        /// The path it was taken on.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A step of binding, for the message and for what it needs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    OpenDirectory,
    Lock,
    LookAt,
    Remove,
    Bind,
    Open,
    Listen,
    Register,
    Publish,
}

impl Step {
    pub(super) fn action(self) -> &'static str {
        match self {
            Self::OpenDirectory | Self::Open => "open",
            Self::Lock => "lock",
            Self::LookAt => "look at",
            Self::Remove => "remove",
            Self::Bind => "bind",
            Self::Listen => "listen on",
            Self::Register => "register",
            Self::Publish => "publish",
        }
    }
}

impl BindError {
    pub(super) fn lock(endpoint: &Endpoint, error: LockError, waited: Duration) -> Self {
        let directory = endpoint.directory().to_owned();
        match error {
            LockError::Held => Self::Locked { directory, waited },
            LockError::Open(errno) => Self::os(endpoint, Step::OpenDirectory, &directory, errno),
            LockError::Lock(errno) => Self::os(endpoint, Step::Lock, &directory, errno),
        }
    }

    /// Turns what the system said about a step into what is wrong with the path.
    pub(super) fn os(endpoint: &Endpoint, step: Step, path: &Path, errno: Errno) -> Self {
        let directory = || endpoint.directory().to_owned();
        let on_the_way = match errno {
            Errno::ROFS => Some(Self::ReadOnly {
                directory: directory(),
            }),
            Errno::NOSPC | Errno::DQUOT => Some(Self::NoSpace {
                directory: directory(),
            }),
            Errno::NOENT | Errno::NOTDIR => Self::obstacle(endpoint),
            Errno::ACCESS => {
                Self::obstacle(endpoint).or_else(|| Self::denied(endpoint, step, path))
            }
            _ => None,
        };
        on_the_way.unwrap_or_else(|| Self::Os {
            action: step.action(),
            path: path.to_owned(),
            source: errno.into(),
        })
    }

    /// What is wrong with the way to the directory.
    fn obstacle(endpoint: &Endpoint) -> Option<Self> {
        let directory = endpoint.directory().to_owned();
        match walk(&directory) {
            Ok((_, stat)) if FileKind::of(&stat) == FileKind::Directory => None,
            Ok((element, stat)) => Some(Self::NotADirectory {
                directory,
                element,
                kind: FileKind::of(&stat),
            }),
            Err(Obstacle::Missing(missing)) => Some(Self::MissingDirectory { directory, missing }),
            Err(Obstacle::NotADirectory(element, kind)) => Some(Self::NotADirectory {
                directory,
                element,
                kind,
            }),
            Err(Obstacle::NoSearch(element)) => {
                denial(&element, Need::Search).map(|denial| Self::Denied {
                    path: endpoint.path().to_owned(),
                    denial,
                })
            }
            Err(Obstacle::Other(..)) => None,
        }
    }

    /// What is wrong with the rights at the end of the way.
    fn denied(endpoint: &Endpoint, step: Step, path: &Path) -> Option<Self> {
        let denial = match step {
            Step::OpenDirectory | Step::Lock => denial(path, Need::Read),
            // Only a connect can be refused here: looking at a file needs no right to it.
            Step::LookAt => denial(path, Need::Write),
            _ => denial(endpoint.directory(), Need::Create),
        };
        denial.map(|denial| Self::Denied {
            path: endpoint.path().to_owned(),
            denial,
        })
    }
}

fn denial(element: &Path, need: Need) -> Option<Denial> {
    fs::stat(element)
        .ok()
        .map(|stat| Denial::new(element, &stat, need))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_becomes_what_is_wrong() {
        let dir = tempfile::tempdir().unwrap();
        let here = dir.path().display().to_string();
        let endpoint = Endpoint::from_path(dir.path().join("x.sock")).unwrap();
        let cases = [
            (
                BindError::lock(&endpoint, LockError::Held, Duration::from_secs(10)),
                format!(
                    "directory {here} stayed locked by another process for 10s; see who holds it with lslocks"
                ),
            ),
            (
                BindError::lock(&endpoint, LockError::Lock(Errno::NOLCK), Duration::ZERO),
                format!("cannot lock {here}"),
            ),
            (
                BindError::os(&endpoint, Step::Bind, endpoint.path(), Errno::DQUOT),
                format!(
                    "no socket can be made in {here}, because its file system has no space, inode or quota left"
                ),
            ),
            (
                BindError::os(&endpoint, Step::Publish, endpoint.path(), Errno::NOENT),
                format!("cannot publish {here}/x.sock"),
            ),
        ];
        for (error, message) in cases {
            assert_eq!(error.to_string(), message);
        }
    }
}
