//! What health over HTTP costs before anything is made of it: an axum handler for `/healthz` that calls Probe over one open
//! tonic channel and answers `ok`, both set up as their documentation shows.
//!
//! It is the base line of the agent in `cargo xtask bench`, and nothing else: no deadline, no limits, no word of what went wrong.
//! One thread, as `csi-identity` has.

use std::{
    env,
    error::Error,
    io::{self, Write},
    process::ExitCode,
};

use axum::{Router, extract::State, http::StatusCode, routing::get, serve::ListenerExt};
use csi_proto::csi::v1::{ProbeRequest, identity_client::IdentityClient};
use tokio::net::TcpListener;
use tonic::transport::{Channel, Endpoint};

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let (Some(socket), Some(address), None) =
        (arguments.next(), arguments.next(), arguments.next())
    else {
        return failed("usage: stock-axum <path of the plugin's socket> <address for HTTP>");
    };
    match serve(&socket, &address) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&format!("error: {error}")),
    }
}

fn serve(socket: &str, address: &str) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let channel = Endpoint::try_from(format!("unix://{socket}"))?
            .connect()
            .await?;
        let router = Router::new()
            .route("/healthz", get(healthz))
            .with_state(IdentityClient::new(channel));
        let listener = TcpListener::bind(address).await?;
        // Port 0 is one of the kernel's choice.
        let address = listener.local_addr()?;
        writeln!(io::stderr(), "serving HTTP address={address}")?;
        // Without it, it works as well, only slower.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        axum::serve(listener, router).await?;
        Ok(())
    })
}

async fn healthz(State(mut plugin): State<IdentityClient<Channel>>) -> (StatusCode, &'static str) {
    match plugin.probe(ProbeRequest {}).await {
        Ok(response) if response.get_ref().ready != Some(false) => (StatusCode::OK, "ok"),
        Ok(_) | Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "not ready"),
    }
}

fn failed(message: &str) -> ExitCode {
    // Standard error is gone if this fails, so nobody could be told.
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::from(2)
}
