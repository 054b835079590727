use csi_proto::csi::v1 as pb;
use csi_proto::csi::v1::identity_server::Identity;
use tonic::{Request, Response, Status};

use super::convert;
use crate::{IdentitySource, ReadinessHandle};

/// Serves `csi.v1.Identity` for whoever knows the plugin's identity and readiness.
///
/// Every answer comes from memory, so any number of callers at once cost the plugin's backends nothing.
///
/// - GetPluginInfo and GetPluginCapabilities: what the source says, or UNIMPLEMENTED while it has nothing to say.
/// - Probe: OK with `ready`, or FAILED_PRECONDITION with the message `NOT_READY: <reason>` and empty details.
///
/// Most plugins never name this type: [`Plugin`](crate::Plugin) serves it beside their own services.
#[derive(Clone, Debug)]
pub struct IdentityService<S> {
    source: S,
    readiness: ReadinessHandle,
}

impl<S: IdentitySource> IdentityService<S> {
    /// An Identity service that asks `source` and `readiness` anew for each call.
    pub fn new(source: S, readiness: ReadinessHandle) -> Self {
        Self { source, readiness }
    }

    fn identity(&self) -> Result<std::sync::Arc<crate::Identity>, Status> {
        // Nobody retries on this code: registrars exit, or wait for a new connection. Porting guides ask for it.
        let unknown = || Status::unimplemented("the plugin does not know its identity yet");
        self.source.identity().ok_or_else(unknown)
    }
}

#[tonic::async_trait]
impl<S: IdentitySource> Identity for IdentityService<S> {
    async fn get_plugin_info(
        &self,
        _: Request<pb::GetPluginInfoRequest>,
    ) -> Result<Response<pb::GetPluginInfoResponse>, Status> {
        Ok(Response::new(convert::plugin_info(&self.identity()?.info)))
    }

    async fn get_plugin_capabilities(
        &self,
        _: Request<pb::GetPluginCapabilitiesRequest>,
    ) -> Result<Response<pb::GetPluginCapabilitiesResponse>, Status> {
        let identity = self.identity()?;
        Ok(Response::new(convert::plugin_capabilities(
            &identity.capabilities,
        )))
    }

    async fn probe(
        &self,
        _: Request<pb::ProbeRequest>,
    ) -> Result<Response<pb::ProbeResponse>, Status> {
        convert::probe_answer(self.readiness.probe()).map(Response::new)
    }
}
