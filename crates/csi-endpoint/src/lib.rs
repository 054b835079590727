//! Unix-socket endpoints for gRPC.

mod authority;

pub use authority::AuthorityRepair;
