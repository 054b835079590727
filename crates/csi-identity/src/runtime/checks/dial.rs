//! TCP connections to a host that has to be looked up first.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};

use tokio::net::TcpStream;

use super::lane::Lane;
use crate::TcpAddress;

#[derive(Debug)]
pub(super) struct Dial {
    address: TcpAddress,
    /// Name servers that do not answer keep a look-up for longer than most timeouts.
    lane: Lane<io::Result<Vec<SocketAddr>>>,
}

impl Dial {
    pub(super) fn new(address: TcpAddress) -> Self {
        Self {
            address,
            lane: Lane::new(),
        }
    }

    /// Connects to the first address of the host that takes the connection.
    pub(super) async fn connect(&mut self) -> Result<TcpStream, String> {
        let mut last = None;
        for address in self.look_up().await? {
            match TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = Some(error),
            }
        }
        Err(match last {
            Some(error) => format!("cannot connect to {}: {error}", self.address),
            None => format!("{} has no address", self.address.host()),
        })
    }

    pub(super) fn doing(&self) -> String {
        if self.lane.is_busy() {
            format!("looking up {}", self.address.host())
        } else {
            format!("connecting to {}", self.address)
        }
    }

    async fn look_up(&mut self) -> Result<Vec<SocketAddr>, String> {
        let (host, port) = (self.address.host(), self.address.port());
        if let Ok(ip) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, port)]);
        }
        let name = host.to_owned();
        let look_up = move || Ok((name.as_str(), port).to_socket_addrs()?.collect());
        let found = self.lane.call(look_up).await?;
        found.map_err(|error| format!("cannot look up {}: {error}", self.address.host()))
    }
}
