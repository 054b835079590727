//! A kubelet that runs, and what it tells.

use std::path::{Path, PathBuf};

use csi_kubelet::{Event, Kubelet, KubeletError, KubeletOptions, NodeObjects};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use tokio::time::timeout;

use super::bounded::{LIMIT, within};

/// What it has told so far, and the objects as they are.
#[derive(Debug)]
struct Heard {
    events: Vec<Event>,
    objects: NodeObjects,
}

#[derive(Debug)]
pub(crate) struct Running {
    folder: PathBuf,
    heard: watch::Receiver<Heard>,
    stop: oneshot::Sender<()>,
    kubelet: JoinHandle<Result<NodeObjects, KubeletError>>,
}

impl Running {
    pub(crate) fn start(options: KubeletOptions) -> Self {
        let folder = options.root.clone();
        let objects = options.node.clone();
        let events = Vec::new();
        let (sender, heard) = watch::channel(Heard { events, objects });
        let (stop, stopping) = oneshot::channel();
        let kubelet = Kubelet::new(options).unwrap();
        let kubelet = kubelet.run(
            move |event, objects| {
                sender.send_modify(|heard| {
                    heard.events.push(event.clone());
                    heard.objects.clone_from(objects);
                });
            },
            stopping,
        );
        let kubelet = tokio::spawn(kubelet);
        Self {
            folder,
            heard,
            stop,
            kubelet,
        }
    }

    /// Its lines so far: as it writes them, without time of day and duration, and with `~` for the folder.
    pub(crate) fn lines(&self) -> Vec<String> {
        let heard = self.heard.borrow();
        let lines = heard.events.iter();
        lines.map(|event| line(event, &self.folder)).collect()
    }

    pub(crate) fn count(&self, start: &str) -> usize {
        let lines = self.lines();
        lines.iter().filter(|line| line.starts_with(start)).count()
    }

    /// Waits for a line that begins so, and returns it.
    pub(crate) async fn says(&self, start: &str) -> String {
        self.says_times(start, 1).await
    }

    /// Waits for the n-th line that begins so, and returns it.
    pub(crate) async fn says_times(&self, start: &str, times: usize) -> String {
        let mut heard = self.heard.clone();
        let mut found = None;
        let folder = &self.folder;
        let hearing = heard.wait_for(|heard| {
            let lines = heard.events.iter().map(|event| line(event, folder));
            found = lines.filter(|line| line.starts_with(start)).nth(times - 1);
            found.is_some()
        });
        // What it said instead tells more than that time was up.
        if timeout(LIMIT, hearing).await.is_err() {
            let lines = self.lines();
            let last: String = lines[lines.len().saturating_sub(20)..].join("\n");
            panic!("no line {times} of {start:?} after {LIMIT:?}; the last ones are\n{last}");
        }
        found.unwrap()
    }

    /// Its last event of this name, as JSON without times.
    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        let heard = self.heard.borrow();
        let mut events = heard.events.iter().rev();
        let event = events.find(|event| event.what.name() == name).unwrap();
        let mut json = event.to_json();
        let object = json.as_object_mut().unwrap();
        assert!(object.remove("time").is_some());
        assert_eq!(object.remove("duration_ms").is_some(), event.took.is_some());
        json
    }

    /// The last event of this name, for what its text does not say.
    pub(crate) fn event(&self, name: &str) -> Event {
        let heard = self.heard.borrow();
        let mut events = heard.events.iter().rev();
        events
            .find(|event| event.what.name() == name)
            .unwrap()
            .clone()
    }

    pub(crate) fn objects(&self) -> NodeObjects {
        self.heard.borrow().objects.clone()
    }

    /// The drivers in the CSINode.
    pub(crate) fn drivers(&self) -> Vec<String> {
        self.objects().drivers.into_keys().collect()
    }

    /// Stops it; what became of the Node and the CSINode.
    pub(crate) async fn stop(self) -> NodeObjects {
        self.stop.send(()).unwrap();
        let ended = within("the kubelet stops", self.kubelet).await;
        ended.unwrap().unwrap()
    }
}

fn line(event: &Event, folder: &Path) -> String {
    let text = event.to_string();
    let (_time, text) = text.split_once("Z ").unwrap();
    let folder = folder.to_str().unwrap();
    let encoded = folder.replace('/', "%2F");
    let text = text.replace(folder, "~").replace(&encoded, "~");
    if event.took.is_none() {
        return text;
    }
    // It stands before the cause, if there is one.
    let end = text.rfind(" ms)").unwrap();
    let start = text[..end].rfind(" (").unwrap();
    format!("{}{}", &text[..start], &text[end + 4..])
}
