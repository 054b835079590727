//! A registrar between real plugins and a kubelet that dials as kubelets do.
//!
//! The numbers in names are those of `docs/field-reports.md`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod callers;
mod connecting;
mod endurance;
mod identity;
mod lost;
mod mounts;
mod paths;
mod refused;
mod sockets;
mod stopping;
mod superseded;
mod support;
