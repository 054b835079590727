use std::borrow::Cow;
use std::fmt::Write as _;

use crate::Endpoint;

/// What a client puts into `:authority`, where a Unix socket has no host name to put there.
///
/// ```
/// use csi_endpoint::{Authority, Endpoint};
///
/// let endpoint: Endpoint = "unix:///run/csi/csi.sock".parse()?;
/// assert_eq!(Authority::RawPath.text(&endpoint), "/run/csi/csi.sock");
/// assert_eq!(Authority::EncodedPath.text(&endpoint), "%2Frun%2Fcsi%2Fcsi.sock");
/// # Ok::<(), csi_endpoint::EndpointError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Authority {
    /// `localhost`: kubelets since 1.26 on CSI sockets, the Kubernetes sidecars, Nomad since 1.3.
    #[default]
    Localhost,
    /// The path as it is: kubelets to 1.28 on registration sockets, to 1.25 on CSI sockets.
    RawPath,
    /// The path percent-encoded: kubelets since 1.29 on registration sockets.
    EncodedPath,
    /// Any text.
    Custom(String),
}

impl Authority {
    /// The text that is sent to `endpoint`.
    pub fn text(&self, endpoint: &Endpoint) -> Cow<'_, str> {
        match self {
            Self::Localhost => "localhost".into(),
            Self::RawPath => endpoint.path().to_string_lossy().into_owned().into(),
            Self::EncodedPath => percent_encoded(&endpoint.path().to_string_lossy()).into(),
            Self::Custom(text) => text.into(),
        }
    }
}

/// As grpc-go encodes an authority since 1.57: letters, digits and what an authority may hold stay.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]@".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a String does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_authority_may_hold_is_percent_encoded() {
        assert_eq!(
            percent_encoded("/a b/\u{e4}.sock"),
            "%2Fa%20b%2F%C3%A4.sock"
        );
        assert_eq!(percent_encoded("disk-1.acme.io:443"), "disk-1.acme.io:443");
    }
}
