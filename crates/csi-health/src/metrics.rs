//! Numbers for Prometheus.
//!
//! Written by hand in the text format 0.0.4, which every consumer reads. The library there is for it in Rust writes
//! OpenMetrics, in which the type line of a counter carries another name than its samples, so that readers of 0.0.4 take
//! counters for untyped. What is counted here is a handful of series, known when this is compiled.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use csi_registration::{State, Status, Timestamp};
use tonic::Code;

use crate::driver_name::DriverName;
use crate::outcome::Outcome;
use crate::unpoisoned::lock;

mod exposition;
mod histogram;

use exposition::Exposition;
use histogram::Histogram;

/// The full name of the Probe method.
const PROBE: &str = "/csi.v1.Identity/Probe";

/// Upper bounds in seconds, those of csi-lib-utils 0.25 (`metrics/metrics.go`), so that its dashboards fit.
const OPERATION_BOUNDS: [f64; 13] = [
    0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 25.0, 50.0, 120.0, 300.0, 600.0,
];

/// Upper bounds in seconds for what takes half a millisecond when all is well and three seconds at most by default.
const PROBE_BOUNDS: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 3.0,
];

/// What csi-lib-utils writes where the name is not known.
const UNKNOWN_DRIVER: &str = "unknown-driver";

/// What was counted and timed of a plugin; cheap to clone, and all clones are one.
///
/// Labels take few values: methods are texts of the program, codes those of gRPC, and the plugin's name is the one known
/// when the numbers are read.
///
/// ```
/// use std::time::Duration;
///
/// use csi_health::Metrics;
/// use tonic::Code;
///
/// let metrics = Metrics::new();
/// metrics.set_driver_name("disk.acme.io");
/// metrics.observe("/csi.v1.Node/NodeGetInfo", Code::Ok, Duration::from_millis(30));
/// assert!(metrics.text(None).contains(
///     "csi_sidecar_operations_seconds_count{driver_name=\"disk.acme.io\",\
///      method_name=\"/csi.v1.Node/NodeGetInfo\",grpc_status_code=\"OK\"} 1\n"
/// ));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    driver: DriverName,
    numbers: Arc<Numbers>,
}

#[derive(Debug, Default)]
struct Numbers {
    /// A few dozen at most, so that looking through them is cheap.
    operations: Mutex<Vec<Operation>>,
    probes: Mutex<Histogram<{ PROBE_BOUNDS.len() }>>,
    /// 0 or 1 once a Probe was finished.
    answering: Answering,
}

#[derive(Debug)]
struct Operation {
    method: &'static str,
    code: Code,
    seconds: Histogram<{ OPERATION_BOUNDS.len() }>,
}

/// Whether the plugin answered last: not known, no, yes.
#[derive(Debug, Default)]
struct Answering(AtomicU8);

impl Metrics {
    /// The media type of [`Metrics::text`].
    pub const CONTENT_TYPE: &'static str = "text/plain; version=0.0.4; charset=utf-8";

    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Says what the plugin is called, as soon as it is known. Until then the label reads `unknown-driver`, as with
    /// csi-lib-utils.
    pub fn set_driver_name(&self, name: &str) {
        self.driver.set(name);
    }

    /// Counts a finished call of the plugin, whoever made it.
    ///
    /// `method` is the full name, for example `/csi.v1.Identity/GetPluginInfo`. Probes by a [`Prober`] are counted by it.
    ///
    /// [`Prober`]: crate::Prober
    pub fn observe(&self, method: &'static str, code: Code, took: Duration) {
        let mut operations = lock(&self.numbers.operations);
        let is_it = |operation: &&mut Operation| {
            // Codes first: they differ at one look.
            operation.code == code && operation.method == method
        };
        if let Some(operation) = operations.iter_mut().find(is_it) {
            operation.seconds.observe(&OPERATION_BOUNDS, took);
            return;
        }
        let mut seconds = Histogram::default();
        seconds.observe(&OPERATION_BOUNDS, took);
        operations.push(Operation {
            method,
            code,
            seconds,
        });
    }

    pub(crate) fn observe_probe(&self, outcome: &Outcome) {
        self.observe(PROBE, outcome.answer.code(), outcome.took);
        lock(&self.numbers.probes).observe(&PROBE_BOUNDS, outcome.took);
        self.numbers.answering.set(outcome.answer.is_answer());
    }

    /// A Probe that nobody waited for any more; csi-lib-utils counts these as `Canceled`.
    pub(crate) fn observe_abandoned_probe(&self, took: Duration) {
        self.observe(PROBE, Code::Cancelled, took);
    }

