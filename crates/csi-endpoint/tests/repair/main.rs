//! The authority repair: what a server behind it gets.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking, its helpers too"
)]

mod any_bytes;
mod behind_h2;
mod blocks;
mod chunks;
mod passage;
mod properties;
mod refused;
mod representations;
mod requests;
#[path = "../http2/wire.rs"]
mod wire;
mod with_h2;
