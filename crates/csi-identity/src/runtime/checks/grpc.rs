//! A gRPC server that says it is well.

use csi_endpoint::{Channel, ConnectOptions, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::lane::Lane;
use crate::runtime::causes::with_causes;
use crate::{CallError, CheckPolicy, GrpcProbe, PluginClient, code_name};

#[derive(Debug)]
pub(super) struct ServerProbe {
    endpoint: Endpoint,
    probe: GrpcProbe,
    /// A look at the path before each run: where the file system hangs, connecting would hang the runtime with it.
    lane: Lane<()>,
    /// The connection of the last run that had an answer; it makes itself anew when the server closed it.
    ///
    /// It is away while a call is, so that one that is given up leaves no connection behind: a new server may be at the
    /// path while the old one hangs.
    channel: Option<Channel>,
    /// Whether a run has come as far as to have a connection.
    connected: bool,
}

impl ServerProbe {
    pub(super) fn new(endpoint: Endpoint, probe: GrpcProbe) -> Self {
        Self {
            endpoint,
            probe,
            lane: Lane::new(),
            channel: None,
            connected: false,
        }
    }

    pub(super) async fn run(&mut self) -> Result<(), String> {
        self.connected = false;
        let path = self.endpoint.path().to_owned();
        // What is wrong with the path the connection finds out, and says it better.
        let look = move || drop(std::fs::metadata(path));
        self.lane.call(look).await?;
        let channel = match self.channel.take() {
            Some(channel) => channel,
            None => {
                let options = ConnectOptions {
                    // The check's own timeout is what counts.
                    attempt_timeout: CheckPolicy::MAX_INTERVAL,
                    ..ConnectOptions::default()
                };
                csi_endpoint::connect(&self.endpoint, &options)
                    .await
                    .map_err(|error| with_causes(&error))?
            }
        };
        self.connected = true;
        let answer = match &self.probe {
            GrpcProbe::CsiProbe => probe(channel.clone()).await,
            GrpcProbe::Health { service } => check_health(channel.clone(), service.clone()).await,
        };
        if !matches!(answer, Err(CallError::Connection(_))) {
            self.channel = Some(channel);
        }
        match answer {
            Ok(None) => Ok(()),
            Ok(Some(complaint)) => Err(format!("{} answered {complaint}", self.endpoint)),
            Err(CallError::Answered(status)) if status.message().is_empty() => Err(format!(
                "{} answered {}",
                self.endpoint,
                code_name(status.code())
            )),
            Err(error @ CallError::Answered(_)) => {
                Err(format!("{} answered {error}", self.endpoint))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    pub(super) fn doing(&self) -> String {
        if self.lane.is_busy() {
            format!("looking at {}, which hangs", self.endpoint.path().display())
        } else if self.connected {
            format!("waiting for the answer of {}", self.endpoint)
        } else {
            format!("connecting to {}", self.endpoint)
        }
    }
}

/// What `csi.v1.Identity/Probe` complains of.
async fn probe(channel: Channel) -> Result<Option<String>, CallError> {
    let client = PluginClient::new(channel).with_call_timeout(CheckPolicy::MAX_INTERVAL);
    Ok(match client.probe().await? {
        None | Some(true) => None,
        Some(false) => Some("ready=false".to_owned()),
    })
}

/// What `grpc.health.v1.Health/Check` complains of.
async fn check_health(channel: Channel, service: String) -> Result<Option<String>, CallError> {
    let mut client = HealthClient::new(channel);
    let answer = client.check(HealthCheckRequest { service }).await?;
    let number = answer.into_inner().status;
    Ok(match ServingStatus::try_from(number) {
        Ok(ServingStatus::Serving) => None,
        Ok(status) => Some(status.as_str_name().to_owned()),
        Err(_unknown) => Some(format!("UNKNOWN({number})")),
    })
}
