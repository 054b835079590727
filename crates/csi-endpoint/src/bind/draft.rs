//! A socket under its hidden name, before anybody may see it.

use std::{
    os::fd::{AsFd, AsRawFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{self, AtFlags, CWD, Gid, Mode, OFlags},
    io::Errno,
    net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with},
};

use super::{
    BindError, BindOptions,
    error::Step,
    occupant::{self, Occupant},
};
use crate::{Endpoint, SocketMode, locked_directory::LockedDirectory, socket_file::FileId};

/// Connections that wait to be accepted; the kernel caps it at `net.core.somaxconn` (4096 by default).
const BACKLOG: i32 = 1024;

/// How much of a file name the hidden name takes over, in bytes.
///
/// With it, `/proc/self/fd/`, ten digits, a slash and the dot stay within [`Endpoint::MAX_LEN`]. Two names that agree so
/// far share a hidden name, one after the other, because both use it under the lock only.
const KEPT: usize = 80;

/// A bound and listening socket that is not published yet; dropping it removes its file.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    directory: &'a LockedDirectory,
    name: String,
    id: FileId,
    published: bool,
}

impl<'a> Draft<'a> {
    /// Binds the hidden name, sets group and mode, and listens.
    ///
    /// What a killed process left under that name is replaced, as it would be under the published one. Beside the socket
    /// comes a descriptor of its file.
    pub(super) fn make(
        directory: &'a LockedDirectory,
        endpoint: &Endpoint,
        options: &BindOptions,
    ) -> Result<(Self, OwnedFd, OwnedFd), BindError> {
        let name = hidden_name(endpoint.file_name());
        let shown = endpoint.directory().join(&name);
        let os = |step, errno| BindError::os(endpoint, step, &shown, errno);
        let address = address(directory, &name);
        match occupant::of(directory, &name, &address).map_err(|errno| os(Step::LookAt, errno))? {
            Occupant::Nobody => {}
            Occupant::Stale => directory
                .unlink(&name)
                .map_err(|errno| os(Step::Remove, errno))?,
            Occupant::Live(holder) => {
                return Err(BindError::InUse {
                    path: shown,
                    holder,
                });
            }
            Occupant::NotASocket(kind) => return Err(BindError::NotASocket { path: shown, kind }),
        }
        let fd = bound(&address).map_err(|errno| os(Step::Bind, errno))?;
        let draft = Self::of_bound(directory, name).map_err(|errno| os(Step::LookAt, errno))?;
        let file = draft.open_up(endpoint, options)?;
        listen(&fd, BACKLOG).map_err(|errno| os(Step::Listen, errno))?;
        Ok((draft, fd, file))
    }

    fn of_bound(directory: &'a LockedDirectory, name: String) -> Result<Self, Errno> {
        match directory.stat(&name) {
            Ok(Some(stat)) => Ok(Self {
                directory,
                id: FileId::of(&stat),
                name,
                published: false,
            }),
            Ok(None) => Err(Errno::NOENT),
            Err(errno) => {
                // It was made a moment ago, under the lock, so it is ours; and the first error is the one to report.
                let _ = directory.unlink(&name);
                Err(errno)
            }
        }
    }

    /// Sets the group and then the mode, so that at no time a wrong group has the right to connect.
    ///
    /// This goes through a descriptor of the very file: a mode set by path would follow a symbolic link that somebody
    /// put there meanwhile.
    fn open_up(&self, endpoint: &Endpoint, options: &BindOptions) -> Result<OwnedFd, BindError> {
        let path = || endpoint.path().to_owned();
        let os = |errno| BindError::os(endpoint, Step::Open, &self.shown(), errno);
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = fs::openat(self.directory, &*self.name, flags, Mode::empty()).map_err(os)?;
        let stat = fs::fstat(&file).map_err(os)?;
        if FileId::of(&stat) != self.id {
            return Err(os(Errno::STALE));
        }
        if let Some(group) = options.group {
            // The kernel takes the highest number for "leave it as it is".
            let id = if group == u32::MAX {
                Err(Errno::INVAL)
            } else {
                Ok(Gid::from_raw(group))
            };
            id.and_then(|id| fs::chownat(&file, "", None, Some(id), AtFlags::EMPTY_PATH))
                .map_err(|errno| BindError::Group {
                    path: path(),
                    group,
                    source: errno.into(),
                })?;
        }
        let mode = options.mode;
        if stat.st_mode & 0o7777 != mode.bits() {
            let link = format!("/proc/self/fd/{}", file.as_raw_fd());
            fs::chmodat(
                CWD,
                link,
                Mode::from_raw_mode(mode.bits()),
                AtFlags::empty(),
            )
            .map_err(|errno| BindError::Mode {
                path: path(),
                mode,
                source: errno.into(),
            })?;
        }
        Ok(file)
    }

    /// The path, for messages.
    fn shown(&self) -> PathBuf {
        self.directory.path().join(&self.name)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn id(&self) -> FileId {
        self.id
    }

    /// Says that the hidden name is gone, because it was renamed.
    pub(super) fn published(mut self) {
        self.published = true;
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if self.published {
            return;
        }
        if let Err(error) = self.directory.unlink(&self.name) {
            tracing::warn!(socket = %self.shown().display(), %error, "hidden socket file stays behind");
        }
    }
}

/// A new socket, bound but not listening.
///
/// Its file takes the mode of the descriptor (Linux, `unix_bind`) less the umask, so it is private from the start.
fn bound(address: &Path) -> Result<OwnedFd, Errno> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let fd = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    fs::fchmod(&fd, Mode::from_raw_mode(SocketMode::default().bits()))?;
    bind(&fd, &SocketAddrUnix::new(address)?)?;
    Ok(fd)
}

/// The name a socket is bound under. It follows from the file name alone, so that leftovers are found again.
fn hidden_name(file_name: &str) -> String {
    format!(".{}", &file_name[..file_name.floor_char_boundary(KEPT)])
}

/// A path to a name in the directory that fits into a socket address.
fn address(directory: &LockedDirectory, name: &str) -> PathBuf {
    let plain = directory.path().join(name);
    if plain.as_os_str().len() <= Endpoint::MAX_LEN {
        return plain;
    }
    format!("/proc/self/fd/{}/{name}", directory.as_fd().as_raw_fd()).into()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::MetadataExt};

    use super::*;

    #[test]
    fn a_socket_is_private_from_its_first_moment() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.sock");
        let _fd = bound(&path).unwrap();
        assert_eq!(fs::metadata(path).unwrap().mode() & 0o7177, 0);
    }

    #[test]
    fn a_hidden_name_follows_from_the_file_name_and_is_never_too_long() {
        let cases = [
            ("csi.sock", ".csi.sock".to_owned()),
            ("a", ".a".to_owned()),
            (&"n".repeat(81), format!(".{}", "n".repeat(80))),
            (
                &format!("{}ü", "n".repeat(79)),
                format!(".{}", "n".repeat(79)),
            ),
        ];
        for (file_name, hidden) in cases {
            assert_eq!(hidden_name(file_name), hidden);
        }
        assert!(format!("/proc/self/fd/{}/.", i32::MAX).len() + KEPT <= Endpoint::MAX_LEN);
    }
}
