//! A small service to be served: registration, answered by one that tells what it saw.

use std::sync::Arc;

use csi_endpoint::PeerCredentials;
use csi_proto::pluginregistration::v1::registration_server::{Registration, RegistrationServer};
use csi_proto::pluginregistration::v1::{
    InfoRequest, PluginInfo, RegistrationStatus, RegistrationStatusResponse,
};
use tokio::sync::{Semaphore, watch};
use tonic::metadata::KeyAndValueRef;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

/// What became of the calls that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) begun: usize,
    pub(crate) answered: usize,
    /// Given up by the server before there was an answer.
    pub(crate) dropped: usize,
}

/// GetInfo is answered at once; NotifyRegistrationStatus waits until it is let go.
#[derive(Clone, Debug)]
pub(crate) struct Plugin {
    waiting: watch::Sender<Waiting>,
    gate: Arc<Semaphore>,
}

impl Plugin {
    pub(crate) fn new() -> Self {
        Self {
            waiting: watch::Sender::new(Waiting::default()),
            gate: Arc::new(Semaphore::new(0)),
        }
    }

    pub(crate) fn routes(&self) -> Routes {
        Routes::new(RegistrationServer::new(self.clone()))
    }

    pub(crate) fn waiting(&self) -> watch::Receiver<Waiting> {
        self.waiting.subscribe()
    }

    /// Lets so many waiting calls be answered, those to come too.
    pub(crate) fn let_go(&self, calls: usize) {
        self.gate.add_permits(calls);
    }

    /// How many there are of this: one for its maker, one for the routes, one or more for each open connection.
    pub(crate) fn holders(&self) -> usize {
        Arc::strong_count(&self.gate)
    }
}

/// Counts its call as dropped, unless it was answered.
struct Call<'a> {
    waiting: &'a watch::Sender<Waiting>,
    answered: bool,
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.waiting.send_modify(|waiting| {
            if self.answered {
                waiting.answered += 1;
            } else {
                waiting.dropped += 1;
            }
        });
    }
}

#[tonic::async_trait]
impl Registration for Plugin {
    /// The name tells who called, the versions which `x-` metadata came; the endpoint is as long as `answer-size` asks.
    async fn get_info(
        &self,
        request: Request<InfoRequest>,
    ) -> Result<Response<PluginInfo>, Status> {
        let peer = request.extensions().get::<PeerCredentials>();
        let metadata = request.metadata();
        let size = metadata
            .get("answer-size")
            .map_or(0, |size| size.to_str().unwrap().parse().unwrap());
        let mut fields: Vec<_> = metadata
            .iter()
            .filter_map(|field| match field {
                KeyAndValueRef::Ascii(key, value) if key.as_str().starts_with("x-") => {
                    Some(format!("{key}={}", value.to_str().unwrap()))
                }
                _ => None,
            })
            .collect();
        fields.sort();
        Ok(Response::new(PluginInfo {
            r#type: "CSIPlugin".to_owned(),
            name: format!("{peer:?}"),
            endpoint: "x".repeat(size),
            supported_versions: fields,
        }))
    }

    async fn notify_registration_status(
        &self,
        _: Request<RegistrationStatus>,
    ) -> Result<Response<RegistrationStatusResponse>, Status> {
        let mut call = Call {
            waiting: &self.waiting,
            answered: false,
        };
        self.waiting.send_modify(|waiting| waiting.begun += 1);
        self.gate.acquire().await.unwrap().forget();
        call.answered = true;
        Ok(Response::new(RegistrationStatusResponse {}))
    }
}
