//! HTTP health endpoints and metrics of a CSI plugin on its node.
//!
//! [`Prober`] asks the plugin, once for all who want to know at the same time and anew for all who come later. [`Health`]
//! makes endpoints of it, and of a registration with the kubelet if there is one. [`HttpListener`] and [`serve()`] put them on
//! a port, within limits. [`Metrics`] counts.
//!
//! It answers what livenessprobe and node-driver-registrar answer where they are relied on, and says why when the answer is
//! no. It decides nothing: restarting a plugin is up to whoever asks.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod change_log;
mod driver_name;
mod health;
mod http_endpoint;
mod listener;
mod metrics;
mod metrics_path;
mod outcome;
mod port_holder;
mod prober;
mod registration_check;
mod report;
mod serve;
mod unpoisoned;
mod verdict;

pub use health::Health;
pub use http_endpoint::{HttpEndpoint, HttpEndpointError};
pub use listener::{HttpBindError, HttpListener};
pub use metrics::Metrics;
pub use metrics_path::{MetricsPath, MetricsPathError};
pub use outcome::{Answer, Outcome};
pub use port_holder::PortHolder;
pub use prober::Prober;
pub use registration_check::RegistrationCheck;
pub use serve::{HttpOptions, serve};
