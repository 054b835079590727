use std::path::PathBuf;
use std::time::Duration;

use csi_health::{HttpEndpoint, MetricsPath};
use csi_identity::endpoint::Endpoint;
use csi_identity_config::parse_duration;
use csi_registration::{HostPath, RegisterWhen, RegistrarOptions};

use super::{Health, Healthz};
use crate::duration::parse_positive;

/// How a plugin is registered. Without a path for the kubelet the rest would do nothing, so it is refused then.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RegistrationFlags {
    /// Path of the plugin's socket as the kubelet sees it, on the host; without it nothing is registered.
    #[arg(long, value_name = "HOSTPATH")]
    pub(crate) kubelet_registration_path: Option<HostPath>,
    /// The kubelet's plugins_registry as seen here.
    #[arg(
        long,
        default_value = "/registration",
        requires = "kubelet_registration_path",
        value_name = "DIR"
    )]
    plugin_registration_path: PathBuf,
    /// The kubelet's root directory on the host, for the length of paths; by default what stands before /plugins/ in
    /// --kubelet-registration-path.
    #[arg(long, requires = "kubelet_registration_path", value_name = "DIR")]
    kubelet_root_dir: Option<PathBuf>,
    /// From when on the kubelet is told of the plugin: ready (Probe says so), or serving (GetPluginInfo answers).
    #[arg(
        long,
        default_value_t,
        requires = "kubelet_registration_path",
        value_name = "WHEN"
    )]
    register_when: RegisterWhen,
    /// After how long without a call of a kubelet that is a problem.
    #[arg(
        long,
        default_value = "30s",
        value_parser = parse_duration,
        requires = "kubelet_registration_path",
        value_name = "DURATION"
    )]
    expect_kubelet_within: Duration,
    /// How long a call to the plugin may take.
    #[arg(
        long,
        default_value = "10s",
        value_parser = parse_positive,
        requires = "kubelet_registration_path",
        value_name = "DURATION"
    )]
    timeout: Duration,
    /// End with 1 when the kubelet refuses the plugin, as node-driver-registrar does.
    #[arg(long, requires = "kubelet_registration_path")]
    exit_on_refusal: bool,
    /// Keep the state in this file, as JSON, for wait-registered and others; its directory has to exist.
    #[arg(long, requires = "kubelet_registration_path", value_name = "FILE")]
    pub(crate) state_file: Option<PathBuf>,
}

impl RegistrationFlags {
    /// How the plugin at an endpoint is registered, if it is.
    pub(crate) fn options(&self, plugin: &Endpoint) -> Option<RegistrarOptions> {
        let host_path = self.kubelet_registration_path.clone()?;
        let directory = &self.plugin_registration_path;
        Some(RegistrarOptions {
            kubelet_root: self.kubelet_root_dir.clone(),
            register_when: self.register_when,
            expect_kubelet_within: self.expect_kubelet_within,
            call_timeout: self.timeout,
            exit_on_refusal: self.exit_on_refusal,
            ..RegistrarOptions::new(plugin.clone(), host_path, directory)
        })
    }
}

/// How health is answered for. Without an address the rest would do nothing, so it is refused then.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct HealthFlags {
    /// Address for HTTP: host:port, or :port for all addresses.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http_endpoint: Option<HttpEndpoint>,
    /// Path of the metrics.
    #[arg(long, default_value_t, requires = "http_endpoint", value_name = "PATH")]
    metrics_path: MetricsPath,
    /// How long a Probe may take.
    #[arg(
        long,
        default_value = "3s",
        value_parser = parse_positive,
        requires = "http_endpoint",
        value_name = "DURATION"
    )]
    probe_timeout: Duration,
}

impl HealthFlags {
    pub(crate) fn on(self, healthz: Healthz) -> Health {
        Health {
            endpoint: self.http_endpoint,
            healthz,
            metrics_path: Some(self.metrics_path),
            metrics_endpoint: None,
            probe_timeout: self.probe_timeout,
        }
    }
}
