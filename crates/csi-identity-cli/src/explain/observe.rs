//! Asks a plugin once for all that the rules are about.

use std::time::Duration;

use csi_identity::endpoint::{Channel, ConnectOptions, connect};
use csi_identity::proto::csi::v1 as pb;
use csi_identity::proto::csi::v1::controller_client::ControllerClient;
use csi_identity::proto::csi::v1::node_client::NodeClient;
use csi_identity::{CallError, PluginClient, code_name};
use tokio::time::{Instant, timeout};

use super::observation::{Answer, End, Observation, Refusal};
use crate::ask::Ask;

/// One call after the other, so that the time of one does not count for another.
pub(super) async fn observe(ask: &Ask) -> anyhow::Result<Observation> {
    let options = ConnectOptions {
        attempt_timeout: ask.timeout,
        ..ConnectOptions::default()
    };
    let channel = connect(&ask.endpoint, &options).await?;
    let plugin = PluginClient::new(channel.clone()).with_call_timeout(ask.timeout);
    let seen = Observation {
        info: answer(ask, plugin.plugin_info()).await?,
        capabilities: answer(ask, plugin.plugin_capabilities()).await?,
        probe: answer(ask, plugin.probe()).await?,
        controller: answer(ask, controller_capabilities(&channel, ask.timeout)).await?,
        node: answer(ask, node_capabilities(&channel, ask.timeout)).await?,
        node_info: answer(ask, plugin.node_info()).await?,
    };
    if seen.is_silent() {
        anyhow::bail!(ask.late());
    }
    Ok(seen)
}

/// The plugin's own error is an answer, and so is silence; a connection that is lost is none.
async fn answer<T>(
    ask: &Ask,
    call: impl Future<Output = Result<T, CallError>>,
) -> anyhow::Result<Answer<T>> {
    let started = Instant::now();
    let end = match call.await {
        Ok(answer) => End::Ok(answer),
        Err(error) => match refusal(ask, error)? {
            Some(refusal) => End::Error(refusal),
            None => End::Silent,
        },
    };
    let took = started.elapsed();
    Ok(Answer { end, took })
}

/// Nothing for silence. Apart from the calls, so that the program has it once.
fn refusal(ask: &Ask, error: CallError) -> anyhow::Result<Option<Refusal>> {
    match error {
        CallError::Answered(status) => Ok(Some(Refusal {
            code: status.code() as i32,
            name: code_name(status.code()),
            message: status.message().to_owned(),
        })),
        CallError::TimedOut { .. } => Ok(None),
        CallError::Connection(_) => Err(ask.connection_lost(&error)),
        _ => Err(error.into()),
    }
}

/// An entry without an rpc counts as 0, which carries no meaning either.
async fn controller_capabilities(
    channel: &Channel,
    after: Duration,
) -> Result<Vec<i32>, CallError> {
    use pb::controller_service_capability::Type;
    let mut client = ControllerClient::new(channel.clone());
    let call = client.controller_get_capabilities(pb::ControllerGetCapabilitiesRequest {});
    let in_time = timeout(after, call).await;
    let answer = in_time.map_err(|_elapsed| CallError::TimedOut { after })??;
    let number = |one: pb::ControllerServiceCapability| match one.r#type {
        Some(Type::Rpc(rpc)) => rpc.r#type,
        None => 0,
    };
    let all = answer.into_inner().capabilities;
    Ok(all.into_iter().map(number).collect())
}

/// As [`controller_capabilities`].
async fn node_capabilities(channel: &Channel, after: Duration) -> Result<Vec<i32>, CallError> {
    use pb::node_service_capability::Type;
    let mut client = NodeClient::new(channel.clone());
    let call = client.node_get_capabilities(pb::NodeGetCapabilitiesRequest {});
    let in_time = timeout(after, call).await;
    let answer = in_time.map_err(|_elapsed| CallError::TimedOut { after })??;
    let number = |one: pb::NodeServiceCapability| match one.r#type {
        Some(Type::Rpc(rpc)) => rpc.r#type,
        None => 0,
    };
    let all = answer.into_inner().capabilities;
    Ok(all.into_iter().map(number).collect())
}
