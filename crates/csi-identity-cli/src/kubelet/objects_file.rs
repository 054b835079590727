use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use csi_kubelet::{Event, NodeObjects, What};
use tokio::time::{Instant, sleep_until};

use crate::whole_file;

/// The least time between two writes: thousands of drivers that come at once cost few of them.
const PAUSE: Duration = Duration::from_millis(50);

/// A file in which the Node and the CSINode are kept as YAML.
///
/// It has a copy of them in which an event changes no more than it tells of, so that many drivers cost no more each than few.
#[derive(Debug)]
pub(super) struct ObjectsFile {
    path: PathBuf,
    objects: NodeObjects,
    /// When it has to be written, if it has to.
    due: Option<Instant>,
    not_before: Instant,
}

impl ObjectsFile {
    pub(super) fn new(path: PathBuf, objects: NodeObjects) -> Self {
        let now = Instant::now();
        Self {
            path,
            objects,
            due: Some(now),
            not_before: now,
        }
    }

    /// Takes in what an event has changed, and writes it if that is not too soon.
    pub(super) fn keep(&mut self, event: &Event, objects: &NodeObjects) -> anyhow::Result<()> {
        let ours = &mut self.objects;
        let mut changed = false;
        if let Some(driver) = &event.driver {
            changed |= copy(driver, &objects.node_ids, &mut ours.node_ids);
            changed |= copy(driver, &objects.drivers, &mut ours.drivers);
        }
        if let What::Node { labels, .. } = &event.what {
            changed |= !labels.is_empty();
            ours.labels.extend(labels.clone());
        }
        if changed && self.due.is_none() {
            self.due = Some(self.not_before);
        }
        match self.due {
            Some(due) if due <= Instant::now() => self.finish(),
            _ => Ok(()),
        }
    }

    /// When it has to be written.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Writes what has not been written.
    pub(super) fn finish(&mut self) -> anyhow::Result<()> {
        if self.due.take().is_some() {
            whole_file::write(&self.path, &self.objects.to_yaml())?;
            self.not_before = Instant::now() + PAUSE;
        }
        Ok(())
    }
}

/// Waits for a moment that may never come.
pub(super) async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// Copies one entry, or its absence. Says whether that is a change.
fn copy<T: Clone + PartialEq>(
    key: &str,
    from: &BTreeMap<String, T>,
    to: &mut BTreeMap<String, T>,
) -> bool {
    let entry = from.get(key);
    if entry == to.get(key) {
        return false;
    }
    match entry {
        Some(entry) => to.insert(key.to_owned(), entry.clone()),
        None => to.remove(key),
    };
    true
}
