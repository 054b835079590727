//! What the repair costs per read, which `csi-endpoint` measures itself.

use std::{env, process::Command};

use anyhow::{Context, Result, ensure};

use crate::workspace;

/// The table that `cargo bench` prints.
pub(super) fn measure() -> Result<String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["bench", "--quiet", "--locked", "--package", "csi-endpoint"])
        .args(["--bench", "passthrough"])
        .current_dir(workspace::path(""))
        .output()
        .context("cannot run cargo")?;
    ensure!(
        output.status.success(),
        "cargo bench failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).context("cargo bench printed no text")
}
