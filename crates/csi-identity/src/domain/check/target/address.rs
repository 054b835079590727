use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// A host and a port, as `array.acme.io:3260`, `10.0.0.7:3260` or `[fd00::7]:3260`.
///
/// The host may be a name of at most 253 letters, digits, `-`, `_` and `.`; it is looked up anew at each run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TcpAddress {
    host: Box<str>,
    port: u16,
}

/// Why a text is no [`TcpAddress`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TcpAddressError {
    /// There is no text.
    #[error("address is empty; write host:port")]
    Empty,
    /// The text is that of a URL.
    #[error("address {text:?} has a scheme; write host:port alone")]
    Scheme {
        /// The text.
        text: String,
    },
    /// There is nothing but a host.
    #[error("address {text:?} has no port; write host:port")]
    NoPort {
        /// The text.
        text: String,
    },
    /// The port is no number that a port can be.
    #[error("address {text:?} has the port {port:?}; a port is a number from 1 to 65535")]
    BadPort {
        /// The text.
        text: String,
        /// What stands for the port.
        port: String,
    },
    /// An IPv6 address cannot be told from its port.
    #[error(
        "address {text:?} has more than one ':'; write an IPv6 address in brackets, as [::1]:80"
    )]
    BareIpv6 {
        /// The text.
        text: String,
    },
    /// The host is neither a name nor an address.
    #[error(
        "address {text:?} has the host {host:?}; write a host name, an IPv4 address, or an IPv6 address in brackets"
    )]
    BadHost {
        /// The text.
        text: String,
        /// What stands for the host.
        host: String,
    },
}

impl TcpAddress {
    /// How many bytes the name of a host may have (RFC 1035, section 3.1, without the length bytes).
    pub const MAX_HOST_LEN: usize = 253;

    /// The name or address of the host, without brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Reads `host:port`, or `host` alone where there is a port for that.
    pub(super) fn parse(text: &str, default_port: Option<u16>) -> Result<Self, TcpAddressError> {
        use TcpAddressError as E;
        let whole = || text.to_owned();
        if text.is_empty() {
            return Err(E::Empty);
        }
        if text.contains("://") {
            return Err(E::Scheme { text: whole() });
        }
        let bad_host = |host: &str| E::BadHost {
            text: whole(),
            host: host.to_owned(),
        };
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or_else(|| bad_host(text))?;
                if host.parse::<Ipv6Addr>().is_err() || !(rest.is_empty() || rest.starts_with(':'))
                {
                    return Err(bad_host(text));
                }
                (host, rest.strip_prefix(':'))
            }
            None => match text.split_once(':') {
                Some((_, port)) if port.contains(':') => return Err(E::BareIpv6 { text: whole() }),
                Some((host, _)) if !is_host(host) => return Err(bad_host(host)),
                Some((host, port)) => (host, Some(port)),
                None if !is_host(text) => return Err(bad_host(text)),
                None => (text, None),
            },
        };
        let port = match port {
            // A sign is not what `u16` means by digits here.
            Some(digits) => digits
                .parse()
                .ok()
                .filter(|&port| port > 0 && digits.bytes().all(|byte| byte.is_ascii_digit()))
                .ok_or_else(|| E::BadPort {
                    text: whole(),
                    port: digits.to_owned(),
                })?,
            None => default_port.ok_or_else(|| E::NoPort { text: whole() })?,
        };
        Ok(Self {
            host: host.into(),
            port,
        })
    }
}

fn is_host(text: &str) -> bool {
    let is_name = (1..=TcpAddress::MAX_HOST_LEN).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    // Digits and dots alone are an address, or a slip of one.
    let is_number = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_name && (!is_number || text.parse::<Ipv4Addr>().is_ok())
}

impl FromStr for TcpAddress {
    type Err = TcpAddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text, None)
    }
}

impl fmt::Display for TcpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') {
            write!(f, "[{host}]:{port}")
        } else {
            write!(f, "{host}:{port}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TcpAddress;

    #[test]
    fn an_address_is_a_host_and_a_port() {
        for (text, host, port) in [
            ("array.acme.io:3260", "array.acme.io", 3260),
            ("my_array-7:1", "my_array-7", 1),
            ("10.0.0.7:65535", "10.0.0.7", 65535),
            ("[fd00::7]:80", "fd00::7", 80),
        ] {
            let address: TcpAddress = text.parse().unwrap();
            assert_eq!((address.host(), address.port()), (host, port));
            assert_eq!(address.to_string(), text);
        }
    }

    #[test]
    fn each_broken_rule_has_its_message() {
        const PORT: &str = "a port is a number from 1 to 65535";
        const HOST: &str = "write a host name, an IPv4 address, or an IPv6 address in brackets";
        let long = format!("{}:1", "a".repeat(254));
        for (text, message) in [
            (
                "tcp://a:1",
                "has a scheme; write host:port alone".to_owned(),
            ),
            ("array", "has no port; write host:port".to_owned()),
            ("[::1]", "has no port; write host:port".to_owned()),
            ("a:", format!(r#"has the port ""; {PORT}"#)),
            ("a:0", format!(r#"has the port "0"; {PORT}"#)),
            ("a:65536", format!(r#"has the port "65536"; {PORT}"#)),
            ("a:+80", format!(r#"has the port "+80"; {PORT}"#)),
            ("a:http", format!(r#"has the port "http"; {PORT}"#)),
            (
                "::1:80",
                "has more than one ':'; write an IPv6 address in brackets, as [::1]:80".to_owned(),
            ),
            (":80", format!(r#"has the host ""; {HOST}"#)),
            ("my array:80", format!(r#"has the host "my array"; {HOST}"#)),
            ("1.2.3:80", format!(r#"has the host "1.2.3"; {HOST}"#)),
            ("[::g]:80", format!(r#"has the host "[::g]:80"; {HOST}"#)),
            ("[::1]80", format!(r#"has the host "[::1]80"; {HOST}"#)),
            ("[::1", format!(r#"has the host "[::1"; {HOST}"#)),
            (&long, format!("has the host {:?}; {HOST}", "a".repeat(254))),
        ] {
            let error = text.parse::<TcpAddress>().unwrap_err().to_string();
            assert_eq!(error, format!("address {text:?} {message}"));
        }
        let error = "".parse::<TcpAddress>().unwrap_err().to_string();
        assert_eq!(error, "address is empty; write host:port");
    }
}
