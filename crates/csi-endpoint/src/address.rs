//! The address of a Unix socket: text on the command line, in a manifest or in the environment, to a path that the
//! kernel takes.
//!
//! Nothing here looks at the file system.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

mod advice;
mod error;
mod parse;

pub use advice::Advice;
pub use error::EndpointError;

/// The address of a Unix socket, for example `unix:///run/csi/csi.sock`.
///
/// It is read from `unix:///abs`, `unix:/abs` or `/abs`, and shown as `unix:///abs`. Having one is proof that the path
/// is absolute, names a file, has no control characters and fits into a socket address, so nobody checks it again.
/// Runs of slashes count as one, as they do for the kernel; `.` and `..` inside the path are left alone, because
/// symbolic links give them their meaning.
///
/// A path is text: it ends up in manifests, logs and protobuf strings, none of which can hold bytes that are not
/// UTF-8.
///
/// ```
/// use csi_endpoint::Endpoint;
///
/// let endpoint: Endpoint = "/run/csi/csi.sock".parse()?;
/// assert_eq!(endpoint.to_string(), "unix:///run/csi/csi.sock");
/// assert_eq!(endpoint.path_text(), "/run/csi/csi.sock");
///
/// let error = "unix://run/csi.sock".parse::<Endpoint>().unwrap_err();
/// assert!(error.to_string().ends_with("did you mean unix:///run/csi.sock"));
/// # Ok::<(), csi_endpoint::EndpointError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Endpoint(Box<str>);

impl Endpoint {
    /// The longest path of a socket, in bytes.
    ///
    /// A socket address has 108 bytes for it (`unix(7)`, `sun_path`), and one of them is the closing NUL.
    pub const MAX_LEN: usize = 107;

    /// The path of the socket.
    pub fn path(&self) -> &Path {
        Path::new(&*self.0)
    }

    /// The path of the socket as text, without a scheme.
    ///
    /// This is the form a kubelet wants in `PluginInfo.endpoint`.
    pub fn path_text(&self) -> &str {
        &self.0
    }

    /// The last part of the path.
    pub fn file_name(&self) -> &str {
        self.split().1
    }

    /// The directory the socket is in.
    pub fn directory(&self) -> &Path {
        match self.split().0 {
            "" => Path::new("/"),
            directory => Path::new(directory),
        }
    }

    /// What is allowed here, but may trouble somebody else.
    pub fn advice(&self) -> Vec<Advice> {
        advice::of(self)
    }

    /// Makes an endpoint of a path.
    ///
    /// # Errors
    ///
    /// Whatever the path breaks of the rules for an endpoint, and [`EndpointError::NotUtf8`]. A scheme is part of
    /// the path here, so a path that begins with one is relative.
    pub fn from_path(path: impl Into<PathBuf>) -> Result<Self, EndpointError> {
        let path = path.into();
        match path.to_str() {
            Some(text) => parse::path(text).map(Self),
            None => Err(EndpointError::NotUtf8 { path }),
        }
    }

    /// Directory (empty for the root) and file name.
    fn split(&self) -> (&str, &str) {
        self.0.rsplit_once('/').unwrap_or(("", &self.0))
    }
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse::endpoint(text).map(Self)
    }
}

impl TryFrom<PathBuf> for Endpoint {
    type Error = EndpointError;

    fn try_from(path: PathBuf) -> Result<Self, Self::Error> {
        Self::from_path(path)
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unix://{}", self.0)
    }
}
