//! `csi-identity kubelet` as a process, between other processes of ours that register.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a helper that fails fails its test"
)]

mod endings;
mod events;
mod node;
mod objects;
#[expect(dead_code, reason = "not all that other tests need of it")]
#[path = "../cli/program.rs"]
mod program;
#[expect(dead_code, reason = "not all that other tests need of it")]
#[path = "../cli/served.rs"]
mod served;
mod usage;
