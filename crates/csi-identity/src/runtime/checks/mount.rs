//! A mount point.

use std::fs::File;
use std::io::{self, BufReader};

use super::lane::Lane;
use super::mount_table;
use crate::{AbsolutePath, FsType};

/// The mounts of this process (`proc_pid_mountinfo(5)`).
const MOUNTS: &str = "/proc/self/mountinfo";

#[derive(Debug)]
pub(super) struct MountProbe {
    path: AbsolutePath,
    fs_type: Option<FsType>,
    lane: Lane<Result<Option<String>, String>>,
}

impl MountProbe {
    pub(super) fn new(path: AbsolutePath, fs_type: Option<FsType>) -> Self {
        Self {
            path,
            fs_type,
            lane: Lane::new(),
        }
    }

    pub(super) async fn run(&mut self) -> Result<(), String> {
        let path = self.path.clone();
        let mounted = self.lane.call(move || mounted_at(&path)).await??;
        match (mounted, &self.fs_type) {
            (None, _) => Err(format!("nothing is mounted at {}", self.path)),
            (Some(found), Some(expected)) if found != expected.as_str() => Err(format!(
                "{found} is mounted at {}, expected {expected}",
                self.path
            )),
            (Some(_), _) => Ok(()),
        }
    }

    pub(super) fn doing(&self) -> String {
        format!("looking for a mount at {}, which hangs", self.path)
    }
}

/// The type of file system mounted at a path.
///
/// The table is asked for the path as it stands first: that needs nothing of the file system mounted there, which may
/// hang. Only where the table does not have it are symbolic links looked for.
fn mounted_at(path: &AbsolutePath) -> Result<Option<String>, String> {
    let look_up = |path| {
        let table = BufReader::new(File::open(MOUNTS)?);
        mount_table::fs_type_at(table, path)
    };
    let unread = |error: io::Error| format!("cannot read {MOUNTS}: {error}");
    // Doubled and closing slashes and `.` are gone from the components.
    let plain = path.as_path().components().collect::<std::path::PathBuf>();
    if let Some(found) = look_up(&plain).map_err(unread)? {
        return Ok(Some(found));
    }
    match path.as_path().canonicalize() {
        Ok(real) if real == plain => Ok(None),
        Ok(real) => look_up(&real).map_err(unread),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(format!("nothing is at {path}"))
        }
        Err(error) => Err(format!("cannot look at {path}: {error}")),
    }
}
