//! Unix-socket endpoints for gRPC: parsing their addresses, binding and owning their files, serving them to every client
//! there is.
//!
//! This crate knows nothing of CSI. It takes the text of an endpoint to a path ([`Endpoint`]), binds it so that nobody
//! sees a socket before it answers and nobody loses a live one ([`Listener`]), removes only what it made
//! ([`SocketFile`]), serves gRPC on it within limits ([`serve()`]), with the authority of requests repaired
//! ([`AuthorityRepair`]), and connects to what others bound, as soon as they did and with the reason when it cannot be
//! ([`connect()`]).
//!
//! Linux only: it relies on `flock` on directories, `/proc`, inotify and what `rename` does to sockets.

mod address;
mod authority;
mod bind;
mod connect;
mod connection;
mod denial;
mod file_kind;
mod in_flight;
mod incoming;
mod limits;
mod listener;
mod locked_directory;
mod obstacle;
mod serve;
mod socket_file;
mod socket_mode;
mod watch;

pub use address::{Advice, Endpoint, EndpointError};
pub use authority::{Authority, AuthorityRepair};
pub use bind::{BindError, BindOptions, Holder};
pub use connect::{Channel, ConnectError, ConnectOptions, Connections, connect, connect_reporting};
pub use connection::PeerCredentials;
pub use denial::{Denial, Need};
pub use file_kind::FileKind;
pub use limits::Limits;
pub use listener::Listener;
pub use serve::{ServeError, ServeOptions, Stopped, serve, serve_socket};
pub use socket_file::{Removed, SocketFile};
pub use socket_mode::{SocketMode, SocketModeError};
pub use watch::{SocketWatch, WatchOptions};
