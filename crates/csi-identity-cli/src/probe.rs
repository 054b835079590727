use std::io::{self, Write};
use std::time::Duration;

use anyhow::anyhow;
use csi_identity::endpoint::ConnectOptions;
use csi_identity::{CallError, PluginClient};
use humantime::format_duration;
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::output::write_answer;
use crate::verdict::Verdict;

/// How long a server that was waited for in vain may take to show what is wrong with it.
const LAST_LOOK: Duration = Duration::from_millis(100);

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
            ask.call(PluginClient::probe).await?
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
    let (mut reached, mut last) = (false, None);
    let waiting = async {
        let options = ConnectOptions {
            // The limit is the one around it all, so that it is kept to and always ends in the same way.
            wait: Duration::MAX,
            ..ConnectOptions::default()
        };
        let plugin = PluginClient::connect(&ask.endpoint, &options).await?;
        reached = true;
        let each = |answer: &Result<Option<bool>, CallError>| match answer {
            Ok(ready) => last = Some(Ok(*ready)),
            Err(CallError::Answered(status)) => {
                last = Some(Err(CallError::Answered(status.clone())));
            }
            Err(error) => tracing::debug!("{error}"),
        };
        anyhow::Ok(plugin.wait_until_ready(each).await)
    };
    let ended = match tokio::time::timeout(ask.timeout, waiting).await {
        Ok(ended) => ended?,
        Err(_elapsed) => {
            let gave_up = format!("gave up after {}", format_duration(ask.timeout));
            return match last {
                Some(answer) => {
                    tracing::warn!("{gave_up}");
                    Ok(answer)
                }
                None if reached => Err(anyhow!(ask.no_answer()).context(gave_up)),
                None => Err(why_unreached(ask).await.context(gave_up)),
            };
        }
    };
    match (ended, last) {
        (Ok(()) | Err(CallError::Answered(_)), Some(answer)) => Ok(answer),
        (Err(error @ CallError::Connection(_)), Some(answer)) => {
            tracing::warn!("gave up: {}", ask.connection_lost(&error));
            Ok(answer)
        }
        (Err(error @ CallError::Connection(_)), None) => Err(ask.connection_lost(&error)),
        (Err(error), _) => Err(error.into()),
        // Not possible: being ready is an answer.
        (Ok(()), None) => Err(anyhow!(ask.no_answer())),
    }
}

/// A last look at a plugin that was waited for in vain.
async fn why_unreached(ask: &Ask) -> anyhow::Error {
    let options = ConnectOptions {
        attempt_timeout: LAST_LOOK,
        ..ConnectOptions::default()
    };
    match PluginClient::connect(&ask.endpoint, &options).await {
        Ok(_) => anyhow!(ask.no_answer()),
        Err(reason) => reason.into(),
    }
}

fn write_text(out: &mut impl Write, ready: Option<bool>) -> io::Result<()> {
    let text = match ready {
        Some(true) => "ready",
        None => "ready (unset, which means ready)",
        Some(false) => "not ready: starting, or waiting for what it depends on (ready=false)",
    };
    writeln!(out, "{text}")
}

pub(crate) fn to_json(ready: Option<bool>) -> Value {
    match ready {
        Some(ready) => json!({ "ready": ready }),
        None => json!({ "ready": null, "note": "an unset ready means ready" }),
    }
}
