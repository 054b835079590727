use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::workspace;

/// Programs in Go that do what the Kubernetes sidecars do, with their library (`interop/sidecars`).
#[derive(Debug)]
pub(crate) struct Sidecars {
    folder: TempDir,
}

impl Sidecars {
    /// Builds them, where Go is installed.
    pub(crate) fn build() -> Result<Option<Self>> {
        let mut version = Command::new("go");
        version.arg("version").stdout(Stdio::null());
        if version.stderr(Stdio::null()).status().is_err() {
            return Ok(None);
        }
        let folder = tempfile::tempdir().context("cannot make a temporary directory")?;
        let status = Command::new("go")
            .args(["build", "-buildvcs=false", "-ldflags=-s -w", "-o"])
            .arg(folder.path())
            .args(["./liveness", "./registrar"])
            .current_dir(workspace::path("interop/sidecars"))
            .status()
            .context("cannot run go")?;
        ensure!(status.success(), "interop/sidecars cannot be built");
        Ok(Some(Self { folder }))
    }

    pub(crate) fn liveness(&self) -> PathBuf {
        self.folder.path().join("liveness")
    }

    pub(crate) fn registrar(&self) -> PathBuf {
        self.folder.path().join("registrar")
    }

    /// Bytes of both.
    pub(crate) fn size(&self) -> Result<u64> {
        let size = |path: &Path| Ok::<_, anyhow::Error>(fs::metadata(path)?.len());
        Ok(size(&self.liveness())? + size(&self.registrar())?)
    }
}
