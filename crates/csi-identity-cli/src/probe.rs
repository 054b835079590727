use std::io::{self, Write};

use csi_identity::endpoint::ConnectOptions;
use csi_identity::{CallError, PluginClient};
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::output::write_answer;
use crate::verdict::Verdict;

/// Ask a plugin whether it is ready (Probe).
///
/// An unset `ready`, null in JSON, means ready.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  csi-identity probe -e unix:///run/csi/csi.sock
  csi-identity probe -e unix:///run/csi/csi.sock --wait --timeout 30s

Exit codes:
  0  ready
  1  not ready, or answered with an error; with --wait also: out of time, but it had answered
  2  could not find out; with --wait: out of time without any answer")]
pub(crate) struct Probe {
    #[command(flatten)]
    ask: Ask,
    /// Wait for the socket and for `ready`, as the Kubernetes sidecars do: Probe every second, go on after ready=false and
    /// after calls that take too long, stop at any other error. --timeout limits all of it.
    #[arg(long)]
    wait: bool,
}

impl Probe {
    pub(crate) async fn run(self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Self { ask, wait } = self;
        let answer = if wait {
            wait_until_ready(&ask).await?
        } else {
            ask.connect().await?.probe().await
        };
        let ready = write_answer(
            out,
            ask.output,
            answer,
            |out, ready| write_text(out, *ready),
            |ready| to_json(*ready),
        )?;
        Ok(match ready {
            Some(None | Some(true)) => Verdict::Pass,
            Some(Some(false)) | None => Verdict::Fail,
        })
    }
}

/// The last answer, whichever way the wait ended.
async fn wait_until_ready(ask: &Ask) -> anyhow::Result<Result<Option<bool>, CallError>> {
    let mut last = None;
    let waiting = async {
        let options = ConnectOptions {
            wait: ask.timeout,
            ..ConnectOptions::default()
        };
        let plugin = PluginClient::connect(&ask.endpoint, &options).await?;
        let each = |answer: &Result<Option<bool>, CallError>| match answer {
            Ok(ready) => last = Some(Ok(*ready)),
            Err(CallError::Answered(status)) => {
                last = Some(Err(CallError::Answered(status.clone())));
            }
            Err(error) => tracing::debug!("{error}"),
        };
        plugin
            .wait_until_ready(each)
            .await
            .map_err(anyhow::Error::from)
    };
    let ended = tokio::time::timeout(ask.timeout, waiting).await;
    if ended.is_err() {
        tracing::warn!("gave up after {}", humantime::format_duration(ask.timeout));
    }
    match (last, ended) {
        (Some(last), _) => Ok(last),
        (None, Ok(Err(error))) => Err(error),
        (None, Ok(Ok(())) | Err(_)) => anyhow::bail!("the plugin did not answer"),
    }
}

fn write_text(out: &mut impl Write, ready: Option<bool>) -> io::Result<()> {
    let text = match ready {
        Some(true) => "ready",
        None => "ready (unset, which means ready)",
        Some(false) => "not ready: the plugin is starting (ready=false)",
    };
    writeln!(out, "{text}")
}

pub(crate) fn to_json(ready: Option<bool>) -> Value {
    match ready {
        Some(ready) => json!({ "ready": ready }),
        None => json!({ "ready": null, "note": "an unset ready means ready" }),
    }
}
