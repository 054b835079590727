//! What stands beside a plugin on its node, as processes between real plugins, a kubelet and whoever asks over HTTP.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a helper that fails fails its test"
)]

mod charts;
mod compat;
mod compat_liveness;
mod compat_registrar;
#[expect(dead_code, reason = "not all that other tests need of it")]
#[path = "../cli/fake_plugin.rs"]
mod fake_plugin;
mod health;
mod http;
mod kubelet;
mod kubelet_versions;
mod node;
mod process;
#[expect(dead_code, reason = "not all that other tests need of it")]
#[path = "../cli/program.rs"]
mod program;
#[expect(dead_code, reason = "not all that other tests need of it")]
#[path = "../cli/raw_call.rs"]
mod raw_call;
mod refusals;
mod registering;
mod serve_register;
#[expect(dead_code, reason = "not all that other tests need of it")]
#[path = "../cli/served.rs"]
mod served;
mod state_file;
mod stopping;
mod usage;
mod wait_registered;
