//! Something at a path.

use std::io;

use super::lane::Lane;
use crate::AbsolutePath;

#[derive(Debug)]
pub(super) struct PathProbe {
    path: AbsolutePath,
    lane: Lane<io::Result<()>>,
}

impl PathProbe {
    pub(super) fn new(path: AbsolutePath) -> Self {
        Self {
            path,
            lane: Lane::new(),
        }
    }

    pub(super) async fn run(&mut self) -> Result<(), String> {
        let path = self.path.clone();
        let look = move || std::fs::metadata(path.as_path()).map(drop);
        match self.lane.call(look).await? {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(format!("nothing is at {}", self.path))
            }
            Err(error) => Err(format!("cannot look at {}: {error}", self.path)),
        }
    }

    pub(super) fn doing(&self) -> String {
        format!("looking at {}, which hangs", self.path)
    }
}
