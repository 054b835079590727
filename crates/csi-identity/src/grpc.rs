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
