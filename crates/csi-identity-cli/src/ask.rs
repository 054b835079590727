use std::time::Duration;

use anyhow::anyhow;
use csi_identity::endpoint::{ConnectError, ConnectOptions, Endpoint};
use csi_identity::{CallError, PluginClient};
use humantime::format_duration;

use crate::duration;
use crate::output::Format;

/// Which plugin to ask, and for how long.
#[derive(Debug, clap::Args)]
pub(crate) struct Ask {
    /// Socket of the plugin: unix:///abs, unix:/abs or /abs.
    #[arg(short, long, env = "CSI_ENDPOINT", value_name = "ENDPOINT")]
    pub(crate) endpoint: Endpoint,
    /// How long the connection and the answer may take.
    #[arg(long, default_value = "5s", value_parser = duration::parse_positive, value_name = "DURATION")]
    pub(crate) timeout: Duration,
    /// How to write the answer.
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output: Format,
}

impl Ask {
    /// Connects and calls, both within the time allowed. The plugin's own error is an answer.
    pub(crate) async fn call<T>(
        &self,
        call: impl AsyncFnOnce(&PluginClient) -> Result<T, CallError>,
    ) -> anyhow::Result<Result<T, CallError>> {
        let started = tokio::time::Instant::now();
        let options = ConnectOptions {
            attempt_timeout: self.timeout,
            ..ConnectOptions::default()
        };
        let plugin = PluginClient::connect(&self.endpoint, &options).await?;
        let left = self.timeout.saturating_sub(started.elapsed());
        match call(&plugin.with_call_timeout(left)).await {
            Err(CallError::TimedOut { .. }) => Err(anyhow!(self.late())),
            Err(error @ CallError::Connection(_)) => Err(self.connection_lost(&error)),
            answer => Ok(answer),
        }
    }

    /// What is to be said of a plugin that accepts connections and answers no call.
    pub(crate) fn no_answer(&self) -> String {
        let path = self.endpoint.path().display();
        format!("the plugin at {path} takes calls, but did not answer")
    }

    /// The same, with the time that was granted.
    pub(crate) fn late(&self) -> String {
        format!(
            "{} within {}",
            self.no_answer(),
            format_duration(self.timeout)
        )
    }

    /// What is to be said of a plugin that was there, and then was not.
    pub(crate) fn connection_lost(&self, error: &CallError) -> anyhow::Error {
        match error {
            // Says itself which socket it is about.
            CallError::Connection(status) if ConnectError::in_chain(status).is_some() => {
                anyhow!("{error}")
            }
            _ => anyhow!("the plugin at {}: {error}", self.endpoint.path().display()),
        }
    }
}
