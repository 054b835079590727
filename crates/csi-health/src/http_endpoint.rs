use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Where HTTP is served: `:9808` (all addresses), `127.0.0.1:9808`, `[::1]:9808` or `localhost:9808`.
///
/// `0.0.0.0` and `[::]` are all addresses, too, of IPv4 and IPv6.
///
/// The forms are those of Go programs, so flags can be taken over as they are. Port 0 lets the system choose.
///
/// ```
/// use csi_health::HttpEndpoint;
///
/// let endpoint: HttpEndpoint = ":9808".parse()?;
/// assert_eq!(endpoint.port(), 9808);
/// assert_eq!(
///     "9808".parse::<HttpEndpoint>().unwrap_err().to_string(),
///     "\"9808\" has no host; write :9808 for all addresses, or 127.0.0.1:9808 for this machine alone",
/// );
/// # Ok::<(), csi_health::HttpEndpointError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpEndpoint {
    pub(crate) host: Host,
    port: u16,
}

/// The part before the port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// Every address, of IPv6 and IPv4.
    All,
    Ip(IpAddr),
    /// To be looked up when it is bound.
    Name(Box<str>),
}

/// Why a text is no [`HttpEndpoint`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpEndpointError {
    /// There is no port.
    #[error("{text:?} has no port; write HOST:PORT, or :PORT for all addresses")]
    NoPort {
        /// The text.
        text: String,
    },
    /// There is a port alone.
    #[error(
        "{text:?} has no host; write :{text} for all addresses, or 127.0.0.1:{text} for this machine alone"
    )]
    NoHost {
        /// The text.
        text: String,
    },
    /// The port is no number, or too large.
    #[error("{text:?} has the port {port:?}; a port is a number from 0 to 65535")]
    BadPort {
        /// The text.
        text: String,
        /// The part after the last colon.
        port: String,
    },
    /// An IPv6 address stands there without brackets.
    #[error("{text:?} has an IPv6 address without brackets; write [ADDRESS]:PORT")]
    NoBrackets {
        /// The text.
        text: String,
    },
    /// What is in brackets is no IPv6 address.
    #[error("{text:?} has {host:?} in brackets, which is no IPv6 address")]
    BadAddress {
        /// The text.
        text: String,
        /// What is in brackets.
        host: String,
    },
    /// The host is neither an address nor a name.
    #[error(
        "{text:?} has the host {host:?}, which is neither an address nor a name; write HOST:PORT without a scheme or path"
    )]
    BadHost {
        /// The text.
        text: String,
        /// The host.
        host: String,
    },
}

impl HttpEndpoint {
    /// The port; 0 where the system is to choose.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Host and port for a client on this machine.
    #[must_use]
    pub fn destination(&self) -> (String, u16) {
        let host = match &self.host {
            Host::All => "localhost".to_owned(),
            Host::Ip(address) => address.to_string(),
            Host::Name(name) => name.to_string(),
        };
        (host, self.port)
    }

    /// A port on all addresses of this machine.
    #[must_use]
    pub fn all_addresses(port: u16) -> Self {
        let host = Host::All;
        Self { host, port }
    }
}

impl FromStr for HttpEndpoint {
    type Err = HttpEndpointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let owned = || text.to_owned();
        let Some((host, port)) = text.rsplit_once(':') else {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            return Err(match is_number {
                true => HttpEndpointError::NoHost { text: owned() },
                false => HttpEndpointError::NoPort { text: owned() },
            });
        };
        if host.ends_with(':') || host.contains(':') && text.parse::<Ipv6Addr>().is_ok() {
            return Err(HttpEndpointError::NoBrackets { text: owned() });
        }
        let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let Some(port) = port.parse().ok().filter(|_| is_number) else {
            return Err(match port {
                "" => HttpEndpointError::NoPort { text: owned() },
                _ => HttpEndpointError::BadPort {
                    port: port.to_owned(),
                    text: owned(),
                },
            });
        };
        let host = Host::parse(text, host)?;
        Ok(Self { host, port })
    }
}

