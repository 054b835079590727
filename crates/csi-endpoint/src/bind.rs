//! Binding an endpoint so that clients see one event on a ready socket, and nobody loses a socket that is in use.
//!
//! The socket is bound under a hidden name beside the published one, gets its mode and group, listens, and only then
//! is renamed. A kubelet (`plugin_watcher.go`, 1.20 to 1.36) acts on the first event of a name and skips hidden names,
//! so it never meets a socket that refuses it. All of it happens under a lock on the directory.

use std::{os::unix::net::UnixListener as StdListener, time::Duration};

use rustix::{
    fs::{self, RenameFlags},
    io::Errno,
};
use tokio::{net::UnixListener, runtime::Handle};

use crate::{Endpoint, Listener, SocketFile, SocketMode, locked_directory::LockedDirectory};

mod draft;
mod error;
mod occupant;

use draft::Draft;
pub use error::BindError;
use error::Step;
pub use occupant::Holder;
use occupant::Occupant;

/// How long binding waits for another process that works in the directory.
const PATIENCE: Duration = Duration::from_secs(10);

/// Who may connect to a socket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BindOptions {
    /// The exact permission bits of the file, whatever the umask; 0600 by default.
    pub mode: SocketMode,
    /// The group of the file as a number; by default what the kernel gives it.
    pub group: Option<u32>,
}

impl Listener {
    /// Binds, publishes and listens.
    ///
    /// A stale socket, one that nobody listens on, is replaced in one step. A live one and any other kind of file
    /// stay, and are an error. The mode is never wider than asked for, not even for a moment.
    ///
    /// Has to be called inside a tokio runtime with I/O enabled, since the socket is registered with it. Blocks the
    /// thread, normally for well under a millisecond, and for up to 10 s while another process works in the directory.
    ///
    /// ```
    /// use csi_endpoint::{BindOptions, Endpoint, Listener};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let dir = tempfile::tempdir()?;
    /// let endpoint = Endpoint::from_path(dir.path().join("csi.sock"))?;
    /// let options = BindOptions { mode: "0660".parse()?, ..BindOptions::default() };
    /// let listener = Listener::bind(&endpoint, &options)?;
    /// assert!(listener.is_still_ours());
    ///
    /// drop(listener);
    /// assert!(!endpoint.path().exists());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// See [`BindError`]; nothing is left behind then.
    pub fn bind(endpoint: &Endpoint, options: &BindOptions) -> Result<Self, BindError> {
        if Handle::try_current().is_err() {
            return Err(BindError::NoRuntime {
                path: endpoint.path().to_owned(),
            });
        }
        let directory = LockedDirectory::open(endpoint.directory(), PATIENCE)
            .map_err(|error| BindError::lock(endpoint, error, PATIENCE))?;
        // Before anything is made, so that the usual failures do not even touch the directory.
        Target::look(&directory, endpoint)?;
        let (draft, fd, file) = Draft::make(&directory, endpoint, options)?;
        let socket =
            UnixListener::from_std(StdListener::from(fd)).map_err(|source| BindError::Os {
                action: Step::Register.action(),
                path: endpoint.path().to_owned(),
                source,
            })?;
        let id = draft.id();
        publish(&directory, endpoint, draft)?;
        Ok(Self::new(
            SocketFile::new(endpoint.clone(), id, file),
            socket,
        ))
    }
}

/// What the published name may be taken from.
enum Target {
    Free,
    Stale,
}

impl Target {
    fn look(directory: &LockedDirectory, endpoint: &Endpoint) -> Result<Self, BindError> {
        let path = endpoint.path();
        match occupant::of(directory, endpoint.file_name(), path) {
            Ok(Occupant::Nobody) => Ok(Self::Free),
            Ok(Occupant::Stale) => Ok(Self::Stale),
            Ok(Occupant::Live(holder)) => Err(BindError::InUse {
                path: path.to_owned(),
                holder,
            }),
            Ok(Occupant::NotASocket(kind)) => Err(BindError::NotASocket {
                path: path.to_owned(),
                kind,
            }),
            Err(errno) => Err(BindError::os(endpoint, Step::LookAt, path, errno)),
        }
    }
}

/// Renames the draft to the published name.
///
/// Others who do not take the lock may come in between, so the name is looked at again just before, and a free name is
/// taken only if it is still free.
fn publish(
    directory: &LockedDirectory,
    endpoint: &Endpoint,
    draft: Draft<'_>,
) -> Result<(), BindError> {
    let (from, to) = (draft.name(), endpoint.file_name());
    loop {
        let renamed = match Target::look(directory, endpoint)? {
            Target::Free => rename_to_free(directory, from, to),
            Target::Stale => {
                tracing::info!(socket = %endpoint.path().display(), "replacing a stale socket");
                fs::renameat(directory, from, directory, to)
            }
        };
        match renamed {
            Ok(()) => break,
            // Somebody was faster; the next look says who.
            Err(Errno::EXIST) => {}
            Err(errno) => {
                return Err(BindError::os(
                    endpoint,
                    Step::Publish,
                    endpoint.path(),
                    errno,
                ));
            }
        }
    }
    draft.published();
    Ok(())
}

fn rename_to_free(directory: &LockedDirectory, from: &str, to: &str) -> Result<(), Errno> {
    match fs::renameat_with(directory, from, directory, to, RenameFlags::NOREPLACE) {
        // The file system cannot do it (NFS, for one), or the kernel.
        Err(Errno::INVAL | Errno::NOSYS) => fs::renameat(directory, from, directory, to),
        other => other,
    }
}
