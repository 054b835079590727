use std::path::PathBuf;

use csi_proto::pluginregistration::v1::{
    InfoRequest, PluginInfo, RegistrationStatus, RegistrationStatusResponse,
    registration_server::Registration,
};
use tonic::{Request, Response, Status};

/// Offers the driver to a kubelet, on the socket that serves the driver as well.
#[derive(Debug)]
pub(crate) struct FixedRegistration {
    pub(crate) endpoint: PathBuf,
}

#[tonic::async_trait]
impl Registration for FixedRegistration {
    async fn get_info(&self, _: Request<InfoRequest>) -> Result<Response<PluginInfo>, Status> {
        Ok(Response::new(PluginInfo {
            r#type: "CSIPlugin".to_owned(),
            name: "disk.example.org".to_owned(),
            endpoint: self.endpoint.display().to_string(),
            supported_versions: vec!["1.0.0".to_owned()],
        }))
    }

    async fn notify_registration_status(
        &self,
        _: Request<RegistrationStatus>,
    ) -> Result<Response<RegistrationStatusResponse>, Status> {
        Ok(Response::new(RegistrationStatusResponse {}))
    }
}
