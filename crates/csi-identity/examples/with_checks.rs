//! A plugin that is as ready as what it stands on: a backend that takes connections, and a directory that is there.
//!
//!     cargo run --example with_checks -- unix:///tmp/csi.sock 127.0.0.1:3260 /tmp
//!
//! While the backend is away, Probe answers `ready=false`: no restart of the plugin would bring it back. Without the
//! directory Probe fails.

use std::time::Duration;

use csi_identity::endpoint::{BindOptions, ServeOptions};
use csi_identity::{Check, CheckPolicy, CheckTarget, OnFailure, Plugin};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [endpoint, backend, directory] = arguments.as_slice() else {
        return Err("usage: with_checks ENDPOINT BACKEND DIRECTORY".into());
    };
    let often = CheckPolicy {
        interval: Duration::from_millis(100),
        timeout: Duration::from_millis(100),
        failure_threshold: 1,
        ..CheckPolicy::default()
    };
    let backend = Check::new(
        "backend".parse()?,
        CheckTarget::Tcp {
            address: backend.parse()?,
        },
        CheckPolicy {
            on_failure: OnFailure::NotReady,
            ..often
        },
    )?;
    let directory = Check::new(
        "directory".parse()?,
        CheckTarget::Path {
            path: directory.parse()?,
        },
        often,
    )?;
    let plugin = Plugin::builder("disk.acme.io".parse()?, env!("CARGO_PKG_VERSION").parse()?)
        .checks([backend, directory])
        .build()?;
    let bound = plugin.bind(&endpoint.parse()?, &BindOptions::default())?;
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    let stopped = bound
        .serve(ServeOptions::default(), terminate.recv())
        .await?;
    if !stopped.drained {
        return Err("calls were still in flight and have been cut".into());
    }
    Ok(())
}
