use std::path::PathBuf;

use csi_kubelet::NodeObjects;

use crate::whole_file;

/// A file in which the Node and the CSINode are kept as YAML.
#[derive(Debug)]
pub(super) struct ObjectsFile {
    path: PathBuf,
    written: Option<NodeObjects>,
}

impl ObjectsFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            written: None,
        }
    }

    /// Writes them if they have changed. Whoever reads the file sees it whole, as it was or as it is.
    pub(super) fn keep(&mut self, objects: &NodeObjects) -> anyhow::Result<()> {
        if self.written.as_ref() == Some(objects) {
            return Ok(());
        }
        whole_file::write(&self.path, &objects.to_yaml())?;
        self.written = Some(objects.clone());
        Ok(())
    }
}
