use std::path::PathBuf;
use std::time::Duration;

use csi_health::HttpEndpoint;
use csi_identity::endpoint::Endpoint;

use super::Request;
use super::error::CompatError;
use super::flag::{Flag, FlagReader, Given};
use super::logging::{self, LogFlags, Logging};
use super::value::{self, Timeout};

/// What node-driver-registrar is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RegistrarFlags {
    /// The plugin's socket, as seen from here.
    pub(crate) csi_address: Endpoint,
    /// The same socket, as the kubelet sees it.
    pub(crate) kubelet_registration_path: Endpoint,
    /// The kubelet's plugins_registry, as seen from here.
    pub(crate) plugin_registration_path: PathBuf,
    /// How long a call to the plugin may take.
    pub(crate) timeout: Duration,
    /// Where to answer `/healthz`; nowhere by default.
    pub(crate) http_endpoint: Option<HttpEndpoint>,
    pub(crate) logging: Logging,
    /// To be logged once: all that has no effect here.
    pub(crate) warning: Option<String>,
}

pub(super) const FLAGS: &[Flag] = &[
    Flag::value(
        "csi-address",
        "socket of the CSI plugin (default /run/csi/socket)",
    ),
    Flag::switch("enable-pprof", "accepted, without effect"),
    Flag::value(
        "health-port",
        "deprecated: answer /healthz on this port; 0 for not at all (default 0)",
    ),
    Flag::value(
        "http-endpoint",
        "answer /healthz on this address, as in :8080; not at all by default",
    ),
    Flag::value(
        "kubelet-registration-path",
        "socket of the CSI plugin as the kubelet sees it; required",
    ),
    Flag::value(
        "mode",
        "deprecated: kubelet-registration-probe does nothing and ends well",
    ),
    Flag::value(
        "plugin-registration-path",
        "the kubelet's plugins_registry (default /registration)",
    ),
    Flag::value(
        "timeout",
        "how long a call to the plugin may take (default 1s)",
    ),
    Flag::switch("version", "print the version"),
];

pub(super) fn read(mut flags: FlagReader) -> Result<Request, CompatError> {
    let mut csi_address = "/run/csi/socket".to_owned();
    let mut kubelet_registration_path = String::new();
    let mut plugin_registration_path = "/registration".to_owned();
    let mut timeout = Timeout::seconds(1);
    let mut health_port = 0;
    let mut http_endpoint = String::new();
    let mut mode = String::new();
    let mut is_version = false;
    let mut log = LogFlags::default();
    while let Some(given) = flags.next(&[FLAGS, logging::FLAGS])? {
        let Given::Flag { name, value } = given else {
            return Ok(Request::Help);
        };
        match name {
            "csi-address" => csi_address = value,
            "enable-pprof" => log.set(name, value)?,
            "health-port" => health_port = value::port(name, &value)?,
            "http-endpoint" => http_endpoint = value,
            "kubelet-registration-path" => kubelet_registration_path = value,
            "mode" => mode = value,
            "plugin-registration-path" => plugin_registration_path = value,
            "timeout" => timeout = Timeout::parse(name, &value)?,
            "version" => is_version = value::switch(name, &value)?,
            _ => log.set(name, value)?,
        }
    }
    let (logging, warning) = log.finish(&flags.rest())?;
    if is_version {
        return Ok(Request::Version);
    }
    if kubelet_registration_path.is_empty() {
        return Err(CompatError::NoKubeletRegistrationPath);
    }
    if mode == "kubelet-registration-probe" {
        return Ok(Request::Nothing);
    }
    let http_endpoint = match (health_port, &*http_endpoint) {
        (..=0, "") => None,
        (..=0, address) => Some(value::http_address("http-endpoint", address)?),
        (port, "") => Some(value::http_address("health-port", &format!(":{port}"))?),
        _ => {
            return Err(CompatError::Both {
                flag: "health-port",
            });
        }
    };
    Ok(Request::Register(RegistrarFlags {
        csi_address: value::endpoint("csi-address", &csi_address)?,
        kubelet_registration_path: value::endpoint(
            "kubelet-registration-path",
            &kubelet_registration_path,
        )?,
        plugin_registration_path: value::directory(
            "plugin-registration-path",
            &plugin_registration_path,
        )?,
        timeout: timeout.positive("timeout")?,
        http_endpoint,
        logging,
        warning,
    }))
}
