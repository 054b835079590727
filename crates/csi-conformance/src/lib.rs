//! Judges the Identity service of any running CSI plugin, with a reason for every verdict.
//!
//! Three steps, each of which can be used alone. [`observe()`] does all the I/O: it calls the plugin in the ways its callers
//! do, and keeps what came back as it came, bytes and all. [`judge()`] is pure: from an [`Observation`] to [`Finding`]s, by the
//! [`rules()`]. [`Report`] writes them for people and programs.
//!
//! No RPC is called that could change what is stored, and the report says which ones were.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod judge;
mod method;
mod observation;
mod observe;
mod profile;
mod report;
mod rule;
mod rules;
pub mod wire;

pub use judge::{Finding, Selection, UnknownRule, judge};
pub use method::Method;
pub use observation::{
    AuthorityTry, Break, Connection, Controller, Deadline, Distinct, End, Exchange, Frame, Launch,
    NoStatus, Observation, ProcessSeen, Promised, Repeated, Reply, Socket, SocketFile, Status,
    Stop, code_name, frames,
};
pub use observe::{ObserveError, ObserveOptions, Where, observe};
pub use profile::{Profile, ProfileError};
pub use report::{Report, rules_markdown, rules_text};
pub use rule::{Bytes, Caller, Evidence, Rule, Severity, Theme};
pub use rules::{rule, rules};
