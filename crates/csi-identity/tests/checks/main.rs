//! Checks of real listeners, processes, files and sockets.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

mod exec;
mod file_system;
mod grpc;
mod http;
mod logs;
mod namespaces;
mod plugin;
mod schedule;
mod tcp;
mod watched;
