//! What can be checked.

mod address;
mod command;
mod http;
mod path;
mod url;

use std::fmt;

pub use address::{TcpAddress, TcpAddressError};
pub use command::{ExecCommand, ExecCommandError};
pub use http::{ExpectedText, ExpectedTextError, HttpStatus, HttpStatusError};
pub use path::{AbsolutePath, AbsolutePathError, FsType, FsTypeError};
pub use url::{HttpUrl, HttpUrlError};

/// What is checked, and how.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CheckTarget {
    /// A TCP connection can be made; it is closed at once.
    Tcp {
        /// Where to.
        address: TcpAddress,
    },
    /// A GET request has the right answer. Redirects are answers like any other and are not followed.
    Http {
        /// What is asked for.
        url: HttpUrl,
        /// The status that is right; any from 200 to 299 if none is given.
        status: Option<HttpStatus>,
        /// Text that must occur in the first 64 KiB of the body.
        body: Option<ExpectedText>,
    },
    /// A command ends with status 0. It gets no input, and is killed with its children when it takes too long.
    ///
    /// It runs in a process group of its own, and what is left of the group when it has ended is killed too. Children that
    /// leave the group (`setsid`, `timeout`, daemons) do so on purpose and are not killed, not even when the check takes
    /// too long. Where this process is process 1 they become its children in the end; `csi-identity serve` waits for
    /// them then, a program of your own has to, but never for what a check has begun.
    Exec {
        /// The program and its arguments. No shell is involved.
        command: ExecCommand,
    },
    /// A file, directory or anything else is at a path, symbolic links followed.
    Path {
        /// Where.
        path: AbsolutePath,
    },
    /// A path is a mount point, symbolic links followed.
    Mount {
        /// The mount point.
        path: AbsolutePath,
        /// The type of file system that must be mounted there, as `/proc/self/mountinfo` names it; any if none is given.
        fs_type: Option<FsType>,
    },
    /// A gRPC server on a Unix socket says that it is well.
    Grpc {
        /// The socket, as the text of an endpoint: `unix:///abs`, `unix:/abs` or `/abs`. It is parsed where the checks are
        /// put together to run.
        endpoint: String,
        /// What it is asked.
        probe: GrpcProbe,
    },
}

/// What a gRPC server is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum GrpcProbe {
    /// `csi.v1.Identity/Probe`; `ready` true or unset is well.
    #[default]
    CsiProbe,
    /// `grpc.health.v1.Health/Check`; SERVING is well.
    Health {
        /// The service that is asked about; empty for the server as a whole.
        service: String,
    },
}

impl CheckTarget {
    /// The name of the kind, as it stands in configuration: `tcp`, `http`, `exec`, `path`, `mount` or `grpc`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Tcp { .. } => "tcp",
            Self::Http { .. } => "http",
            Self::Exec { .. } => "exec",
            Self::Path { .. } => "path",
            Self::Mount { .. } => "mount",
            Self::Grpc { .. } => "grpc",
        }
    }
}

/// The kind and what it is about, without the query of a URL and the arguments of a command, which may be secret.
impl fmt::Display for CheckTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match self {
            Self::Tcp { address } => write!(f, " {address}"),
            Self::Http { url, .. } => write!(f, " {}", url.without_query()),
            Self::Exec { command } => write!(f, " {}", command.program()),
            Self::Path { path } | Self::Mount { path, .. } => write!(f, " {path}"),
            Self::Grpc { endpoint, .. } => write!(f, " {endpoint}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckTarget, ExecCommand, GrpcProbe};

    #[test]
    fn a_target_reads_as_its_kind_and_what_it_is_about() {
        for (target, text) in [
            (
                CheckTarget::Tcp {
                    address: "[::1]:3260".parse().unwrap(),
                },
                "tcp [::1]:3260",
            ),
            (
                CheckTarget::Http {
                    url: "http://array/health?token=x".parse().unwrap(),
                    status: None,
                    body: None,
                },
                "http http://array/health",
            ),
            (
                CheckTarget::Exec {
                    command: ExecCommand::new(["/bin/login", "--password=x"]).unwrap(),
                },
                "exec /bin/login",
            ),
            (
                CheckTarget::Path {
                    path: "/dev/sdb".parse().unwrap(),
                },
                "path /dev/sdb",
            ),
            (
                CheckTarget::Mount {
                    path: "/data".parse().unwrap(),
                    fs_type: None,
                },
                "mount /data",
            ),
            (
                CheckTarget::Grpc {
                    endpoint: "/csi/csi.sock".to_owned(),
                    probe: GrpcProbe::CsiProbe,
                },
                "grpc /csi/csi.sock",
            ),
        ] {
            assert_eq!(target.to_string(), text);
        }
    }
}
