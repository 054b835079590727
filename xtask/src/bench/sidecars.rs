use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::subject::Subject;
use crate::workspace;

/// Programs in Go that do what the Kubernetes sidecars do, with their library, and a plugin for them (`interop/sidecars`).
#[derive(Debug)]
pub(crate) struct Sidecars {
    folder: TempDir,
    version: String,
}

impl Sidecars {
    /// Builds them, where Go is installed.
    pub(crate) fn build() -> Result<Option<Self>> {
        let Ok(version) = Command::new("go").args(["env", "GOVERSION"]).output() else {
            return Ok(None);
        };
        let folder = tempfile::tempdir().context("cannot make a temporary directory")?;
        let status = Command::new("go")
            .args(["build", "-buildvcs=false", "-ldflags=-s -w", "-o"])
            .arg(folder.path())
            .args(["./liveness", "./registrar", "./plugin"])
            .current_dir(workspace::path(FOLDER))
            .status()
            .context("cannot run go")?;
        ensure!(status.success(), "{FOLDER} cannot be built");
        let compiler = String::from_utf8_lossy(&version.stdout);
        let modules = fs::read_to_string(workspace::path(FOLDER).join("go.mod"))
            .with_context(|| format!("cannot read {FOLDER}/go.mod"))?;
        let version = format!("{}, {}", compiler.trim(), grpc_version(&modules)?);
        Ok(Some(Self { folder, version }))
    }

    pub(crate) fn liveness(&self) -> PathBuf {
        self.folder.path().join("liveness")
    }

    pub(crate) fn registrar(&self) -> PathBuf {
        self.folder.path().join("registrar")
    }

    pub(crate) fn plugin(&self) -> PathBuf {
        self.folder.path().join("plugin")
    }

    /// The plugin, to be started as often as needed.
    pub(crate) fn subject(&self) -> Subject {
        Subject::of_one_argument(self.plugin())
    }

    /// Bytes of the two sidecars.
    pub(crate) fn size(&self) -> Result<u64> {
        let size = |path: &Path| Ok::<_, anyhow::Error>(fs::metadata(path)?.len());
        Ok(size(&self.liveness())? + size(&self.registrar())?)
    }

    /// Of Go and grpc-go, for people.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }
}

const FOLDER: &str = "interop/sidecars";

/// What a `go.mod` says of grpc-go.
fn grpc_version(modules: &str) -> Result<String> {
    let version = modules
        .lines()
        .find_map(|line| line.trim().strip_prefix("google.golang.org/grpc v"));
    let version = version.context("grpc-go is not in go.mod")?;
    Ok(format!("grpc-go {version}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_grpc_go_is_what_its_module_says() {
        let modules =
            "require (\n\tgoogle.golang.org/grpc/cmd v1.2.3\n\tgoogle.golang.org/grpc v1.85.0\n)\n";
        assert_eq!(grpc_version(modules).unwrap(), "grpc-go 1.85.0");
        assert_eq!(
            grpc_version("module a\n").unwrap_err().to_string(),
            "grpc-go is not in go.mod"
        );
    }
}
