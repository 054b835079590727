//! Where things are in this workspace.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

/// A path given from the root of the workspace, which is the directory around this crate's.
pub(crate) fn path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Builds a binary of the release profile and tells where it is; `options` changes how `cargo rustc` is called.
pub(crate) fn build(
    package: &str,
    binary: &str,
    options: impl FnOnce(&mut Command),
) -> Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // Each on its own, so that no build changes what another is made with.
    command
        .args(["rustc", "--quiet", "--locked", "--release"])
        .args(["--package", package, "--bin", binary])
        .current_dir(path(""));
    options(&mut command);
    let status = command.status().context("cannot run cargo")?;
    ensure!(status.success(), "{package} cannot be built");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| path("target"), PathBuf::from);
    Ok(path("").join(target).join("release").join(binary))
}

/// The version of a dependency in the lock file.
pub(crate) fn locked_version(package: &str) -> Result<String> {
    let lock = fs::read_to_string(path("Cargo.lock")).context("cannot read Cargo.lock")?;
    let name = format!("name = {package:?}");
    let mut lines = lock.lines().skip_while(|line| **line != name);
    lines
        .nth(1)
        .and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .with_context(|| format!("{package} is not in Cargo.lock"))
}

/// Writes a page of the documentation, and says so.
pub(crate) fn write_page(page: &str, text: &str, out: &mut impl Write) -> Result<()> {
    let path = path(page);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
    }
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    writeln!(out, "written: {page}")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_from_the_lock_file() {
        assert_eq!(locked_version("xtask").unwrap(), env!("CARGO_PKG_VERSION"));
        assert_eq!(
            locked_version("no-such-package").unwrap_err().to_string(),
            "no-such-package is not in Cargo.lock"
        );
    }
}