impl Host {
    fn parse(text: &str, host: &str) -> Result<Self, HttpEndpointError> {
        let owned = || text.to_owned();
        if host.is_empty() {
            return Ok(Self::All);
        }
        if let Some(inner) = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
        {
            return match inner.parse() {
                Ok(Ipv6Addr::UNSPECIFIED) => Ok(Self::All),
                Ok(address) => Ok(Self::Ip(IpAddr::V6(address))),
                Err(_no_address) => Err(HttpEndpointError::BadAddress {
                    host: inner.to_owned(),
                    text: owned(),
                }),
            };
        }
        if let Ok(address) = host.parse() {
            return match address {
                // What Go programs mean by it; a socket for IPv4 alone would answer no kubelet of an IPv6 cluster.
                IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ok(Self::All),
                IpAddr::V4(_) => Ok(Self::Ip(address)),
                IpAddr::V6(_) => Err(HttpEndpointError::NoBrackets { text: owned() }),
            };
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        if !host.chars().all(is_name) {
            return Err(HttpEndpointError::BadHost {
                host: host.to_owned(),
                text: owned(),
            });
        }
        Ok(Self::Name(host.into()))
    }
}

impl fmt::Display for HttpEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let port = self.port;
        match &self.host {
            Host::All => write!(f, ":{port}"),
            Host::Ip(IpAddr::V4(address)) => write!(f, "{address}:{port}"),
            Host::Ip(IpAddr::V6(address)) => write!(f, "[{address}]:{port}"),
            Host::Name(name) => write!(f, "{name}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HttpEndpoint;

    #[test]
    fn an_endpoint_is_host_and_port_and_shown_as_it_was_written() {
        for (text, port) in [
            (":9808", 9808),
            ("127.0.0.1:0", 0),
            ("[::1]:65535", 65535),
            ("localhost:8080", 8080),
            ("node-1.example.org:1", 1),
        ] {
            let endpoint: HttpEndpoint = text.parse().unwrap();
            assert_eq!(
                (endpoint.to_string().as_str(), endpoint.port()),
                (text, port)
            );
        }
        assert_eq!(HttpEndpoint::all_addresses(9808), ":9808".parse().unwrap());
    }

    #[test]
    fn what_is_no_endpoint_is_refused_with_what_would_be_right() {
        for (text, message) in [
            (
                "",
                r#""" has no port; write HOST:PORT, or :PORT for all addresses"#,
            ),
            (
                "localhost",
                r#""localhost" has no port; write HOST:PORT, or :PORT for all addresses"#,
            ),
            (
                "localhost:",
                r#""localhost:" has no port; write HOST:PORT, or :PORT for all addresses"#,
            ),
            (
                "9808",
                r#""9808" has no host; write :9808 for all addresses, or 127.0.0.1:9808 for this machine alone"#,
            ),
            (
                ":65536",
                r#"":65536" has the port "65536"; a port is a number from 0 to 65535"#,
            ),
            (
                ":+80",
                r#"":+80" has the port "+80"; a port is a number from 0 to 65535"#,
            ),
            (
                ":http",
                r#"":http" has the port "http"; a port is a number from 0 to 65535"#,
            ),
            (
                "::1:80",
                r#""::1:80" has an IPv6 address without brackets; write [ADDRESS]:PORT"#,
            ),
            (
                "::1",
                r#""::1" has an IPv6 address without brackets; write [ADDRESS]:PORT"#,
            ),
            (
                "[::g]:80",
                r#""[::g]:80" has "::g" in brackets, which is no IPv6 address"#,
            ),
            (
                "http://localhost:80",
                r#""http://localhost:80" has the host "http://localhost", which is neither an address nor a name; write HOST:PORT without a scheme or path"#,
            ),
        ] {
            let error = text.parse::<HttpEndpoint>().unwrap_err();
            assert_eq!(error.to_string(), message, "{text:?}");
        }
    }
}
