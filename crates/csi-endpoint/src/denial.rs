//! Who was refused what at which element of a path.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use rustix::{
    fs::Stat,
    process::{getegid, geteuid, getgroups},
    thread::{CapabilitySet, capabilities},
};

/// What a process needs on an element of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// To search a directory, in order to go through it.
    Search,
    /// To write to a socket, in order to connect to it.
    Write,
    /// To read a directory, in order to lock it.
    Read,
    /// To write to a directory and search it, in order to make a socket in it.
    Create,
}

/// The element of a path that kept a process out, its owner and mode, and who that process is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Denial {
    /// The element of the path.
    pub element: PathBuf,
    /// Its owner.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// Its permission bits.
    pub mode: u32,
    /// What the process needed on it.
    pub need: Need,
    /// The effective user of the process.
    pub process_uid: u32,
    /// The effective group of the process.
    pub process_gid: u32,
    /// Whether owner, mode and capabilities would let the process in, so that something else must have refused it: a
    /// security module such as SELinux or AppArmor, or an access control list.
    pub mode_allows: bool,
}

impl Denial {
    pub(crate) fn new(element: &Path, stat: &Stat, need: Need) -> Self {
        Self {
            element: element.to_owned(),
            uid: stat.st_uid,
            gid: stat.st_gid,
            mode: stat.st_mode & 0o7777,
            need,
            process_uid: geteuid().as_raw(),
            process_gid: getegid().as_raw(),
            mode_allows: overrides(need) || allows(stat, need),
        }
    }
}

/// Whether the process stands above modes (`capabilities(7)`).
fn overrides(need: Need) -> bool {
    let Ok(sets) = capabilities(None) else {
        return false;
    };
    let reading = matches!(need, Need::Search | Need::Read);
    sets.effective.contains(CapabilitySet::DAC_OVERRIDE)
        || reading && sets.effective.contains(CapabilitySet::DAC_READ_SEARCH)
}

/// What the mode says; the first class that fits decides (`path_resolution(7)`).
fn allows(stat: &Stat, need: Need) -> bool {
    let in_group = || {
        getegid().as_raw() == stat.st_gid
            || getgroups().is_ok_and(|all| all.iter().any(|gid| gid.as_raw() == stat.st_gid))
    };
    let shift = if geteuid().as_raw() == stat.st_uid {
        6
    } else if in_group() {
        3
    } else {
        0
    };
    let wanted = match need {
        Need::Search => 0o1,
        Need::Write => 0o2,
        Need::Read => 0o4,
        Need::Create => 0o3,
    };
    stat.st_mode >> shift & wanted == wanted
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            element,
            uid,
            gid,
            mode,
            need,
            process_uid,
            process_gid,
            mode_allows,
        } = self;
        write!(
            f,
            "{} (uid {uid}, gid {gid}, mode {mode:04o}) ",
            element.display()
        )?;
        let who = format!("this process (uid {process_uid}, gid {process_gid})");
        if *mode_allows {
            write!(
                f,
                "would by its mode let {who} {need}; look at SELinux, AppArmor or access control lists"
            )
        } else {
            write!(
                f,
                "does not let {who} {need}; change its group or mode, or the user of the process"
            )
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Search => "go through it, which needs the execute bit",
            Self::Write => "connect, which needs the write bit",
            Self::Read => "lock it, which needs the read bit",
            Self::Create => "make a socket in it, which needs the write and execute bits",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_mode_allows_it_something_else_is_blamed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let stat = rustix::fs::lstat(file.path()).unwrap();
        let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
        assert_eq!(
            Denial::new(Path::new("/x"), &stat, Need::Write).to_string(),
            format!(
                "/x (uid {uid}, gid {}, mode 0600) would by its mode let this process (uid {uid}, gid {gid}) connect, \
                 which needs the write bit; look at SELinux, AppArmor or access control lists",
                stat.st_gid
            )
        );
    }

    #[test]
    fn the_first_class_that_fits_decides() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut stat = rustix::fs::lstat(file.path()).unwrap();
        for (mode, need, expected) in [
            (0o200, Need::Write, true),
            (0o077, Need::Write, false),
            (0o100, Need::Search, true),
            (0o677, Need::Search, false),
            (0o300, Need::Create, true),
            (0o200, Need::Create, false),
            (0o400, Need::Read, true),
        ] {
            stat.st_mode = mode;
            assert_eq!(allows(&stat, need), expected, "{mode:04o} {need:?}");
        }
        // Somebody else's, and of no group of ours.
        (stat.st_uid, stat.st_gid) = (stat.st_uid ^ 0x4000_0000, 0x4000_0001);
        stat.st_mode = 0o660;
        assert!(!allows(&stat, Need::Write));
        stat.st_mode = 0o002;
        assert!(allows(&stat, Need::Write));
    }
}
