//! The simulated kubelet, beside the test; the agent is another process.

use std::num::NonZeroU32;
use std::path::Path;

use csi_kubelet::{Clock, Event, KubeletOptions, NodeObjects, What};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;

use crate::patience::within;

/// How much faster its time runs: months of a node pass within seconds.
const HURRY: NonZeroU32 = NonZeroU32::new(1000).unwrap();

/// One that runs; it ends when dropped.
#[derive(Debug)]
pub(crate) struct Kubelet {
    seen: UnboundedReceiver<Event>,
    work: JoinHandle<()>,
}

impl Kubelet {
    pub(crate) fn start(root: &Path) -> Self {
        let options = KubeletOptions {
            clock: Clock::hurried(HURRY),
            ..KubeletOptions::new(root)
        };
        let kubelet = csi_kubelet::Kubelet::new(options).unwrap();
        let (sender, seen) = unbounded_channel();
        // The test may have ended.
        let tell = move |event: &Event, _: &NodeObjects| drop(sender.send(event.clone()));
        let work = tokio::spawn(async {
            let never = std::future::pending::<()>();
            let _objects = kubelet.run(tell, never).await.unwrap();
        });
        Self { seen, work }
    }

    /// Waits until it has registered the plugin once more, which has to be at this path.
    pub(crate) async fn registers(&mut self, plugin: &Path) {
        let registering = async {
            loop {
                match self.seen.recv().await.unwrap().what {
                    What::GetInfo { outcome } => {
                        assert_eq!(outcome.unwrap().endpoint, plugin.to_str().unwrap());
                    }
                    What::Registered => return,
                    _ => {}
                }
            }
        };
        within("the plugin is registered", registering).await;
    }
}

impl Drop for Kubelet {
    fn drop(&mut self) {
        self.work.abort();
    }
}
