use std::time::Duration;

use csi_identity::PluginClient;
use csi_identity::endpoint::{ConnectError, ConnectOptions, Endpoint};

use crate::duration;
use crate::output::Format;

/// Which plugin to ask, and for how long.
#[derive(Debug, clap::Args)]
pub(crate) struct Ask {
    /// Socket of the plugin: unix:///abs, unix:/abs or /abs.
    #[arg(short, long, env = "CSI_ENDPOINT", value_name = "ENDPOINT")]
    pub(crate) endpoint: Endpoint,
    /// How long the connection and the answer may take.
    #[arg(long, default_value = "5s", value_parser = duration::parse, value_name = "DURATION")]
    pub(crate) timeout: Duration,
    /// How to write the answer.
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output: Format,
}

impl Ask {
    /// Connects within the time allowed; the calls have what is left of it.
    pub(crate) async fn connect(&self) -> Result<PluginClient, ConnectError> {
        let started = tokio::time::Instant::now();
        let options = ConnectOptions {
            attempt_timeout: self.timeout,
            ..ConnectOptions::default()
        };
        let client = PluginClient::connect(&self.endpoint, &options).await?;
        Ok(client.with_call_timeout(self.timeout.saturating_sub(started.elapsed())))
    }
}
