use std::time::Duration;

use csi_health::HttpEndpoint;
use csi_identity::endpoint::Endpoint;

use super::Request;
use super::error::CompatError;
use super::flag::{Flag, FlagReader, Given};
use super::logging::{self, LogFlags, Logging};
use super::value::{self, Timeout};

/// What livenessprobe is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LivenessFlags {
    /// The plugin's socket.
    pub(crate) csi_address: Endpoint,
    /// How long connecting and one Probe may take together.
    pub(crate) probe_timeout: Duration,
    /// Where to answer `/healthz`.
    pub(crate) http_endpoint: HttpEndpoint,
    pub(crate) metrics: Metrics,
    pub(crate) logging: Logging,
    /// To be logged once: all that has no effect here.
    pub(crate) warning: Option<String>,
}

/// Where metrics are served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Metrics {
    /// Nowhere, as with `--health-port`.
    Off,
    /// Beside `/healthz`, as with `--http-endpoint`.
    Beside { path: String },
    /// On an address of their own, as with `--metrics-address`.
    Apart { address: HttpEndpoint, path: String },
}

pub(super) const FLAGS: &[Flag] = &[
    Flag::value(
        "csi-address",
        "socket of the CSI plugin (default /run/csi/socket)",
    ),
    Flag::value(
        "health-port",
        "deprecated: answer /healthz on this port (default 9808)",
    ),
    Flag::value(
        "http-endpoint",
        "answer /healthz and metrics on this address, as in :8080",
    ),
    Flag::value(
        "metrics-address",
        "deprecated: answer metrics on this address; not at all by default",
    ),
    Flag::value("metrics-path", "path of the metrics (default /metrics)"),
    Flag::value(
        "probe-timeout",
        "how long connecting and one Probe may take (default 3s)",
    ),
];

/// The port of `/healthz` unless another is given. Given, it counts as not given.
const HEALTH_PORT: &str = "9808";

pub(super) fn read(mut flags: FlagReader) -> Result<Request, CompatError> {
    let mut csi_address = "/run/csi/socket".to_owned();
    // 1 s in releases before 2.17; the longer one can only turn a failed check into a passed one.
    let mut probe_timeout = Timeout::seconds(3);
    let mut health_port = HEALTH_PORT.to_owned();
    let mut http_endpoint = String::new();
    let mut metrics_address = String::new();
    let mut metrics_path = "/metrics".to_owned();
    let mut log = LogFlags::default();
    while let Some(given) = flags.next(&[FLAGS, logging::FLAGS])? {
        let Given::Flag { name, value } = given else {
            return Ok(Request::Help);
        };
        match name {
            "csi-address" => csi_address = value,
            "health-port" => health_port = value,
            "http-endpoint" => http_endpoint = value,
            "metrics-address" => metrics_address = value,
            "metrics-path" => metrics_path = value,
            "probe-timeout" => probe_timeout = Timeout::parse(name, &value)?,
            _ => log.set(name, value)?,
        }
    }
    let (logging, warning) = log.finish(&flags.rest())?;
    let is_new_form = !http_endpoint.is_empty();
    if is_new_form && health_port != HEALTH_PORT {
        return Err(CompatError::Both {
            flag: "health-port",
        });
    }
    if is_new_form && !metrics_address.is_empty() {
        return Err(CompatError::Both {
            flag: "metrics-address",
        });
    }
    if !metrics_path.starts_with('/') {
        return Err(CompatError::MetricsPath { path: metrics_path });
    }
    let metrics = match &*metrics_address {
        "" if is_new_form => Metrics::Beside { path: metrics_path },
        "" => Metrics::Off,
        address => Metrics::Apart {
            address: value::http_address("metrics-address", address)?,
            path: metrics_path,
        },
    };
    let http_endpoint = match is_new_form {
        true => value::http_address("http-endpoint", &http_endpoint)?,
        false => value::http_address("health-port", &format!("0.0.0.0:{health_port}"))?,
    };
    Ok(Request::AnswerForHealth(LivenessFlags {
        csi_address: value::endpoint("csi-address", &csi_address)?,
        probe_timeout: probe_timeout.positive("probe-timeout")?,
        http_endpoint,
        metrics,
        logging,
        warning,
    }))
}
