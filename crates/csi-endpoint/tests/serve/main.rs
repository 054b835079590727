//! Serving: what good clients get, and that bad ones cost little.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking, its helpers too"
)]

mod admission;
mod answers;
mod bounded;
mod crowd;
mod descriptors;
mod floods;
mod log;
mod malformed;
mod metadata;
mod preface;
mod raw;
mod registration;
mod served;
mod steady;
mod stop;
#[expect(dead_code, reason = "the repair's tests need more of it")]
#[path = "../http2/wire.rs"]
mod wire;
