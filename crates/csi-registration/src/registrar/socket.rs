//! The socket that is shown to the kubelet.

use std::collections::VecDeque;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use csi_endpoint::{BindError, BindOptions, Endpoint, Limits, Listener, ServeOptions, SocketFile};
use csi_proto::pluginregistration::v1::registration_server::RegistrationServer;
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};
use tonic::service::Routes;

use super::service::Service;

/// How long calls in flight may go on after their socket was taken away.
const GRACE: Duration = Duration::from_secs(2);

/// How many sockets that were taken away may still have calls in flight; more of them are cut.
const MAX_LEAVING: usize = 4;

/// A kubelet has one connection, and people who look have another.
const LIMITS: Limits = Limits {
    max_connections: 32,
    max_concurrent_streams: 16,
    max_header_list_size: 16 * 1024,
    preface_timeout: Duration::from_secs(10),
    allow_uids: None,
};

/// The file name of a plugin's registration socket, as node-driver-registrar has it.
pub(crate) fn socket_name(driver: &str) -> String {
    format!("{driver}-reg.sock")
}

/// A socket that is shown: its file, and the way to stop its server.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) number: u64,
    file: SocketFile,
    server: AbortHandle,
    _stop: oneshot::Sender<()>,
}

/// The servers of the socket that is shown and of those that were before.
#[derive(Debug, Default)]
pub(super) struct Servers {
    running: JoinSet<u64>,
    leaving: VecDeque<AbortHandle>,
}

impl Shown {
    /// Whether the path still leads to it.
    pub(super) fn is_still_ours(&self) -> bool {
        self.file.is_still_ours()
    }
}

impl Servers {
    /// Binds a socket and serves it.
    pub(super) fn show(
        &mut self,
        endpoint: &Endpoint,
        service: Service,
    ) -> Result<Shown, BindError> {
        let listener = Listener::bind(endpoint, &BindOptions::default())?;
        let (socket, file) = listener.into_parts();
        let number = service.socket;
        let (stop, stopping) = oneshot::channel::<()>();
        let routes = Routes::new(RegistrationServer::new(service));
        let options = ServeOptions {
            limits: LIMITS,
            grace: GRACE,
        };
        let server = self.running.spawn(async move {
            match csi_endpoint::serve_socket(socket, routes, options, stopping).await {
                Ok(true) => {}
                Ok(false) => tracing::debug!("calls of a kubelet were cut"),
                Err(error) => tracing::warn!(%error, "the registration socket's server ended"),
            }
            number
        });
        Ok(Shown {
            number,
            file,
            server,
            _stop: stop,
        })
    }

    /// Takes a socket away from its path. Calls in flight may end.
    pub(super) fn withdraw(&mut self, shown: Shown) {
        self.leaving.push_back(shown.server);
        if self.leaving.len() > MAX_LEAVING
            && let Some(oldest) = self.leaving.pop_front()
        {
            oldest.abort();
        }
        let path = shown.file.path().to_owned();
        if let Err(error) = shown.file.remove() {
            tracing::warn!(socket = %path.display(), %error, "the registration socket stays behind");
        }
    }

    /// The number of the next socket whose server has ended.
    pub(super) async fn ended(&mut self) -> u64 {
        loop {
            match self.running.join_next().await {
                Some(Ok(number)) => return number,
                // It was aborted, or panicked, which is a bug that the panic hook has told of.
                Some(Err(_)) => {}
                None => std::future::pending().await,
            }
        }
    }

    /// Waits until calls in flight have ended, for as long as they may.
    pub(super) async fn drain(mut self) {
        while self.running.join_next().await.is_some() {}
    }
}

/// Whether a directory has been removed from the disk although its path still leads to it, as it does where it is mounted.
pub(super) fn is_unlinked(directory: &Path) -> bool {
    std::fs::metadata(directory).is_ok_and(|directory| directory.nlink() == 0)
}
