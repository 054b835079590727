//! The simulated kubelet, in a thread of the test: agents are processes of their own.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};

use csi_identity::proto::pluginregistration::v1::PluginInfo;
use csi_kubelet::{Clock, Event, Fault, KubeletOptions, KubeletVersion, NodeObjects, What};
use tokio::sync::oneshot;

use crate::program::PATIENCE;
use crate::served::in_runtime;

/// How much faster its time runs, so that no test waits for its looks, each second, and its pauses.
const HURRY: NonZeroU32 = NonZeroU32::new(1000).unwrap();

/// One that runs; it stops when dropped.
#[derive(Debug)]
pub(crate) struct Kubelet {
    seen: Receiver<Event>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<NodeObjects>>,
}

/// What a registrar is told where a fault has this text.
pub(crate) fn refusal(text: &str) -> String {
    format!("RegisterPlugin error -- plugin registration failed with err: {text}")
}

impl Kubelet {
    /// One whose root directory this is, and that has these faults.
    pub(crate) fn start(root: &Path, version: KubeletVersion, faults: &[Fault]) -> Self {
        let options = KubeletOptions {
            version,
            faults: faults.to_vec(),
            clock: Clock::hurried(HURRY),
            ..KubeletOptions::new(root)
        };
        let (stop, stopping) = oneshot::channel::<()>();
        let (sender, seen) = mpsc::channel();
        // The test may look at nothing of it.
        let tell = move |event: &Event, _: &NodeObjects| drop(sender.send(event.clone()));
        let thread = thread::spawn(|| {
            in_runtime(async {
                let kubelet = csi_kubelet::Kubelet::new(options).unwrap();
                kubelet.run(tell, stopping).await.unwrap()
            })
        });
        let kubelet = Self {
            seen,
            stop: Some(stop),
            thread: Some(thread),
        };
        let started = kubelet.next("start");
        assert!(matches!(started.what, What::Started { .. }), "{started}");
        kubelet
    }

    fn next(&self, what: &str) -> Event {
        match self.seen.recv_timeout(PATIENCE) {
            Ok(event) => event,
            Err(error) => panic!("the kubelet does not {what}: {error}"),
        }
    }

    /// All that it tells up to an event of this name.
    pub(crate) fn events_until(&self, name: &str) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        while events.last().is_none_or(|last| last.what.name() != name) {
            events.push(self.next(&format!("tell that {name}, but {events:?}")));
        }
        events
    }

    /// Waits until it has registered the plugin; returns what it was told.
    pub(crate) fn registers(&self) -> PluginInfo {
        let events = self.events_until("registered");
        let info = events.into_iter().rev().find_map(|event| match event.what {
            What::GetInfo { outcome } => outcome.ok(),
            _ => None,
        });
        info.unwrap()
    }

    /// Waits until it has refused the plugin; returns the error in its log.
    pub(crate) fn refuses(&self) -> String {
        let events = self.events_until("refused");
        events.last().unwrap().what.message()
    }

    /// Waits until it has forgotten the plugin.
    pub(crate) fn forgets(&self) {
        self.events_until("deregistered");
    }

    /// Ends it; returns what has become of the Node.
    pub(crate) fn stop(mut self) -> NodeObjects {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Kubelet {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || thread::panicking());
        }
    }
}
