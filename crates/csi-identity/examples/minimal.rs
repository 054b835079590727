//! The smallest plugin that a kubelet can register, once a registrar has shown it: an identity and the node it runs on.
//!
//!     cargo run --example minimal -- unix:///tmp/csi.sock

use csi_identity::endpoint::{BindOptions, ServeOptions};
use csi_identity::{NodeInfo, Plugin, Readiness};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endpoint = std::env::args().nth(1).ok_or("usage: minimal ENDPOINT")?;
    let plugin = Plugin::builder("disk.acme.io".parse()?, env!("CARGO_PKG_VERSION").parse()?)
        .node_info(NodeInfo::new("node-1".parse()?))
        .build()?;
    let readiness = plugin.readiness();
    let bound = plugin.bind(&endpoint.parse()?, &BindOptions::default())?;
    readiness.set(Readiness::Ready);
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    let stopped = bound
        .serve(ServeOptions::default(), terminate.recv())
        .await?;
    if !stopped.drained {
        return Err("calls were still in flight and have been cut".into());
    }
    Ok(())
}
