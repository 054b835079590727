//! The endpoints over real TCP connections, in front of real plugins on Unix sockets.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking, its helpers too"
)]

mod binding;
mod bounds;
mod endpoints;
mod flight;
mod forms;
mod http;
mod lines;
mod log;
mod numbers;
mod plugin;
mod registration;
mod restarts;
mod rig;
mod stopping;
