use std::fmt;
use std::fs;
use std::path::Path;

use csi_identity::Reason;

/// The state of a listening socket in `/proc/net/tcp` (`include/net/tcp_states.h`).
const LISTEN: &str = "0A";

/// Who listens on a TCP port, as far as can be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PortHolder {
    /// A process that is visible from here.
    Process {
        /// Its pid.
        pid: u32,
        /// The name of its command, at most 15 bytes long (`/proc/PID/comm`).
        command: String,
    },
    /// One that is not: of another user, or in another container with the same network.
    NotVisible,
}

impl PortHolder {
    /// Looks for whoever listens on a port in this process's network namespace.
    pub(crate) fn of(port: u16) -> Self {
        Self::find(Path::new("/proc"), port).unwrap_or(Self::NotVisible)
    }

    fn find(proc: &Path, port: u16) -> Option<Self> {
        let links: Vec<String> = ["net/tcp", "net/tcp6"]
            .iter()
            .filter_map(|table| fs::read_to_string(proc.join(table)).ok())
            .flat_map(|table| {
                let inodes = table.lines().filter_map(|line| listener(line, port));
                inodes
                    .map(|inode| format!("socket:[{inode}]"))
                    .collect::<Vec<_>>()
            })
            .collect();
        if links.is_empty() {
            return None;
        }
        let processes = fs::read_dir(proc).ok()?.flatten();
        processes
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .find(|pid: &u32| has_open(&proc.join(pid.to_string()), &links))
            .map(|pid| Self::Process {
                pid,
                command: command(&proc.join(pid.to_string())),
            })
    }
}

/// The inode of the socket of a line, if it listens on the port.
fn listener(line: &str, port: u16) -> Option<&str> {
    let mut fields = line.split_ascii_whitespace();
    let (_, local_port) = fields.nth(1)?.rsplit_once(':')?;
    if u16::from_str_radix(local_port, 16) != Ok(port) || fields.nth(1)? != LISTEN {
        return None;
    }
    fields.nth(5)
}

fn has_open(process: &Path, links: &[String]) -> bool {
    let Ok(descriptors) = fs::read_dir(process.join("fd")) else {
        return false;
    };
    descriptors
        .flatten()
        .filter_map(|entry| fs::read_link(entry.path()).ok())
        .any(|target| links.iter().any(|link| target == Path::new(link)))
}

fn command(process: &Path) -> String {
    let name = fs::read(process.join("comm")).unwrap_or_default();
    Reason::from(&*String::from_utf8_lossy(&name)).to_string()
}

impl fmt::Display for PortHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process { pid, command } => write!(f, "process {pid} ({command})"),
            Self::NotVisible => f.write_str(
                "a process that is not visible from here (of another user, or in another container with the same network)",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2650 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0
   1: 0100007F:2651 0100007F:2650 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 20 4 30 10 -1
";

    #[test]
    fn a_listener_is_found_by_its_socket_and_a_connection_is_none() {
        let proc = tempfile::tempdir().unwrap();
        let at = |path: &str| proc.path().join(path);
        fs::create_dir_all(at("net")).unwrap();
        fs::create_dir_all(at("37/fd")).unwrap();
        fs::write(at("net/tcp"), TABLE).unwrap();
        assert_eq!(PortHolder::find(proc.path(), 9808), None);

        symlink("socket:[4712]", at("37/fd/3")).unwrap();
        symlink("socket:[4711]", at("37/fd/4")).unwrap();
        fs::write(at("37/comm"), "livenessprobe\n").unwrap();
        let found = PortHolder::find(proc.path(), 9808).unwrap();
        assert_eq!(found.to_string(), "process 37 (livenessprobe)");
        assert_eq!(PortHolder::find(proc.path(), 9809), None);
    }
}
