//! What `/proc/self/mountinfo` says (`proc_pid_mountinfo(5)`).

use std::ffi::OsStr;
use std::io::{self, BufRead};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// One mount.
#[derive(Debug, PartialEq, Eq)]
struct Mount {
    id: u64,
    parent: u64,
    fs_type: String,
}

/// The type of the file system that is seen at `path`; nothing where none is mounted.
pub(super) fn fs_type_at(mut table: impl BufRead, path: &Path) -> io::Result<Option<String>> {
    let mut mounts = Vec::new();
    let mut line = Vec::new();
    while table.read_until(b'\n', &mut line)? > 0 {
        mounts.extend(mount_at(&line, path));
        line.clear();
    }
    // Mounts at one point lie on each other; the one that is seen has no other on it.
    let is_covered = |mount: &Mount| mounts.iter().any(|other| other.parent == mount.id);
    let top = mounts.iter().position(|mount| !is_covered(mount));
    Ok(top.map(|top| mounts.swap_remove(top).fs_type))
}

/// The mount that a line is about, if it is at `path`.
///
/// A line is `id parent major:minor root mount-point options [optional...] - type source options`.
fn mount_at(line: &[u8], path: &Path) -> Option<Mount> {
    let mut fields = line.split(u8::is_ascii_whitespace);
    let number = |field: Option<&[u8]>| std::str::from_utf8(field?).ok()?.parse().ok();
    let (id, parent) = (number(fields.next())?, number(fields.next())?);
    let point = unescaped(fields.nth(2)?);
    if Path::new(OsStr::from_bytes(&point)) != path {
        return None;
    }
    fields.find(|field| *field == b"-")?;
    let fs_type = String::from_utf8_lossy(&unescaped(fields.next()?)).into_owned();
    Some(Mount {
        id,
        parent,
        fs_type,
    })
}

/// Takes back what the kernel does to spaces, tabs, line ends, backslashes and `#`: `\040` is a space.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, after @ ..] = rest {
        let octal = match rest {
            [
                b'\\',
                a @ b'0'..=b'3',
                b @ b'0'..=b'7',
                c @ b'0'..=b'7',
                after @ ..,
            ] => Some((((a - b'0') << 6) | ((b - b'0') << 3) | (c - b'0'), after)),
            _ => None,
        };
        let (byte, after) = octal.unwrap_or((*first, after));
        plain.push(byte);
        rest = after;
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{fs_type_at, unescaped};

    const TABLE: &str = "\
22 1 252:0 / / rw,relatime - ext4 /dev/root rw
23 22 0:21 / /proc rw,nosuid shared:5 - proc proc rw
40 22 0:40 / /a\\040b\\134c rw shared:6 master:1 - nfs4 server:/export\\040x rw
41 22 0:41 / /auto rw - autofs systemd-1 rw
42 41 0:42 / /auto rw - nfs4 server:/auto rw
50 22 0:50 / /late rw - tmpfs x rw
49 50 0:49 / /late rw - xfs /dev/sdb rw
60 22 0:60 / /fuse rw - fuse.s3fs - rw
this is no mount
61 22 0:61 / /broken rw
";

    #[test]
    fn the_type_at_a_mount_point_is_that_of_the_mount_on_top() {
        for (path, fs_type) in [
            ("/", Some("ext4")),
            ("/proc", Some("proc")),
            ("/a b\\c", Some("nfs4")),
            ("/auto", Some("nfs4")),
            ("/late", Some("xfs")),
            ("/fuse", Some("fuse.s3fs")),
            ("/pro", None),
            ("/proc/self", None),
            ("/broken", None),
            ("/a", None),
        ] {
            let found = fs_type_at(TABLE.as_bytes(), Path::new(path)).unwrap();
            assert_eq!(found.as_deref(), fs_type, "{path}");
        }
    }

    #[test]
    fn only_three_octal_digits_are_an_escape() {
        for (field, plain) in [
            ("/a\\040b", "/a b"),
            ("\\011\\012\\134\\043", "\t\n\\#"),
            ("\\04", "\\04"),
            ("\\0488", "\\0488"),
            ("\\", "\\"),
            ("\\\\040", "\\ "),
            ("\\777", "\\777"),
            ("ä", "ä"),
        ] {
            assert_eq!(unescaped(field.as_bytes()), plain.as_bytes(), "{field}");
        }
    }
}
