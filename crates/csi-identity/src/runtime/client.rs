use std::error::Error as _;
use std::time::Duration;

use csi_endpoint::{Channel, ConnectError, ConnectOptions, Endpoint};
use csi_proto::csi::v1 as pb;
use csi_proto::csi::v1::identity_client::IdentityClient;
use csi_proto::csi::v1::node_client::NodeClient;
use tokio::time::Instant;
use tonic::{Code, Response, Status};

use super::causes::connection_failure;
use crate::ObservedCapability;

/// Pause between two Probes of a plugin that is not ready, as the Kubernetes sidecars have it (csi-lib-utils `ProbeForever`).
const PROBE_INTERVAL: Duration = Duration::from_secs(1);

/// Asks any plugin, in whatever language, what it says of itself.
///
/// Answers come back as they are, not as they should be: a name that breaks the rules is still the name.
///
/// ```no_run
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// use csi_identity::PluginClient;
/// use csi_identity::endpoint::ConnectOptions;
///
/// let endpoint = "unix:///run/csi/csi.sock".parse()?;
/// let plugin = PluginClient::connect(&endpoint, &ConnectOptions::default()).await?;
/// println!("{}", plugin.plugin_info().await?.name);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct PluginClient {
    channel: Channel,
    call_timeout: Duration,
}

/// Why a call brought no answer, or a bad one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The plugin answered with an error.
    #[error("{}: {}", code_name(.0.code()), .0.message())]
    Answered(Status),
    /// There was no answer in time.
    #[error("no answer within {after:?}")]
    TimedOut {
        /// How long was waited.
        after: Duration,
    },
    /// There was none, because the connection failed.
    #[error("{}", connection_failure(.0))]
    Connection(Status),
}

impl PluginClient {
    /// Time a call may take if nothing else is said: what livenessprobe grants.
    pub const CALL_TIMEOUT: Duration = Duration::from_secs(3);

    /// Connects to a plugin.
    ///
    /// # Errors
    ///
    /// As [`csi_endpoint::connect`].
    pub async fn connect(
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Self, ConnectError> {
        Ok(Self::new(csi_endpoint::connect(endpoint, options).await?))
    }

    /// A client on a connection that exists.
    pub fn new(channel: Channel) -> Self {
        Self {
            channel,
            call_timeout: Self::CALL_TIMEOUT,
        }
    }

    /// The same with another limit on each call.
    #[must_use]
    pub fn with_call_timeout(mut self, call_timeout: Duration) -> Self {
        self.call_timeout = call_timeout;
        self
    }

    /// Calls GetPluginInfo.
    ///
    /// # Errors
    ///
    /// As [`CallError`] says; UNIMPLEMENTED means that the plugin has no identity (yet).
    pub async fn plugin_info(&self) -> Result<pb::GetPluginInfoResponse, CallError> {
        let mut client = IdentityClient::new(self.channel.clone());
        self.bounded(client.get_plugin_info(pb::GetPluginInfoRequest {}))
            .await
    }

    /// Calls GetPluginCapabilities.
    ///
    /// # Errors
    ///
    /// As [`CallError`] says.
    pub async fn plugin_capabilities(&self) -> Result<Vec<ObservedCapability>, CallError> {
        let mut client = IdentityClient::new(self.channel.clone());
        let answer = self
            .bounded(client.get_plugin_capabilities(pb::GetPluginCapabilitiesRequest {}))
            .await?;
        let capabilities = answer.capabilities.into_iter();
        Ok(capabilities.map(ObservedCapability::from).collect())
    }

    /// Calls Probe; `None`, an unset `ready`, means ready.
    ///
    /// # Errors
    ///
    /// As [`CallError`] says; FAILED_PRECONDITION means that the plugin is not healthy.
    pub async fn probe(&self) -> Result<Option<bool>, CallError> {
        let mut client = IdentityClient::new(self.channel.clone());
        Ok(self.bounded(client.probe(pb::ProbeRequest {})).await?.ready)
    }

    /// Calls NodeGetInfo, as a kubelet does when it registers the plugin.
    ///
    /// # Errors
    ///
    /// As [`CallError`] says; UNIMPLEMENTED means that this socket has no Node service.
    pub async fn node_info(&self) -> Result<pb::NodeGetInfoResponse, CallError> {
        let mut client = NodeClient::new(self.channel.clone());
        self.bounded(client.node_get_info(pb::NodeGetInfoRequest {}))
            .await
    }

    /// Probes until the plugin is ready, as the Kubernetes sidecars do when they start.
    ///
    /// At once, then every second. `ready=false` and calls that take too long are waited out, for ever if need be;
    /// `each` hears of them. Any other answer ends the wait, as it ends the sidecars.
    ///
    /// # Errors
    ///
    /// What ended the wait.
    pub async fn wait_until_ready(
        &self,
        mut each: impl FnMut(&Result<Option<bool>, CallError>),
    ) -> Result<(), CallError> {
        let mut next = Instant::now();
        loop {
            let answer = self.probe().await;
            each(&answer);
            match answer {
                Ok(None | Some(true)) => return Ok(()),
                Ok(Some(false)) | Err(CallError::TimedOut { .. }) => {}
                Err(CallError::Answered(status)) if status.code() == Code::DeadlineExceeded => {}
                Err(error) => return Err(error),
            }
            next += PROBE_INTERVAL;
            tokio::time::sleep_until(next).await;
        }
    }

    async fn bounded<T>(
        &self,
        call: impl Future<Output = Result<Response<T>, Status>>,
    ) -> Result<T, CallError> {
        match tokio::time::timeout(self.call_timeout, call).await {
            Ok(Ok(answer)) => Ok(answer.into_inner()),
            Ok(Err(status)) => Err(CallError::from(status)),
            Err(_elapsed) => Err(CallError::TimedOut {
                after: self.call_timeout,
            }),
        }
    }
}

impl CallError {
    /// The gRPC code of what happened, as a client that knows no better reports it.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Answered(status) | Self::Connection(status) => status.code(),
            Self::TimedOut { .. } => Code::DeadlineExceeded,
        }
    }
}

impl From<Status> for CallError {
    /// A status with a cause was made on this side; one without came over the wire.
    fn from(status: Status) -> Self {
        if status.source().is_some() {
            Self::Connection(status)
        } else {
            Self::Answered(status)
        }
    }
}

/// The name of a gRPC code as the gRPC documents write it, for example `FAILED_PRECONDITION`.
#[must_use]
pub fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}
