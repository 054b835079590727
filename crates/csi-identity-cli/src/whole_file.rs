use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::Context as _;

/// Writes a file so that whoever reads it sees it whole, as it was or as it is.
pub(crate) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let write = || -> anyhow::Result<()> {
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        // As any file that is made here: the process's umask says who may read it.
        let mode = Permissions::from_mode(0o666);
        let mut draft = tempfile::Builder::new()
            .permissions(mode)
            .tempfile_in(directory)?;
        draft.write_all(text.as_bytes())?;
        draft.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
