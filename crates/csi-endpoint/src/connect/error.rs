//! Why an endpoint could not be reached.

use std::{
    error::Error,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::io::Errno;

use crate::{
    Denial, Endpoint, FileKind, Need,
    obstacle::{Obstacle, walk},
};

/// Why an [`Endpoint`] could not be reached.
///
/// It is also in the source chain of the status of an RPC for which a connection could not be made again; see
/// [`ConnectError::in_chain`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// There is no file at the path (ENOENT).
    #[error("nothing is at {}{}", path.display(), absence(missing, *directory_exists))]
    NoSocket {
        /// The path of the socket.
        path: PathBuf,
        /// The first element on the way that is missing, symbolic links followed.
        missing: PathBuf,
        /// Whether the directory of the socket is there.
        directory_exists: bool,
    },
    /// Something on the way is no directory (ENOTDIR).
    #[error("nothing is at {}, because {} is {kind}; it has to be a directory", path.display(), element.display())]
    NotADirectory {
        /// The path of the socket.
        path: PathBuf,
        /// The element of the path that is in the way.
        element: PathBuf,
        /// What it is.
        kind: FileKind,
    },
    /// The file is no socket.
    #[error("{} is {kind}, not a socket; give the path of the server's socket", path.display())]
    NotASocket {
        /// The path.
        path: PathBuf,
        /// What is there.
        kind: FileKind,
    },
    /// The socket is there, but nobody listens (ECONNREFUSED).
    #[error("nobody listens on {}; its server is gone and left the socket, or is about to listen", path.display())]
    Refused {
        /// The path of the socket.
        path: PathBuf,
    },
    /// This process may not go there (EACCES).
    #[error("permission to connect to {} denied: {denial}", path.display())]
    Denied {
        /// The path of the socket.
        path: PathBuf,
        /// Who was refused what at which element of the path.
        denial: Denial,
    },
    /// The server does not accept the connections it has (EAGAIN).
    #[error("the server of {} does not accept connections, and its backlog is full; it hangs, or is overloaded", path.display())]
    Busy {
        /// The path of the socket.
        path: PathBuf,
    },
    /// The socket is a datagram or sequenced one (EPROTOTYPE).
    #[error("{} is not a stream socket, which gRPC needs; give the path of the server's socket", path.display())]
    WrongType {
        /// The path of the socket.
        path: PathBuf,
    },
    /// The server took the connection and closed it without a word.
    #[error("the server of {} closed the connection at once; it is stopping, or refuses this process", path.display())]
    Closed {
        /// The path of the socket.
        path: PathBuf,
    },
    /// The server speaks something else than HTTP/2.
    #[error("the server of {} does not speak HTTP/2, but answers \"{seen}\"; give the path of a gRPC server's socket", path.display())]
    NotHttp2 {
        /// The path of the socket.
        path: PathBuf,
        /// The beginning of its answer, with what cannot be printed escaped.
        seen: String,
    },
    /// The server took the connection and stayed mute.
    ///
    /// This is the only thing that can time out: the kernel connects to a Unix socket at once or not at all.
    #[error("connected to {}, but no HTTP/2 SETTINGS came within {limit:?}; its server hangs, or speaks another protocol", path.display())]
    TimedOut {
        /// The path of the socket.
        path: PathBuf,
        /// How long this process waited.
        limit: Duration,
    },
    /// The HTTP/2 client refused a connection that had begun well.
    #[error("cannot begin HTTP/2 with the server of {}", path.display())]
    Handshake {
        /// The path of the socket.
        path: PathBuf,
        /// What the client said.
        source: hyper::Error,
    },
    /// The system refused for another reason.
    #[error("cannot connect to {}", path.display())]
    Os {
        /// The path of the socket.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn absence(missing: &Path, directory_exists: bool) -> String {
    if directory_exists {
        ", though its directory exists; its server has not bound it yet, or binds another path"
            .to_owned()
    } else {
        format!(
            ", because {} does not exist; make that directory, or mount it here",
            missing.display()
        )
    }
}

impl ConnectError {
    /// Finds the reason in an error or its sources.
    ///
    /// ```
    /// use csi_endpoint::ConnectError;
    ///
    /// fn explain(status: &tonic::Status) -> String {
    ///     match ConnectError::in_chain(status) {
    ///         Some(reason) => format!("not reached: {reason}"),
    ///         None => format!("answered: {status}"),
    ///     }
    /// }
    /// # assert!(explain(&tonic::Status::internal("x")).starts_with("answered"));
    /// ```
    pub fn in_chain<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(found) = error.downcast_ref() {
                return Some(found);
            }
            next = error.source();
        }
        None
    }

    /// Whether only a change in the file system can help, and not another try.
    pub(super) fn is_about_files(&self) -> bool {
        match self {
            Self::NoSocket { .. }
            | Self::NotADirectory { .. }
            | Self::NotASocket { .. }
            | Self::Denied { .. } => true,
            Self::Refused { .. }
            | Self::Busy { .. }
            | Self::WrongType { .. }
            | Self::Closed { .. }
            | Self::NotHttp2 { .. }
            | Self::TimedOut { .. }
            | Self::Handshake { .. }
            | Self::Os { .. } => false,
        }
    }

    /// Turns what `connect(2)` said into what is wrong.
    pub(super) fn from_connect(endpoint: &Endpoint, error: io::Error) -> Self {
        let path = endpoint.path().to_owned();
        match Errno::from_io_error(&error) {
            Some(Errno::NOENT | Errno::NOTDIR) => Self::missing(endpoint),
            Some(Errno::CONNREFUSED) => match walk(&path) {
                Ok((_, stat)) if FileKind::of(&stat) != FileKind::Socket => Self::NotASocket {
                    path,
                    kind: FileKind::of(&stat),
                },
                _ => Self::Refused { path },
            },
            Some(Errno::ACCESS) => Self::denied(endpoint, error),
            Some(Errno::AGAIN) => Self::Busy { path },
            Some(Errno::PROTOTYPE) => Self::WrongType { path },
            _ => Self::Os {
                path,
                source: error,
            },
        }
    }

    fn missing(endpoint: &Endpoint) -> Self {
        let path = endpoint.path().to_owned();
        match walk(&path) {
            Err(Obstacle::Missing(missing)) => {
                let directory_exists = walk(endpoint.directory()).is_ok();
                Self::NoSocket {
                    path,
                    missing,
                    directory_exists,
                }
            }
            Err(Obstacle::NotADirectory(element, kind)) => Self::NotADirectory {
                path,
                element,
                kind,
            },
            // It has come meanwhile.
            _ => Self::NoSocket {
                missing: path.clone(),
                path,
                directory_exists: true,
            },
        }
    }

    fn denied(endpoint: &Endpoint, source: io::Error) -> Self {
        let path = endpoint.path().to_owned();
        let (element, need) = match walk(&path) {
            Err(Obstacle::NoSearch(element)) => (element, Need::Search),
            Ok((_, stat)) if FileKind::of(&stat) != FileKind::Socket => {
                return Self::NotASocket {
                    path,
                    kind: FileKind::of(&stat),
                };
            }
            Ok((element, _)) => (element, Need::Write),
            Err(_) => return Self::Os { path, source },
        };
        match rustix::fs::lstat(&element) {
            Ok(stat) => Self::Denied {
                path,
                denial: Denial::new(&element, &stat, need),
            },
            Err(_) => Self::Os { path, source },
        }
    }
}
