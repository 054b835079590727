//! The service a kubelet calls on the registration socket.

use csi_endpoint::PeerCredentials;
use csi_proto::pluginregistration::v1::registration_server::Registration;
use csi_proto::pluginregistration::v1::{
    InfoRequest, PluginInfo, RegistrationStatus, RegistrationStatusResponse,
};
use tokio::sync::{mpsc, watch};
use tonic::{Request, Response, Status};

use crate::plugin::View;

/// The key under which a kubelet has its handler for CSI plugins (`pluginregistration/v1/constants.go`).
const CSI_PLUGIN: &str = "CSIPlugin";

/// Versions of CSI that a kubelet may use with the plugin; of 1.x one is enough, and all that registrars ever send.
const VERSIONS: [&str; 1] = ["1.0.0"];

/// What a kubelet did on a registration socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// The socket it came to, by its number.
    pub(super) socket: u64,
    pub(super) method: Method,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Method {
    GetInfo,
    /// The kubelet's verdict: yes, or no and its reason.
    Notify(Result<(), String>),
}

impl Method {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::GetInfo => "GetInfo",
            Self::Notify(_) => "NotifyRegistrationStatus",
        }
    }
}

/// The Registration service of one socket.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) socket: u64,
    pub(super) driver: String,
    pub(super) host_path: String,
    pub(super) view: watch::Receiver<View>,
    pub(super) calls: mpsc::Sender<Call>,
}

impl Service {
    /// Passes on that a kubelet called; a call of this very process is none.
    async fn heard(&self, peer: Option<&PeerCredentials>, method: Method) {
        let own = i32::try_from(std::process::id()).ok();
        if own.is_some() && peer.map(|peer| peer.pid) == own {
            tracing::debug!(method = method.name(), "a call of this process itself");
            return;
        }
        let socket = self.socket;
        // Nobody hears it where the registrar is being stopped.
        let _ = self.calls.send(Call { socket, method }).await;
    }
}

#[tonic::async_trait]
impl Registration for Service {
    async fn get_info(
        &self,
        request: Request<InfoRequest>,
    ) -> Result<Response<PluginInfo>, Status> {
        self.heard(request.extensions().get(), Method::GetInfo)
            .await;
        let away = {
            let view = self.view.borrow();
            (!view.answering).then(|| format!("the plugin does not answer: {}", view.reason))
        };
        match away {
            // A kubelet tries GetInfo again whatever its version; what fails after it, only since 1.36.
            Some(reason) => Err(Status::unavailable(reason)),
            None => Ok(Response::new(PluginInfo {
                r#type: CSI_PLUGIN.to_owned(),
                name: self.driver.clone(),
                endpoint: self.host_path.clone(),
                supported_versions: VERSIONS.map(str::to_owned).to_vec(),
            })),
        }
    }

    async fn notify_registration_status(
        &self,
        request: Request<RegistrationStatus>,
    ) -> Result<Response<RegistrationStatusResponse>, Status> {
        let peer = request.extensions().get().copied();
        let RegistrationStatus {
            plugin_registered,
            error,
        } = request.into_inner();
        let verdict = if plugin_registered {
            Ok(())
        } else {
            Err(error)
        };
        self.heard(peer.as_ref(), Method::Notify(verdict)).await;
        Ok(Response::new(RegistrationStatusResponse {}))
    }
}
