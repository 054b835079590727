use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use csi_identity::{Readiness, ReadinessHandle};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// How often the plugin looks at its backend.
const INTERVAL: Duration = Duration::from_millis(50);

/// A storage system, as far as the demo needs one: a TCP listener that comes and goes.
#[derive(Debug)]
pub(super) struct Backend {
    address: SocketAddr,
    listener: Option<TcpListener>,
}

impl Backend {
    /// A backend that is down, at an address that is free.
    pub(super) async fn reserve() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        Ok(Self {
            address: listener.local_addr()?,
            listener: None,
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) async fn start(&mut self) -> io::Result<()> {
        let socket = TcpSocket::new_v4()?;
        // Connections of the time before linger in TIME_WAIT and would keep the port.
        socket.set_reuseaddr(true)?;
        socket.bind(self.address)?;
        self.listener = Some(socket.listen(16)?);
        Ok(())
    }

    pub(super) fn stop(&mut self) {
        self.listener = None;
    }
}

/// The plugin's readiness follows the backend, for ever: starting until it was there once, broken when it is gone.
pub(super) async fn follow(address: SocketAddr, readiness: &ReadinessHandle) -> Infallible {
    let mut ready_once = false;
    let mut interval = tokio::time::interval(INTERVAL);
    loop {
        interval.tick().await;
        let now = match TcpStream::connect(address).await {
            Ok(_) => {
                ready_once = true;
                Readiness::Ready
            }
            Err(error) if ready_once => Readiness::not_ready(format!("backend {address}: {error}")),
            Err(error) => Readiness::starting(format!("backend {address}: {error}")),
        };
        readiness.set(now);
    }
}
