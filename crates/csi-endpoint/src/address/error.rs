//! Why a text is no endpoint, and what was probably meant.

use std::path::PathBuf;

use super::Endpoint;

/// Why a text is no [`Endpoint`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// Nothing, or nothing but white space.
    #[error("endpoint is empty; give a socket, as in unix:///run/csi/csi.sock")]
    Empty,
    /// White space before or after the address, often a line break from a file.
    #[error("endpoint {text:?} has white space around it; did you mean {meant}")]
    WhiteSpace {
        /// What was given.
        text: String,
        /// The same without the white space.
        meant: String,
    },
    /// A control character such as NUL or a line break.
    #[error(
        "endpoint {text:?} has the control character {found:?} at byte {at}; a socket path must not have one"
    )]
    ControlCharacter {
        /// What was given.
        text: String,
        /// The character.
        found: char,
        /// Its place in the text, in bytes from 0.
        at: usize,
    },
    /// A scheme and nothing else.
    #[error("endpoint {text:?} has no path; give a socket, as in unix:///run/csi/csi.sock")]
    NoPath {
        /// What was given.
        text: String,
    },
    /// Two slashes instead of three, so that the first part of the path is not part of it.
    #[error(
        "endpoint {text:?} has an authority, {authority:?}, since only two slashes follow unix:; did you mean {meant}"
    )]
    Authority {
        /// What was given.
        text: String,
        /// What stands where URIs have their authority.
        authority: String,
        /// The address that was probably meant.
        meant: String,
    },
    /// A path that does not begin at the root.
    #[error("endpoint {text:?} is a relative path; did you mean {meant}")]
    Relative {
        /// What was given.
        text: String,
        /// The address that was probably meant.
        meant: String,
    },
    /// A path that begins with `.`, `..` or `~`, so that only its author knows which directory it begins in.
    #[error(
        "endpoint {text:?} is relative to a directory that is not known here; give the absolute path, as in unix:///run/csi/csi.sock"
    )]
    RelativeToDirectory {
        /// What was given.
        text: String,
    },
    /// A variable that was not replaced by its value.
    #[error(
        "endpoint {text:?} holds a variable that was not replaced; define it, or give a path, as in unix:///run/csi/csi.sock"
    )]
    Unexpanded {
        /// What was given.
        text: String,
    },
    /// A TCP, HTTP or DNS address.
    #[error(
        "endpoint {text:?} is a network address; only Unix sockets are possible, as in unix:///run/csi/csi.sock"
    )]
    Network {
        /// What was given.
        text: String,
    },
    /// A socket of Linux's abstract name space.
    #[error(
        "endpoint {text:?} is an abstract socket, which has no file that permissions could protect or a kubelet could find; give a path, as in unix:///run/csi/csi.sock"
    )]
    Abstract {
        /// What was given.
        text: String,
    },
    /// `UNIX:` or the like.
    #[error("endpoint {text:?} has a scheme in capitals; did you mean {meant}")]
    UpperCase {
        /// What was given.
        text: String,
        /// The address that was probably meant.
        meant: String,
    },
    /// A scheme of a name resolver or a file around the path of a socket.
    #[error("endpoint {text:?} has the scheme {scheme:?} before the path; did you mean {meant}")]
    OtherScheme {
        /// What was given.
        text: String,
        /// The scheme, without its colon.
        scheme: String,
        /// The address that was probably meant.
        meant: String,
    },
    /// A scheme nobody knows.
    #[error(
        "endpoint {text:?} has the unknown scheme {scheme:?}; give a Unix socket, as in unix:///run/csi/csi.sock"
    )]
    UnknownScheme {
        /// What was given.
        text: String,
        /// The scheme, without its colon.
        scheme: String,
    },
    /// A path that ends in a slash, `.` or `..`.
    #[error(
        "endpoint {text:?} ends in {end:?}, so it names a directory; name the socket in it, as in unix:///run/csi/csi.sock"
    )]
    Directory {
        /// What was given.
        text: String,
        /// How it ends.
        end: &'static str,
    },
    /// A path too long for a socket address.
    #[error(
        "socket path {path} is {len} bytes long, the limit is {}; choose a shorter directory or file name",
        Endpoint::MAX_LEN
    )]
    TooLong {
        /// The path.
        path: String,
        /// Its length in bytes.
        len: usize,
    },
    /// A path with bytes that are not UTF-8.
    #[error(
        "socket path {path:?} is not UTF-8, so it can be in no manifest and no protobuf string; choose another name"
    )]
    NotUtf8 {
        /// What was given.
        path: PathBuf,
    },
}
