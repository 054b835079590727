use csi_kubelet::{Kubelet, KubeletError, KubeletOptions, NodeObjects};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::acts::Seen;

/// A kubelet that runs beside the story.
#[derive(Debug)]
pub(super) struct RunningKubelet {
    stop: oneshot::Sender<()>,
    ended: JoinHandle<Result<NodeObjects, KubeletError>>,
}

impl RunningKubelet {
    pub(super) fn start(
        options: KubeletOptions,
        told: UnboundedSender<Seen>,
    ) -> Result<Self, KubeletError> {
        let kubelet = Kubelet::new(options)?;
        let (stop, stopping) = oneshot::channel();
        let on_event = move |event: &csi_kubelet::Event, _: &NodeObjects| {
            // The story may have ended.
            let _ = told.send(Seen::Kubelet(event.clone()));
        };
        let ended = tokio::spawn(kubelet.run(on_event, stopping));
        Ok(Self { stop, ended })
    }

    /// Stops it; what it has made of the Node and the CSINode stays with the API server.
    pub(super) async fn stop(self) -> anyhow::Result<NodeObjects> {
        let Self { stop, ended } = self;
        drop(stop);
        Ok(ended.await??)
    }
}
