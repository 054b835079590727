//! The calls a kubelet makes, with its limits, and their errors in its words.

use std::path::Path;
use std::time::{Duration, Instant};

use csi_endpoint::{Authority, Channel, ConnectOptions, Endpoint, connect};
use csi_identity::proto::csi::v1::NodeGetInfoRequest;
use csi_identity::proto::csi::v1::node_client::NodeClient;
use csi_identity::proto::pluginregistration::v1::registration_client::RegistrationClient;
use csi_identity::proto::pluginregistration::v1::{InfoRequest, PluginInfo, RegistrationStatus};
use tonic::{Response, Status};

use crate::clock::RunningClock;
use crate::{Failure, NodeInfoAnswer};

mod failure;
mod target;

use target::dialled_path;

/// How long a registration socket may take to be dialled.
pub(crate) const DIAL: Duration = Duration::from_secs(10);

/// How long GetInfo may take.
const GET_INFO: Duration = Duration::from_secs(1);

/// How long NodeGetInfo may take.
const NODE_GET_INFO: Duration = Duration::from_secs(120);

/// How long NotifyRegistrationStatus may take.
const NOTIFY: Duration = Duration::from_secs(5);

/// The pause after a first failed dial, and what each further one is longer by (gRPC's connection back-off).
const FIRST_REDIAL: Duration = Duration::from_secs(1);
const REDIAL_FACTOR: f64 = 1.6;

/// A connection to a registration socket.
#[derive(Debug)]
pub(crate) struct Registrar(RegistrationClient<Channel>);

impl Registrar {
    /// Dials again and again, as a blocking dial does, for ten seconds. What the server takes counts as it is, what is waited between
    /// two tries by the clock.
    pub(crate) async fn dial(
        socket: &Path,
        authority: Authority,
        clock: RunningClock,
    ) -> Result<Self, Failure> {
        let shown = socket.to_string_lossy();
        let path = dialled_path(&shown).map_err(failure::of_target)?;
        let is_other = path != shown;
        let endpoint = if is_other {
            Endpoint::from_path(path.as_ref())
        } else {
            Endpoint::from_path(socket)
        };
        let why = |error: String| {
            if is_other {
                return failure::of_dial(format!("{error}; {}", failure::OTHER_PATH));
            }
            failure::of_dial(error)
        };
        let endpoint = match endpoint {
            Ok(endpoint) => endpoint,
            Err(error) => {
                clock.sleep(DIAL).await;
                return Err(why(error.to_string()));
            }
        };
        let (begun, until) = (Instant::now(), clock.now() + DIAL);
        let mut pause = FIRST_REDIAL;
        loop {
            let options = ConnectOptions {
                // In whole seconds, as it may have to be shown.
                attempt_timeout: DIAL
                    .saturating_sub(Duration::from_secs(begun.elapsed().as_secs())),
                authority: authority.clone(),
                ..ConnectOptions::default()
            };
            match connect(&endpoint, &options).await {
                Ok(channel) => return Ok(Self(RegistrationClient::new(channel))),
                Err(error) if clock.now() + pause >= until => {
                    return Err(why(error.to_string()));
                }
                Err(_) => clock.sleep(pause).await,
            }
            pause = pause.mul_f64(REDIAL_FACTOR);
        }
    }

    /// What is left of it once its connection is lost.
    pub(crate) fn lost(cause: &str) -> Failure {
        failure::of_loss(cause.to_owned())
    }

    pub(crate) async fn get_info(&mut self) -> Result<PluginInfo, Failure> {
        within(GET_INFO, self.0.get_info(InfoRequest {})).await
    }

    /// Tells whether the plugin is registered, and if not, why.
    pub(crate) async fn notify(&mut self, registered: bool, error: &str) -> Result<(), Failure> {
        let status = RegistrationStatus {
            plugin_registered: registered,
            error: error.to_owned(),
        };
        within(NOTIFY, self.0.notify_registration_status(status))
            .await
            .map(drop)
    }
}

/// Calls NodeGetInfo once, on a connection of its own.
pub(crate) async fn node_get_info(
    endpoint: &str,
    authority: Authority,
) -> Result<NodeInfoAnswer, Failure> {
    let endpoint = dialled(endpoint)?;
    let options = ConnectOptions {
        attempt_timeout: NODE_GET_INFO,
        authority,
        ..ConnectOptions::default()
    };
    let mut client = NodeClient::new(Channel::new(endpoint, &options));
    let answer = within(
        NODE_GET_INFO,
        client.node_get_info(NodeGetInfoRequest::default()),
    )
    .await?;
    let topology = answer
        .accessible_topology
        .map(|topology| topology.segments.into_iter().collect());
    Ok(NodeInfoAnswer {
        node_id: answer.node_id,
        max_volumes: answer.max_volumes_per_node,
        topology: topology.unwrap_or_default(),
    })
}

/// What is sent as `:authority` to a path, as text; what is no path is dialled as it stands.
pub(crate) fn authority_text(authority: &Authority, path: &str) -> String {
    let dialled = dialled_path(path).unwrap_or(path.into());
    match Endpoint::from_path(dialled.as_ref()) {
        Ok(endpoint) => authority.text(&endpoint).into_owned(),
        Err(_) => path.to_owned(),
    }
}

/// A kubelet takes what GetInfo calls an endpoint for a path, scheme and all.
fn dialled(text: &str) -> Result<Endpoint, Failure> {
    let is_path = text.starts_with('/');
    let path = if is_path {
        dialled_path(text).map_err(failure::of_target)?
    } else {
        text.into()
    };
    let text = path.as_ref();
    Endpoint::from_path(text).map_err(|error| {
        let refused = if is_path {
            "connect: invalid argument"
        } else {
            "connect: no such file or directory"
        };
        let cause = if is_path {
            error.to_string()
        } else {
            format!("a kubelet takes {text:?} for a path as it stands; GetInfo has to give the absolute path alone")
        };
        failure::of_connection(text, refused, cause)
    })
}

async fn within<T>(
    limit: Duration,
    call: impl Future<Output = Result<Response<T>, Status>>,
) -> Result<T, Failure> {
    match tokio::time::timeout(limit, call).await {
        Ok(Ok(answer)) => Ok(answer.into_inner()),
        Ok(Err(status)) => Err(failure::of_status(&status)),
        Err(_elapsed) => Err(failure::of_deadline()),
    }
}
