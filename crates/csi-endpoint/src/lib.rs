//! Unix-socket endpoints for gRPC: parsing their addresses, binding and owning their files.
//!
//! This crate knows nothing of CSI. It takes the text of an endpoint to a path ([`Endpoint`]), binds it so that nobody
//! sees a socket before it answers and nobody loses a live one ([`Listener`]), and removes only what it made
//! ([`SocketFile`]).
//!
//! Linux only: it relies on `flock` on directories, `/proc` and what `rename` does to sockets.

mod address;
mod bind;
mod denial;
mod file_kind;
mod listener;
mod locked_directory;
mod obstacle;
mod socket_file;
mod socket_mode;

pub use address::{Advice, Endpoint, EndpointError};
pub use bind::{BindError, BindOptions, Holder};
pub use denial::{Denial, Need};
pub use file_kind::FileKind;
pub use listener::Listener;
pub use socket_file::{Removed, SocketFile};
pub use socket_mode::{SocketMode, SocketModeError};
