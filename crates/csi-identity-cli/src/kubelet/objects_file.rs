use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use csi_kubelet::NodeObjects;
use tempfile::NamedTempFile;

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
        write_whole(&self.path, objects.to_yaml().as_bytes())?;
        self.written = Some(objects.clone());
        Ok(())
    }
}

fn write_whole(path: &Path, text: &[u8]) -> anyhow::Result<()> {
    let write = || -> anyhow::Result<()> {
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut draft = NamedTempFile::new_in(directory)?;
        draft.write_all(text)?;
        draft.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
