//! Unix-socket endpoints for gRPC: parsing their addresses.
//!
//! This crate knows nothing of CSI. It takes the text of an endpoint to a path that can be bound or dialled, and
//! says what was meant where the text is wrong.

mod address;
mod socket_mode;

pub use address::{Advice, Endpoint, EndpointError};
pub use socket_mode::{SocketMode, SocketModeError};
