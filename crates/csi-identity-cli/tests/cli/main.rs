//! The program as its users meet it: arguments, exit codes, what it writes, and what it leaves on the disk.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a helper that fails fails its test"
)]

mod answers;
mod bad_answers;
mod bad_settings;
mod closed_streams;
mod configuration;
mod demo;
mod explain;
mod fake_plugin;
mod help;
mod occupied;
mod permissions;
mod process_1;
mod program;
mod raw_call;
mod restarts;
mod served;
mod stopping;
mod unreachable;
mod verify;
mod wait;
