//! `csi-identity bench` against real plugins: what it counts, what it shows, and how it ends.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a helper that fails fails its test"
)]

mod counting_plugin;
mod ends;
mod failures;
#[path = "../cli/fake_plugin.rs"]
mod fake_plugin;
mod measured;
#[expect(dead_code, reason = "not all that other tests need of it")]
#[path = "../cli/program.rs"]
mod program;
mod progress;
#[expect(dead_code, reason = "not all that other tests need of it")]
#[path = "../cli/served.rs"]
mod served;
mod text;
mod usage;
