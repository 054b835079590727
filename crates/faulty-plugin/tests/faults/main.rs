//! Shows that each fault is there, by calls that look at what goes over the wire, and that the good plugin has none.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

mod answers;
mod call;
mod complete;
mod connections;
mod good;
mod many_calls;
mod plugin;
mod process;
mod program;
mod requests;
mod shown;
mod slow;
