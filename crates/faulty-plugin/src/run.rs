//! A plugin as a process: binds, serves and ends, each as its fault wants it.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use csi_endpoint::{BindError, BindOptions, Endpoint, EndpointError, Listener, SocketFile};
use tokio::net::UnixListener;

use crate::plugin::Plugin;
use crate::process::{End, Socket, Start};
use crate::server::{Ended, serve};

/// How long signals are ignored.
const DEAF: Duration = Duration::from_secs(60);

/// Why a plugin did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The endpoint is no address of a socket.
    #[error("the endpoint cannot be read")]
    Endpoint(#[source] EndpointError),
    /// The socket could not be bound.
    #[error("cannot bind the socket")]
    Bind(#[source] BindError),
    /// Something else could not be done with a file.
    #[error("cannot make {}", .path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Binds the endpoint, serves the plugin until `shutdown` is ready, and cleans up.
///
/// # Errors
///
/// As [`RunError`] says. Faults that have a plugin not start without a word are no error but [`Ended::Asked`] or
/// [`Ended::Died`].
pub async fn run(
    plugin: Plugin,
    endpoint: &str,
    shutdown: impl Future<Output = ()>,
) -> Result<Ended, RunError> {
    let process = plugin.process.clone();
    match process.start {
        Start::AtOnce => {}
        Start::After(delay) => tokio::time::sleep(delay).await,
        Start::ExitsSilently => return Ok(Ended::Asked),
        Start::FailsSilently => return Ok(Ended::Died),
        Start::RefusesScheme => {
            let path = Path::new(endpoint);
            let socket = plain(path)?;
            let _file = Remove(path.to_owned());
            return Ok(serve(plugin, socket, shutdown).await);
        }
    }
    let endpoint: Endpoint = endpoint.parse().map_err(RunError::Endpoint)?;
    let (socket, files) = bind(&endpoint, process.socket)?;
    let shutdown = async {
        shutdown.await;
        if process.end == End::IgnoresSignals {
            tokio::time::sleep(DEAF).await;
        }
    };
    let ended = serve(plugin, socket, shutdown).await;
    match process.end {
        End::LeavesSocket => {
            // Whatever would remove it when it is dropped is not.
            std::mem::forget(files);
            Ok(ended)
        }
        End::Fails => Ok(Ended::Died),
        End::Good | End::IgnoresSignals => Ok(ended),
    }
}

/// What is removed at the end, from first to last.
#[derive(Debug, Default)]
struct Files {
    _own: Option<SocketFile>,
    _more: Vec<Remove>,
    _beside: Option<UnixListener>,
}

#[derive(Debug)]
struct Remove(PathBuf);

impl Drop for Remove {
    fn drop(&mut self) {
        // It may be gone already, and nobody could be told of anything else.
        let _ = fs::remove_file(&self.0);
    }
}

fn bind(endpoint: &Endpoint, kind: Socket) -> Result<(UnixListener, Files), RunError> {
    let asked = endpoint.path();
    let beside = |name: &str| endpoint.directory().join(name);
    let mut files = Files::default();
    let socket = match kind {
        Socket::Good => good(endpoint, &mut files)?,
        Socket::Mode(mode) => {
            let socket = good(endpoint, &mut files)?;
            fs::set_permissions(asked, fs::Permissions::from_mode(mode)).map_err(at(asked))?;
            socket
        }
        Socket::Named(name) => good(&elsewhere(&beside(name))?, &mut files)?,
        Socket::WithFile(name) => {
            let path = beside(name);
            fs::write(&path, std::process::id().to_string()).map_err(at(&path))?;
            files._more.push(Remove(path));
            good(endpoint, &mut files)?
        }
        Socket::WithSecond(name) => {
            let path = beside(name);
            files._beside = Some(plain(&path)?);
            files._more.push(Remove(path));
            good(endpoint, &mut files)?
        }
        Socket::BehindLink(name) => {
            let path = beside(name);
            if asked.is_symlink() {
                fs::remove_file(asked).map_err(at(asked))?;
            }
            let socket = good(&elsewhere(&path)?, &mut files)?;
            symlink(&path, asked).map_err(at(asked))?;
            files._more.push(Remove(asked.to_owned()));
            socket
        }
        Socket::InDirectory(mode) => {
            let directory = endpoint.directory();
            fs::set_permissions(directory, fs::Permissions::from_mode(mode))
                .map_err(at(directory))?;
            good(endpoint, &mut files)?
        }
        Socket::Steals => {
            if asked.exists() {
                fs::remove_file(asked).map_err(at(asked))?;
            }
            let socket = plain(asked)?;
            files._more.push(Remove(asked.to_owned()));
            socket
        }
        Socket::RefusesStale => {
            let socket = plain(asked)?;
            files._more.push(Remove(asked.to_owned()));
            socket
        }
    };
    Ok((socket, files))
}

fn good(endpoint: &Endpoint, files: &mut Files) -> Result<UnixListener, RunError> {
    let listener = Listener::bind(endpoint, &BindOptions::default()).map_err(RunError::Bind)?;
    let (socket, file) = listener.into_parts();
    files._own = Some(file);
    Ok(socket)
}

/// Binds and no more.
fn plain(path: &Path) -> Result<UnixListener, RunError> {
    UnixListener::bind(path).map_err(at(path))
}

fn elsewhere(path: &Path) -> Result<Endpoint, RunError> {
    Endpoint::from_path(path).map_err(RunError::Endpoint)
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> RunError {
    let path = path.to_owned();
    |source| RunError::File { path, source }
}
