//! What stops the kernel on its way along a path.
//!
//! An errno says that something on the path is missing or closed. This module walks the path again, element by element
//! and through symbolic links, to say which. It is for messages only: between the failure and the walk the file system
//! may have changed, so nothing is decided by it.

use std::{
    ffi::OsString,
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{self, Stat},
    io::Errno,
};

use crate::file_kind::FileKind;

/// As many symbolic links as the kernel follows before it gives up with ELOOP (`path_resolution(7)`).
const MAX_LINKS: usize = 40;

/// The first element of a path at which a walk ends too early.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The element does not exist; for a dangling link this is the link's target.
    Missing(PathBuf),
    /// The element is no directory, though more path follows it.
    NotADirectory(PathBuf, FileKind),
    /// The element is a directory that this process may not search.
    NoSearch(PathBuf),
    /// Something else, and the element where it happened.
    Other(PathBuf, Errno),
}

/// Follows an absolute path to its end and says where that is and what is there.
pub(crate) fn walk(path: &Path) -> Result<(PathBuf, Stat), Obstacle> {
    let mut here = PathBuf::from("/");
    let mut stat = fs::lstat(&here).map_err(|errno| Obstacle::Other(here.clone(), errno))?;
    let mut ahead = reversed(path);
    let mut links = 0;
    while let Some(name) = ahead.pop() {
        if FileKind::of(&stat) != FileKind::Directory {
            return Err(Obstacle::NotADirectory(here, FileKind::of(&stat)));
        }
        let next = if name == ".." {
            here.parent().unwrap_or(&here).to_owned()
        } else {
            here.join(&name)
        };
        let found = fs::lstat(&next).map_err(|errno| obstacle(&here, &next, errno))?;
        if FileKind::of(&found) == FileKind::Symlink {
            links += 1;
            if links > MAX_LINKS {
                return Err(Obstacle::Other(next, Errno::LOOP));
            }
            let target = std::fs::read_link(&next)
                .map_err(|error| obstacle(&here, &next, as_errno(&error)))?;
            ahead.extend(reversed(&target));
            if target.is_absolute() {
                here = PathBuf::from("/");
            }
            stat = fs::lstat(&here).map_err(|errno| Obstacle::Other(here.clone(), errno))?;
        } else {
            here = next;
            stat = found;
        }
    }
    Ok((here, stat))
}

fn obstacle(here: &Path, next: &Path, errno: Errno) -> Obstacle {
    match errno {
        Errno::NOENT => Obstacle::Missing(next.to_owned()),
        // Looking at a file needs no permission on it, only the right to search the directory it is in.
        Errno::ACCESS => Obstacle::NoSearch(here.to_owned()),
        other => Obstacle::Other(next.to_owned(), other),
    }
}

/// The parts of a path, the first one last, so that they can be popped.
fn reversed(path: &Path) -> Vec<OsString> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    });
    let mut parts: Vec<_> = parts.collect();
    parts.reverse();
    parts
}

pub(crate) fn as_errno(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_first_element_that_stops_a_walk_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        std::fs::create_dir_all(at("a/b")).unwrap();
        std::fs::write(at("a/file"), "").unwrap();
        symlink("a/b", at("to_b")).unwrap();
        symlink(at("gone/away"), at("dangling")).unwrap();
        symlink("loop", at("loop")).unwrap();

        let cases = [
            ("a/b/c.sock", Obstacle::Missing(at("a/b/c.sock"))),
            ("x/y/c.sock", Obstacle::Missing(at("x"))),
            ("to_b/../x/c.sock", Obstacle::Missing(at("a/x"))),
            ("to_b/c.sock", Obstacle::Missing(at("a/b/c.sock"))),
            ("dangling/c.sock", Obstacle::Missing(at("gone"))),
            (
                "a/file/c.sock",
                Obstacle::NotADirectory(at("a/file"), FileKind::Regular),
            ),
            ("loop/c.sock", Obstacle::Other(at("loop"), Errno::LOOP)),
        ];
        for (path, expected) in cases {
            assert_eq!(walk(&at(path)).unwrap_err(), expected, "{path}");
        }
        for (path, end) in [
            ("to_b/../file", "a/file"),
            ("a/./b", "a/b"),
            ("to_b", "a/b"),
        ] {
            assert_eq!(walk(&at(path)).unwrap().0, at(end), "{path}");
        }
        assert_eq!(walk(Path::new("/../..")).unwrap().0, Path::new("/"));
    }
}
