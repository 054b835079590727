//! A CSI plugin for tests that has one fault, chosen by name.
//!
//! Whoever judges plugins needs bad ones to be judged by. Without a fault this plugin is good: Identity and Node services,
//! and on demand others ([`Service`]). With one of the [`FAULTS`] it does one thing wrong, on the level of
//! the answers, of gRPC and HTTP/2, or of the process and its socket, and all else right. [`serve()`] serves it inside a test,
//! [`run()`] is what the program does: it binds and ends as the fault wants it.
//!
//! It is not a template for a plugin.

mod expected;
mod fault;
mod faults;
mod habits;
mod page;
mod plugin;
mod process;
mod reply;
mod rpc;
mod run;
mod server;

pub use expected::EXPECTED;
pub use fault::{Fault, Needs, UnknownFault};
pub use faults::FAULTS;
pub use page::{VerdictError, faults_markdown};
pub use plugin::{Plugin, Service};
pub use run::{RunError, run};
pub use server::{Ended, serve};
