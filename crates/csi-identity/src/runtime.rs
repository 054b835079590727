//! A plugin at work: readiness that changes, sockets, servers, and the other side, a client that asks.

mod causes;
mod checks;
mod client;
mod plugin;
mod readiness;

pub use checks::{Checks, ChecksError};
pub use client::{CallError, PluginClient, code_name};
pub use plugin::{BoundPlugin, BuildError, Declared, Plugin, PluginAdvice, PluginBuilder, Sourced};
pub use readiness::ReadinessHandle;
