//! Adapters between the domain and gRPC: they translate and decide nothing.

mod convert;
mod gate;
mod health;
mod identity;
mod node;

pub use identity::IdentityService;
pub use node::NodeInfoService;

pub(crate) use gate::Gate;
pub(crate) use health::Health;

/// Largest request that the services of this crate take, in bytes: theirs are next to empty.
pub(crate) const MAX_REQUEST: usize = 64 * 1024;
