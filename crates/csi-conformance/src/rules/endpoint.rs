//! The socket's file and what is around it.

use super::each;
use crate::{Rule, SocketFile, Theme};

const THEME: Theme = Theme::Endpoint;
const CONFIGURATION: &str = "CSI spec.md, Configuration and Operation";

/// Users who are not known in this user namespace.
const OVERFLOW_USER: u32 = 65534;

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: CONFIGURATION,
        why: "The specification wants it, and tools that look for sockets look for the name. No caller known here refuses another.",
        go: "CSI_ENDPOINT=unix:///csi/csi.sock in the manifest",
        rust: "CSI_ENDPOINT=unix:///csi/csi.sock in the manifest",
        check: |seen| {
            each(seen, |socket| {
                (!socket.path.ends_with(".sock")).then(|| format!("the socket is {}", socket.path))
            })
        },
        ..Rule::must("CSI-ID-160", THEME, "the path ends in .sock")
    },
    Rule {
        clause: "unix(7): who may write to a socket may connect to it",
        why: "Every local user may call the plugin, which works as root on the node: publish volumes, read secrets' effects, delete data.",
        go: "syscall.Umask(0o077) before net.Listen, or os.Chmod(path, 0o660) and a group",
        rust: "csi_endpoint binds with 0600; SocketMode and a group give access to more",
        check: |seen| {
            file(seen, |file| {
                (file.mode & 0o002 != 0).then(|| format!("its mode is {:04o}", file.mode))
            })
        },
        ..Rule::advice("CSI-ID-161", THEME, "not everybody may connect")
    },
    Rule {
        clause: "unix(7)",
        why: "The owner of the file can remove or replace it, and may not be who answers on it.",
        go: "let the plugin create the socket itself, in a directory of its own",
        rust: "let the plugin create the socket itself, in a directory of its own",
        check: |seen| {
            file(seen, |file| {
                let listener = file.listener.filter(|&user| user != OVERFLOW_USER)?;
                (listener != file.owner).then(|| {
                    format!(
                        "its owner is user {}, user {listener} listens on it",
                        file.owner
                    )
                })
            })
        },
        ..Rule::advice("CSI-ID-162", THEME, "who listens owns the file")
    },
    Rule {
        clause: "path_resolution(7)",
        why: "Whoever may write to the directory can put a socket of theirs in its place, and be called with the secrets of volumes.",
        go: "os.MkdirAll(directory, 0o700)",
        rust: "a directory of mode 0700",
        check: |seen| {
            file(seen, |file| {
                let everybody =
                    file.directory_mode & 0o002 != 0 && file.directory_mode & 0o1000 == 0;
                everybody.then(|| format!("the directory's mode is {:04o}", file.directory_mode))
            })
        },
        ..Rule::advice("CSI-ID-163", THEME, "not everybody may replace the socket")
    },
    Rule {
        clause: "unix(7): a socket's path has at most 107 bytes",
        why: "What is mounted elsewhere or made beside it (another root, a temporary name, a registrar's socket) gets too long.",
        go: "a shorter directory or file name",
        rust: "a shorter directory or file name; csi_endpoint::Endpoint::MAX_LEN is 107",
        check: |seen| {
            each(seen, |socket| {
                let len = socket.path.len();
                (len >= 100).then(|| format!("the path has {len} bytes"))
            })
        },
        ..Rule::advice("CSI-ID-164", THEME, "the path leaves some room")
    },
    Rule {
        clause: CONFIGURATION,
        why: "A plugin makes nothing in that directory but its socket; others mount it and look for sockets in it.",
        go: "put lock, pid and log files elsewhere",
        rust: "put lock, pid and log files elsewhere",
        implied_by: &["CSI-ID-174"],
        check: |seen| {
            file(seen, |file| {
                // One like /tmp belongs to everybody.
                let is_shared = file.directory_mode & 0o1000 != 0;
                (!file.beside.is_empty() && !is_shared)
                    .then(|| format!("beside it: {}", some(&file.beside)))
            })
        },
        ..Rule::advice("CSI-ID-165", THEME, "the socket is alone in its directory")
    },
    Rule {
        clause: "kubelet to 1.24 (plugin_watcher.go): links are not followed when it starts",
        why: "The link can lead to a socket that is not there any more, or not there yet for who mounts the directory alone.",
        go: "bind at the path itself",
        rust: "bind at the path itself",
        check: |seen| {
            file(seen, |file| {
                file.is_link.then(|| "it is a symbolic link".to_owned())
            })
        },
        ..Rule::advice("CSI-ID-166", THEME, "the path is the socket itself")
    },
    Rule {
        clause: "kubelet 1.20 to 1.36 (plugin_watcher.go)",
        why: "Kubelets and tools skip files whose name begins with a dot.",
        go: "another file name: csi.sock",
        rust: "another file name: csi.sock",
        check: |seen| {
            each(seen, |socket| {
                let name = socket
                    .path
                    .rsplit_once('/')
                    .map_or(&*socket.path, |(_, name)| name);
                name.starts_with('.')
                    .then(|| format!("the file is called {name}"))
            })
        },
        ..Rule::advice(
            "CSI-ID-167",
            THEME,
            "the file's name does not begin with a dot",
        )
    },
];

fn file(
    seen: &crate::Observation,
    against: fn(&SocketFile) -> Option<String>,
) -> Vec<crate::Evidence> {
    each(seen, |socket| against(socket.file.as_ref()?))
}

/// The first of many names.
pub(super) fn some(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let mut text = names
        .iter()
        .take(SHOWN)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}
