use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use csi_identity::endpoint::{Endpoint, EndpointError};
use csi_kubelet::{NodeObjects, Trace};
use tempfile::TempDir;

use crate::trace_file::TraceFile;
use crate::whole_file;

/// Where a socket's path is short enough, should the usual place for temporary files be too deep.
const SHORT: &str = "/tmp";

/// The driver of the demo.
pub(super) const DRIVER: &str = "disk.acme.io";

/// The folder in which all of it happens: the root directory of a node's kubelet.
#[derive(Debug)]
pub(super) struct Stage {
    folder: Folder,
    plugin: Endpoint,
    registration: Endpoint,
}

#[derive(Debug)]
enum Folder {
    /// Removed in the end, whatever the end is.
    Temporary(TempDir),
    Kept(PathBuf),
}

impl Stage {
    /// A folder of the demo's own.
    pub(super) fn temporary() -> anyhow::Result<Self> {
        let folder = folder_in(&std::env::temp_dir())?;
        let reason = match sockets_in(folder.path()) {
            Ok(sockets) => return Ok(Self::new(Folder::Temporary(folder), sockets)),
            Err(reason) => reason,
        };
        // Long paths are usual in build systems, and the demo depends on nothing in that place.
        tracing::warn!("the demo goes to {SHORT}: {reason}");
        let folder = folder_in(Path::new(SHORT))?;
        let sockets = sockets_in(folder.path())?;
        Ok(Self::new(Folder::Temporary(folder), sockets))
    }

    /// A folder that stays. It must not have anything in it.
    pub(super) fn kept(folder: &Path) -> anyhow::Result<Self> {
        let shown = folder.display();
        fs::create_dir_all(folder).with_context(|| format!("cannot make the directory {shown}"))?;
        let mut entries =
            fs::read_dir(folder).with_context(|| format!("cannot read the directory {shown}"))?;
        if entries.next().is_some() {
            bail!("{shown} is not empty; give a directory that is, or one that does not exist yet");
        }
        let folder = fs::canonicalize(folder)?;
        let sockets = sockets_in(&folder)?;
        Ok(Self::new(Folder::Kept(folder), sockets))
    }

    fn new(folder: Folder, (plugin, registration): (Endpoint, Endpoint)) -> Self {
        Self {
            folder,
            plugin,
            registration,
        }
    }

    pub(super) fn folder(&self) -> &Path {
        match &self.folder {
            Folder::Temporary(folder) => folder.path(),
            Folder::Kept(folder) => folder,
        }
    }

    /// The plugin's socket.
    pub(super) fn plugin(&self) -> &Endpoint {
        &self.plugin
    }

    /// The socket on which the kubelet is offered the plugin.
    pub(super) fn registration(&self) -> &Endpoint {
        &self.registration
    }

    /// Leaves the picture, in a folder that is kept in every form, with the part that is the registration, the Node and the CSINode;
    /// returns where it is.
    pub(super) fn leave(
        &self,
        (trace, registration): (&Trace, &Trace),
        node: &NodeObjects,
    ) -> anyhow::Result<PathBuf> {
        let picture = match &self.folder {
            Folder::Temporary(folder) => folder.path().with_extension("html"),
            Folder::Kept(folder) => {
                whole_file::write(&folder.join("node.yaml"), &node.to_yaml())?;
                TraceFile::try_from(folder.join("registration.svg"))?.write(registration)?;
                for other in ["flow.svg", "flow.md", "flow.json"] {
                    TraceFile::try_from(folder.join(other))?.write(trace)?;
                }
                folder.join("flow.html")
            }
        };
        TraceFile::try_from(picture.clone())?.write(trace)?;
        Ok(picture)
    }

    /// Removes what is not kept.
    pub(super) fn close(self) -> anyhow::Result<()> {
        match self.folder {
            Folder::Temporary(folder) => {
                folder.close().context("cannot remove the temporary folder")
            }
            Folder::Kept(_) => Ok(()),
        }
    }
}

fn folder_in(place: &Path) -> anyhow::Result<TempDir> {
    let folder = tempfile::Builder::new()
        .prefix("csi-identity-demo-")
        .tempdir_in(place);
    folder.with_context(|| {
        let place = place.display();
        format!("cannot make a folder in {place}; set TMPDIR to a place where that is possible")
    })
}

fn sockets_in(folder: &Path) -> Result<(Endpoint, Endpoint), EndpointError> {
    let registration = format!("plugins_registry/{DRIVER}-reg.sock");
    Ok((
        Endpoint::from_path(folder.join("csi.sock"))?,
        Endpoint::from_path(folder.join(registration))?,
    ))
}
