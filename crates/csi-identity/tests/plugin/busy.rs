//! A plugin whose storage calls take their time.

use std::sync::Arc;
use std::time::Duration;

use csi_identity::proto::csi::v1::controller_client::ControllerClient;
use csi_identity::proto::csi::v1::controller_server::{Controller, ControllerServer};
use csi_identity::proto::csi::v1::{CreateVolumeRequest, CreateVolumeResponse};
use csi_identity::{Plugin, Readiness};
use tokio::sync::{Semaphore, watch};
use tonic::{Request, Response, Status};

use crate::running::Running;

/// As long as a busy machine may take for what should take milliseconds.
const LIMIT: Duration = Duration::from_secs(20);

const CALLS: usize = 50;

/// Its backend has one lock, and somebody holds it.
#[derive(Clone, Debug)]
struct Stuck {
    lock: Arc<Semaphore>,
    waiting: watch::Sender<usize>,
}

#[tonic::async_trait]
impl Controller for Stuck {
    async fn create_volume(
        &self,
        _: Request<CreateVolumeRequest>,
    ) -> Result<Response<CreateVolumeResponse>, Status> {
        self.waiting.send_modify(|waiting| *waiting += 1);
        let _locked = self.lock.acquire().await.unwrap();
        Ok(Response::new(CreateVolumeResponse::default()))
    }
}

#[tokio::test]
async fn r22_probe_is_answered_while_fifty_calls_hang() {
    let stuck = Stuck {
        lock: Arc::new(Semaphore::new(0)),
        waiting: watch::Sender::new(0),
    };
    let plugin = Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
        .service(ControllerServer::new(stuck.clone()))
        .build()
        .unwrap();
    let running = Running::start(plugin);
    running.readiness.set(Readiness::Ready);
    let controller = ControllerClient::new(running.channel().await);
    let calls: Vec<_> = (0..CALLS)
        .map(|_| {
            let mut controller = controller.clone();
            tokio::spawn(async move {
                controller
                    .create_volume(CreateVolumeRequest::default())
                    .await
            })
        })
        .collect();
    let mut waiting = stuck.waiting.subscribe();
    let all = waiting.wait_for(|waiting| *waiting == CALLS);
    assert!(tokio::time::timeout(LIMIT, all).await.unwrap().is_ok());

    let client = running.client().await;
    assert_eq!(client.probe().await.unwrap(), Some(true));
    stuck.lock.add_permits(1);
    for call in calls {
        tokio::time::timeout(LIMIT, call)
            .await
            .unwrap()
            .unwrap()
            .unwrap();
    }
}
