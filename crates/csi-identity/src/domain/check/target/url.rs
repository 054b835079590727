use std::fmt;
use std::str::FromStr;

use super::{TcpAddress, TcpAddressError};

/// The port of `http://` where none is given.
const DEFAULT_PORT: u16 = 80;

/// An `http://` URL: a host, a port (80 if none is given), a path and a query.
///
/// At most 2,048 bytes of printable ASCII; what is not has to be percent-encoded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HttpUrl {
    address: TcpAddress,
    /// What stands between `http://` and the path.
    authority: Box<str>,
    /// Begins with `/`.
    path_and_query: Box<str>,
}

/// Why a text is no [`HttpUrl`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpUrlError {
    /// The scheme is missing or another.
    #[error("url {text:?} does not begin with http://; write http://host:port/path")]
    NotHttp {
        /// The text.
        text: String,
    },
    /// The scheme is https.
    #[error(
        "url {text:?} is https, which checks do not speak; use an http:// address of the backend, or exec with a program \
         that does"
    )]
    Https {
        /// The text.
        text: String,
    },
    /// The text is over the limit.
    #[error("url is {len} bytes long, the limit is {}", HttpUrl::MAX_LEN)]
    TooLong {
        /// The length of the text.
        len: usize,
    },
    /// There is a user before the host.
    #[error(
        "url has a user or password before the host, which checks do not send; leave out everything up to '@'"
    )]
    UserInfo,
    /// There is a fragment, which is never sent.
    #[error("url {text:?} has a fragment, which is never sent; leave out everything from '#' on")]
    Fragment {
        /// The text.
        text: String,
    },
    /// A character may not stand in a URL.
    #[error("url {text:?} has {found:?} at byte {at}; write it percent-encoded")]
    Forbidden {
        /// The text.
        text: String,
        /// The first such character.
        found: char,
        /// Where it is, in bytes from the beginning.
        at: usize,
    },
    /// What stands for host and port is wrong.
    #[error("url {text:?}: {source}")]
    Address {
        /// The text.
        text: String,
        /// What is wrong with it; it is in the message.
        source: TcpAddressError,
    },
}

impl HttpUrl {
    /// How many bytes a URL may have.
    pub const MAX_LEN: usize = 2048;

    /// Where the server is.
    #[must_use]
    pub fn address(&self) -> &TcpAddress {
        &self.address
    }

    /// Host and port as they were written, for the Host header.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Path and query, which begin with `/`.
    #[must_use]
    pub fn path_and_query(&self) -> &str {
        &self.path_and_query
    }
}

impl FromStr for HttpUrl {
    type Err = HttpUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        use HttpUrlError as E;
        let whole = || text.to_owned();
        let scheme = |scheme: &str| {
            let (head, rest) = text.split_at_checked(scheme.len())?;
            head.eq_ignore_ascii_case(scheme).then_some(rest)
        };
        if text.len() > Self::MAX_LEN {
            return Err(E::TooLong { len: text.len() });
        }
        if scheme("https://").is_some() {
            return Err(E::Https { text: whole() });
        }
        let rest = scheme("http://").ok_or_else(|| E::NotHttp { text: whole() })?;
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(E::UserInfo);
        }
        let forbidden =
            |&(_, c): &(usize, char)| !c.is_ascii_graphic() || "\"<>\\^`{|}".contains(c);
        if let Some((at, found)) = path.char_indices().find(forbidden) {
            let at = text.len() - path.len() + at;
            return Err(E::Forbidden {
                text: whole(),
                found,
                at,
            });
        }
        if path.contains('#') {
            return Err(E::Fragment { text: whole() });
        }
        let address =
            TcpAddress::parse(authority, Some(DEFAULT_PORT)).map_err(|source| E::Address {
                text: whole(),
                source,
            })?;
        let slash = if path.starts_with('/') { "" } else { "/" };
        Ok(Self {
            address,
            authority: authority.into(),
            path_and_query: [slash, path].concat().into(),
        })
    }
}

impl fmt::Display for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority, self.path_and_query)
    }
}

#[cfg(test)]
mod tests {
    use super::HttpUrl;

    #[test]
    fn a_url_is_an_address_and_what_to_ask_it_for() {
        for (text, address, authority, path, shown) in [
            ("http://a", "a:80", "a", "/", "http://a/"),
            (
                "HTTP://a:81/b?c=%20",
                "a:81",
                "a:81",
                "/b?c=%20",
                "http://a:81/b?c=%20",
            ),
            ("http://[::1]/", "[::1]:80", "[::1]", "/", "http://[::1]/"),
            ("http://a?b", "a:80", "a", "/?b", "http://a/?b"),
        ] {
            let url: HttpUrl = text.parse().unwrap();
            assert_eq!(url.address().to_string(), address);
            assert_eq!((url.authority(), url.path_and_query()), (authority, path));
            assert_eq!(url.to_string(), shown);
        }
    }

    #[test]
    fn each_broken_rule_has_its_message() {
        for (text, message) in [
            (
                "",
                "url \"\" does not begin with http://; write http://host:port/path",
            ),
            (
                "a/b",
                "url \"a/b\" does not begin with http://; write http://host:port/path",
            ),
            (
                "unix:///a",
                "url \"unix:///a\" does not begin with http://; write http://host:port/path",
            ),
            (
                "https://a/",
                "url \"https://a/\" is https, which checks do not speak; use an http:// address of the backend, or exec \
                 with a program that does",
            ),
            (
                "http://u:p@a/",
                "url has a user or password before the host, which checks do not send; leave out everything up to '@'",
            ),
            (
                "http://a/b#c",
                "url \"http://a/b#c\" has a fragment, which is never sent; leave out everything from '#' on",
            ),
            (
                "http://a/b c",
                "url \"http://a/b c\" has ' ' at byte 10; write it percent-encoded",
            ),
            (
                "http://a/ä",
                "url \"http://a/ä\" has 'ä' at byte 9; write it percent-encoded",
            ),
            (
                "http://a/\r",
                "url \"http://a/\\r\" has '\\r' at byte 9; write it percent-encoded",
            ),
            (
                "http:///b",
                "url \"http:///b\": address is empty; write host:port",
            ),
            (
                "http://a:x/",
                "url \"http://a:x/\": address \"a:x\" has the port \"x\"; a port is a number from 1 to 65535",
            ),
        ] {
            assert_eq!(text.parse::<HttpUrl>().unwrap_err().to_string(), message);
        }
        let long = format!("http://a/{}", "b".repeat(2040));
        let error = long.parse::<HttpUrl>().unwrap_err().to_string();
        assert_eq!(error, "url is 2049 bytes long, the limit is 2048");
    }
}