    pub(crate) fn driver(&self) -> &DriverName {
        &self.driver
    }

    /// All numbers as text of the Prometheus format 0.0.4, with those of a registration if there is one.
    #[must_use]
    pub fn text(&self, registration: Option<&Status>) -> String {
        let mut text = Exposition::default();
        self.write_operations(&mut text, registration);
        self.write_plugin(&mut text, registration);
        if let Some(status) = registration {
            write_registration(&mut text, status);
        }
        text.family(
            "csi_identity_build_info",
            "gauge",
            "The version of what answers here; always 1.",
        );
        let version = ("version", env!("CARGO_PKG_VERSION"));
        text.sample("csi_identity_build_info", &[version], 1.0);
        text.into_text()
    }

    fn write_operations(&self, text: &mut Exposition, registration: Option<&Status>) {
        let driver = self.driver.name();
        let driver = registration
            .and_then(|status| status.driver.as_deref())
            .or(driver.as_deref())
            .unwrap_or(UNKNOWN_DRIVER);
        let name = "csi_sidecar_operations_seconds";
        let operations = lock(&self.numbers.operations);
        if operations.is_empty() {
            return;
        }
        text.family(
            name,
            "histogram",
            "How long calls of the plugin took, by method and gRPC code.",
        );
        for operation in &*operations {
            let labels = [
                ("driver_name", driver),
                ("method_name", operation.method),
                ("grpc_status_code", go_name(operation.code)),
            ];
            operation
                .seconds
                .write(text, name, &labels, &OPERATION_BOUNDS);
        }
    }

    fn write_plugin(&self, text: &mut Exposition, registration: Option<&Status>) {
        let name = "csi_probe_duration_seconds";
        text.family(
            name,
            "histogram",
            "How long finished Probes took, whatever the answer.",
        );
        lock(&self.numbers.probes).write(text, name, &[], &PROBE_BOUNDS);

        let told = registration.map(|status| status.plugin.answering);
        if let Some(answering) = self.numbers.answering.is_known().or(told) {
            let name = "csi_plugin_answering";
            text.family(
                name,
                "gauge",
                "Whether the plugin answered when it was asked last; an error is an answer.",
            );
            text.sample(name, &[], f64::from(u8::from(answering)));
        }
    }
}

impl Answering {
    fn set(&self, answering: bool) {
        self.0.store(1 + u8::from(answering), Ordering::Relaxed);
    }

    fn is_known(&self) -> Option<bool> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            known => Some(known == 2),
        }
    }
}

fn write_registration(text: &mut Exposition, status: &Status) {
    let name = "csi_registration_state";
    text.family(
        name,
        "gauge",
        "The state of the registration: 1 for the present one, 0 for the others.",
    );
    for state in State::ALL {
        let is_present = f64::from(u8::from(state == status.state));
        text.sample(name, &[("state", state.as_str())], is_present);
    }
    let counters = [
        (
            "csi_registration_refusals_total",
            "How often a kubelet refused the plugin.",
            status.refusals,
        ),
        (
            "csi_registration_socket_rebinds_total",
            "How often the registration socket was shown again.",
            status.rebinds,
        ),
    ];
    for (name, help, count) in counters {
        text.family(name, "counter", help);
        text.count(name, &[], count);
    }
    let last_call = status.last_kubelet_call.as_ref();
    if let Some(seconds) = last_call.and_then(|call| unix_seconds(call.time)) {
        let name = "csi_registration_last_kubelet_call_timestamp_seconds";
        text.family(
            name,
            "gauge",
            "When a kubelet called last, in seconds since 1970.",
        );
        text.sample(name, &[], seconds);
    }
}

/// Through its text, which is what a timestamp offers; nothing for moments before 1970.
fn unix_seconds(time: Timestamp) -> Option<f64> {
    let moment = humantime::parse_rfc3339(&time.to_string()).ok()?;
    let since_1970 = moment.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(since_1970.as_secs_f64())
}

/// The name of a gRPC code as Go programs write it, which is what csi-lib-utils puts into the label.
fn go_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "Canceled",
        Code::Unknown => "Unknown",
        Code::InvalidArgument => "InvalidArgument",
        Code::DeadlineExceeded => "DeadlineExceeded",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::PermissionDenied => "PermissionDenied",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::Aborted => "Aborted",
        Code::OutOfRange => "OutOfRange",
        Code::Unimplemented => "Unimplemented",
        Code::Internal => "Internal",
        Code::Unavailable => "Unavailable",
        Code::DataLoss => "DataLoss",
        Code::Unauthenticated => "Unauthenticated",
    }
}

#[cfg(test)]
mod tests;
