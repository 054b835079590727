//! A plugin on a real socket, asked by real clients.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

mod building;
mod busy;
mod examples;
mod gate;
mod health;
mod identity;
mod readme;
mod running;
mod waiting;
