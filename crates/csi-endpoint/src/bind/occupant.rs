//! Who is at a name already.

use std::{fmt, os::unix::net::UnixStream as StdStream, path::Path};

use rustix::{
    io::Errno,
    net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with},
};
use tokio::net::UnixStream;

use crate::{FileKind, locked_directory::LockedDirectory};

/// What stands at a name.
#[derive(Debug)]
pub(super) enum Occupant {
    Nobody,
    /// A socket that nobody listens on.
    Stale,
    /// A socket in use.
    Live(Holder),
    NotASocket(FileKind),
}

/// Who listens on a socket that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Holder {
    /// The process with this pid.
    Process(u32),
    /// A process in a pid namespace that is not visible from here; often another container.
    OtherNamespace,
    /// A process that does not accept connections fast enough, so that nobody could ask who it is.
    Busy,
    /// The socket is a datagram or sequenced one, with which no gRPC server can have to do.
    OtherType,
    /// The kernel did not say.
    Unknown,
}

/// Says who is at a name in a locked directory. The address leads to the same file and fits into a socket address.
pub(super) fn of(
    directory: &LockedDirectory,
    name: &str,
    address: &Path,
) -> Result<Occupant, Errno> {
    let Some(stat) = directory.stat(name)? else {
        return Ok(Occupant::Nobody);
    };
    if FileKind::of(&stat) != FileKind::Socket {
        return Ok(Occupant::NotASocket(FileKind::of(&stat)));
    }
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let fd = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    match connect(&fd, &SocketAddrUnix::new(address)?) {
        Ok(()) => Ok(Occupant::Live(Holder::of(StdStream::from(fd)))),
        Err(Errno::CONNREFUSED) => Ok(Occupant::Stale),
        // The backlog is full, which takes a listener.
        Err(Errno::AGAIN) => Ok(Occupant::Live(Holder::Busy)),
        Err(Errno::PROTOTYPE) => Ok(Occupant::Live(Holder::OtherType)),
        Err(Errno::NOENT) => Ok(Occupant::Nobody),
        Err(errno) => Err(errno),
    }
}

impl Holder {
    /// The peer is whoever called `listen` (`unix(7)`, `SO_PEERCRED`), and its pid is 0 if it has none here.
    fn of(stream: StdStream) -> Self {
        let credentials = UnixStream::from_std(stream).and_then(|stream| stream.peer_cred());
        match credentials
            .ok()
            .and_then(|peer| peer.pid())
            .map(u32::try_from)
        {
            Some(Ok(0)) => Self::OtherNamespace,
            Some(Ok(pid)) => Self::Process(pid),
            Some(Err(_)) | None => Self::Unknown,
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(pid) => write!(f, "process {pid}"),
            Self::OtherNamespace => {
                f.write_str("a process of another pid namespace (its pid is not visible here)")
            }
            Self::Busy => {
                f.write_str("a process that does not accept connections (its backlog is full)")
            }
            Self::OtherType => {
                f.write_str("a process that uses it for something else (it is no stream socket)")
            }
            Self::Unknown => f.write_str("another process"),
        }
    }
}
