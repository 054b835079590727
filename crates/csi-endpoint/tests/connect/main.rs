//! Connecting to real sockets, with and without servers behind them.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod channel;
mod errors;
mod grpc;
mod late;
mod reconnect;
#[path = "../rights/unprivileged.rs"]
mod unprivileged;
mod watch;
