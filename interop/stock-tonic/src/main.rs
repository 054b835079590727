//! What a driver in Rust has without this project: tonic on a Unix socket, set up as its documentation shows.
//!
//! It is the contrast of `interop/run`, and the base line of `cargo xtask bench` and the plugin there, and nothing else:
//! answers are fixed, and nothing is done about the authority that clients of Unix sockets send. One thread, as `csi-identity` has.
//!
//! There is no signal handler: SIGTERM ends it at once, the socket file stays.

mod identity;
mod node;
mod registration;

use std::{
    error::Error,
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use csi_proto::{
    csi::v1::{identity_server::IdentityServer, node_server::NodeServer},
    pluginregistration::v1::registration_server::RegistrationServer,
};
use tokio::net::UnixListener;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::transport::Server;

use self::{identity::FixedIdentity, node::FixedNode, registration::FixedRegistration};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(socket), None) = (arguments.next(), arguments.next()) else {
        return failed("usage: stock-tonic <path of the socket to bind>");
    };
    match serve(socket.into()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&format!("error: {error}")),
    }
}

fn serve(socket: PathBuf) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let incoming = UnixListenerStream::new(UnixListener::bind(&socket)?);
        Server::builder()
            .add_service(IdentityServer::new(FixedIdentity))
            .add_service(NodeServer::new(FixedNode))
            .add_service(RegistrationServer::new(FixedRegistration {
                endpoint: socket,
            }))
            .serve_with_incoming(incoming)
            .await?;
        Ok(())
    })
}

fn failed(message: &str) -> ExitCode {
    // Standard error is gone if this fails, so nobody could be told.
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::from(2)
}
