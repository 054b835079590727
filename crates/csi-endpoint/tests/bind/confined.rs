//! What a process is told that lacks rights, room or sight.
//!
//! Rights are taken from a thread (Linux has them per thread), the rest from a child in namespaces of its own.

use std::{
    env, fs,
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        net::UnixListener as StdListener,
    },
    path::Path,
    process::Command,
};

use csi_endpoint::{BindError, BindOptions, Endpoint, Listener};

use crate::unprivileged::unprivileged;

fn bind(path: &Path) -> Result<Listener, BindError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .unwrap();
    let _guard = runtime.enter();
    Listener::bind(&Endpoint::from_path(path).unwrap(), &BindOptions::default())
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn the_directory_that_shuts_a_process_out_is_named() {
    let dir = tempfile::tempdir().unwrap();
    set_mode(dir.path(), 0o755);
    let (parent, inner) = (dir.path().join("a"), dir.path().join("a/b"));
    fs::create_dir_all(&inner).unwrap();
    let socket = inner.join("csi.sock");
    let cases = [
        (
            0o600,
            0o777,
            &parent,
            "go through it, which needs the execute bit",
        ),
        (0o777, 0o300, &inner, "lock it, which needs the read bit"),
        (
            0o777,
            0o555,
            &inner,
            "make a socket in it, which needs the write and execute bits",
        ),
    ];
    for (parent_mode, inner_mode, element, need) in cases {
        set_mode(&inner, inner_mode);
        set_mode(&parent, parent_mode);
        let (message, uid, gid) =
            unprivileged(|uid, gid| (bind(&socket).unwrap_err().to_string(), uid, gid));
        let file = fs::metadata(element).unwrap();
        assert_eq!(
            message,
            format!(
                "permission to bind {} denied: {} (uid {}, gid {}, mode {:04o}) does not let this process (uid {uid}, gid {gid}) \
                 {need}; change its group or mode, or the user of the process",
                socket.display(),
                element.display(),
                file.uid(),
                file.gid(),
                file.mode() & 0o7777,
            )
        );
        set_mode(&parent, 0o777);
        set_mode(&inner, 0o777);
        assert_eq!(fs::read_dir(&inner).unwrap().count(), 0);
    }
}

#[test]
fn a_socket_that_cannot_be_asked_whether_it_is_live_stays() {
    let dir = tempfile::tempdir().unwrap();
    set_mode(dir.path(), 0o777);
    let socket = dir.path().join("csi.sock");
    drop(StdListener::bind(&socket).unwrap());
    set_mode(&socket, 0o400);
    let (message, uid, gid) =
        unprivileged(|uid, gid| (bind(&socket).unwrap_err().to_string(), uid, gid));
    let file = fs::metadata(&socket).unwrap();
    assert_eq!(
        message,
        format!(
            "permission to bind {0} denied: {0} (uid {1}, gid {2}, mode 0400) does not let this process (uid {uid}, gid {gid}) \
             connect, which needs the write bit; change its group or mode, or the user of the process",
            socket.display(),
            file.uid(),
            file.gid(),
        )
    );
}

/// The body of the children below: binds the path it is told and prints the error.
#[test]
#[ignore = "runs inside the namespaces that other tests make"]
fn child() {
    let path = env::var_os("CHILD_BINDS").unwrap();
    println!("\nchild: {}", bind(Path::new(&path)).unwrap_err());
}

/// Runs `child` on a path in new namespaces, after a shell command in them. `None`, with the reason on standard
/// output, where this machine does not allow them.
fn in_namespaces(kinds: &[&str], command: &str, path: &Path) -> Option<String> {
    let mut unshare = Command::new("unshare");
    unshare.args(["--user", "--map-root-user"]).args(kinds);
    match unshare.arg("true").output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            println!(
                "skipped, no namespaces here: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            return None;
        }
        Err(error) => {
            println!("skipped, no unshare here: {error}");
            return None;
        }
    }
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user"])
        .args(kinds)
        .args(["sh", "-c", &format!("{command} && exec \"$0\" \"$@\"")])
        .arg(env::current_exe().unwrap())
        .args(["--exact", "confined::child", "--ignored", "--nocapture"])
        .env("CHILD_BINDS", path)
        .env("DIRECTORY", path.parent().unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|line| line.strip_prefix("child: "));
    Some(
        line.unwrap_or_else(|| panic!("the child said {text}"))
            .to_owned(),
    )
}

#[test]
fn a_read_only_file_system_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mount = "mount -t tmpfs -o ro none \"$DIRECTORY\"";
    let Some(message) = in_namespaces(&["--mount"], mount, &dir.path().join("csi.sock")) else {
        return;
    };
    assert_eq!(
        message,
        format!(
            "no socket can be made in {}, because its file system is read-only; mount it writable, or choose another directory",
            dir.path().display()
        )
    );
}

#[test]
fn a_full_file_system_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mount = "mount -t tmpfs -o nr_inodes=1 none \"$DIRECTORY\"";
    let Some(message) = in_namespaces(&["--mount"], mount, &dir.path().join("csi.sock")) else {
        return;
    };
    assert_eq!(
        message,
        format!(
            "no socket can be made in {}, because its file system has no space, inode or quota left",
            dir.path().display()
        )
    );
}

#[test]
fn a_holder_in_another_pid_namespace_is_called_so() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("csi.sock");
    let _live = StdListener::bind(&socket).unwrap();
    let Some(message) = in_namespaces(&["--pid", "--fork"], "true", &socket) else {
        return;
    };
    assert_eq!(
        message,
        format!(
            "socket {} is in use by a process of another pid namespace (its pid is not visible here); stop that first, \
             or choose another path",
            socket.display()
        )
    );
}
