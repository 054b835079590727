//! A server on a real socket.

use std::path::Path;

use csi_endpoint::{ServeOptions, serve_socket};
use tokio::net::UnixListener;
use tokio::task::JoinHandle;
use tonic::service::Routes;

/// Serves at a path until it is aborted; the socket file stays.
pub(super) fn served(path: &Path, routes: Routes) -> JoinHandle<()> {
    let socket = UnixListener::bind(path).unwrap();
    tokio::spawn(async move {
        let never = std::future::pending::<()>();
        serve_socket(socket, routes, ServeOptions::default(), never)
            .await
            .unwrap();
    })
}
