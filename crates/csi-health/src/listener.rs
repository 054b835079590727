use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with, sockopt};

use crate::HttpEndpoint;
use crate::http_endpoint::Host;
use crate::port_holder::PortHolder;

/// How many connections the kernel keeps until they are accepted.
const BACKLOG: i32 = 1024;

/// A TCP port that is bound, before anything is served on it.
///
/// Bind it first: a port that is taken is then an error of the start, and not one after a plugin was registered.
#[derive(Debug)]
pub struct HttpListener {
    listener: TcpListener,
    address: SocketAddr,
}

/// Why an [`HttpEndpoint`] could not be bound.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpBindError {
    /// A listening process has the port.
    #[error(
        "port {} is in use by {holder}; stop that first, or choose another port (pods with hostNetwork share the ports of their node)",
        address.port()
    )]
    InUse {
        /// The address.
        address: SocketAddr,
        /// Who listens.
        holder: PortHolder,
    },
    /// The port takes a privilege.
    #[error(
        "permission to bind {address} denied; ports below 1024 take CAP_NET_BIND_SERVICE, so choose a higher one"
    )]
    Denied {
        /// The address.
        address: SocketAddr,
    },
    /// The address is not one of this machine.
    #[error("{} is no address of this machine or container; use one that is, or :{} for all", address.ip(), address.port())]
    NotOurs {
        /// The address.
        address: SocketAddr,
    },
    /// The name could not be looked up, or has no address.
    #[error("the host of {endpoint} has no address; give an address")]
    Unresolved {
        /// What was to be bound.
        endpoint: HttpEndpoint,
        /// What the system said, if it failed.
        source: Option<io::Error>,
    },
    /// The system refused for another reason.
    #[error("cannot bind {address}")]
    Os {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

impl HttpListener {
    /// Binds a port, and listens.
    ///
    /// All addresses are those of IPv6 and IPv4, or of IPv4 where the kernel has no IPv6. A name is looked up, which may
    /// block; of its addresses the first of IPv4 is taken, as Go programs do.
    ///
    /// # Errors
    ///
    /// As [`HttpBindError`] says. Who has a port can be seen if `/proc` is there, and by name only where that process runs
    /// in the same pid namespace and may be looked at.
    pub fn bind(endpoint: &HttpEndpoint) -> Result<Self, HttpBindError> {
        let port = endpoint.port();
        match &endpoint.host {
            Host::Ip(ip) => Self::bind_to(SocketAddr::new(*ip, port)),
            Host::Name(name) => Self::bind_to(look_up(endpoint, name, port)?),
            Host::All => {
                let any = |ip: IpAddr| SocketAddr::new(ip, port);
                match Self::bind_to(any(Ipv6Addr::UNSPECIFIED.into())) {
                    Err(error) if error.is_for_want_of_ipv6() => {
                        Self::bind_to(any(Ipv4Addr::UNSPECIFIED.into()))
                    }
                    bound => bound,
                }
            }
        }
    }

    /// The address, with the port that the system chose if it was to.
    #[must_use]
    pub fn local_address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn into_inner(self) -> TcpListener {
        self.listener
    }

    fn bind_to(address: SocketAddr) -> Result<Self, HttpBindError> {
        let listener = listen_on(address).map_err(|errno| HttpBindError::of(address, errno))?;
        let address = listener
            .local_addr()
            .map_err(|source| HttpBindError::Os { address, source })?;
        Ok(Self { listener, address })
    }
}

fn look_up(endpoint: &HttpEndpoint, name: &str, port: u16) -> Result<SocketAddr, HttpBindError> {
    let unresolved = |source| HttpBindError::Unresolved {
        endpoint: endpoint.clone(),
        source,
    };
    let addresses = (name, port).to_socket_addrs();
    let mut addresses = addresses.map_err(|error| unresolved(Some(error)))?;
    let first = addresses.next().ok_or_else(|| unresolved(None))?;
    let rest = addresses.find(SocketAddr::is_ipv4);
    Ok(rest.filter(|_| first.is_ipv6()).unwrap_or(first))
}

/// Not by the standard library, which leaves to a sysctl whether a socket for all IPv6 addresses takes IPv4 as well.
fn listen_on(address: SocketAddr) -> Result<TcpListener, Errno> {
    let family = match address {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(family, SocketType::STREAM, flags, None)?;
    // After a restart, connections of the process before are still winding down.
    sockopt::set_socket_reuseaddr(&socket, true)?;
    if address.is_ipv6() && address.ip().is_unspecified() {
        sockopt::set_ipv6_v6only(&socket, false)?;
    }
    bind(&socket, &address)?;
    listen(&socket, BACKLOG)?;
    Ok(TcpListener::from(socket))
}

impl HttpBindError {
    fn of(address: SocketAddr, errno: Errno) -> Self {
        match errno {
            Errno::ADDRINUSE => Self::InUse {
                address,
                holder: PortHolder::of(address.port()),
            },
            Errno::ACCESS | Errno::PERM => Self::Denied { address },
            Errno::ADDRNOTAVAIL => Self::NotOurs { address },
            errno => Self::Os {
                address,
                source: errno.into(),
            },
        }
    }

    fn is_for_want_of_ipv6(&self) -> bool {
        match self {
            Self::NotOurs { .. } => true,
            Self::Os { source, .. } => Errno::from_io_error(source) == Some(Errno::AFNOSUPPORT),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_becomes_what_is_wrong() {
        let address: SocketAddr = "192.0.2.1:80".parse().unwrap();
        for (errno, message) in [
            (
                Errno::ACCESS,
                "permission to bind 192.0.2.1:80 denied; ports below 1024 take CAP_NET_BIND_SERVICE, so choose a higher one",
            ),
            (
                Errno::ADDRNOTAVAIL,
                "192.0.2.1 is no address of this machine or container; use one that is, or :80 for all",
            ),
            (Errno::NOBUFS, "cannot bind 192.0.2.1:80"),
        ] {
            assert_eq!(HttpBindError::of(address, errno).to_string(), message);
        }
    }
}
