//! A kubelet between registrars and plugins on real sockets: what it sees, says, does and leaves behind.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod answers;
mod authority;
mod clutter;
mod discovery;
mod faults;
mod limits;
mod names;
mod node_info;
mod restarts;
mod sockets;
mod stopping;
mod story;
mod support;
mod verdicts;
