//! Unix-socket endpoints for gRPC.

mod repair;

pub use repair::AuthorityRepair;
