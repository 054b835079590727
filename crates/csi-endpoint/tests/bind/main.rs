//! Binding and owning sockets, with real files, threads and namespaces.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]
#![expect(clippy::print_stdout, reason = "a test that cannot run here says so")]

mod binding;
mod confined;
mod events;
mod ownership;
#[path = "../rights/unprivileged.rs"]
mod unprivileged;
