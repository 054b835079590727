use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use csi_identity::{CheckPolicy, CheckTarget, GrpcProbe, Readiness};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

use crate::namespaces::run_again;
use crate::watched::{PATIENT, QUICK, Watched, complaint};

fn path(path: &Path) -> CheckTarget {
    CheckTarget::Path {
        path: path.to_str().unwrap().parse().unwrap(),
    }
}

fn mount_point(path: &Path, fs_type: Option<&str>) -> CheckTarget {
    CheckTarget::Mount {
        path: path.to_str().unwrap().parse().unwrap(),
        fs_type: fs_type.map(|name| name.parse().unwrap()),
    }
}

#[tokio::test]
async fn whatever_is_at_a_path_passes_and_nothing_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    File::create(&file).unwrap();
    let link = folder.path().join("link");
    symlink(&file, &link).unwrap();
    let dangling = folder.path().join("dangling");
    symlink("nowhere", &dangling).unwrap();
    let below_file = file.join("x");
    for (at, expected) in [
        (folder.path(), None),
        (&*file, None),
        (&*link, None),
        (Path::new("/dev/null"), None),
        (
            &*folder.path().join("missing"),
            Some(format!("nothing is at {}/missing", folder.path().display())),
        ),
        (
            &*dangling,
            Some(format!("nothing is at {}", dangling.display())),
        ),
        (
            &*below_file,
            Some(format!(
                "cannot look at {}: Not a directory (os error 20)",
                below_file.display()
            )),
        ),
    ] {
        assert_eq!(complaint(path(at), PATIENT).await, expected, "{at:?}");
    }
}

#[tokio::test]
async fn a_mount_point_passes_by_any_way_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link");
    symlink("/proc", &link).unwrap();
    let missing = folder.path().join("missing");
    for (at, fs_type, expected) in [
        (Path::new("/proc"), None, None),
        (Path::new("/proc"), Some("proc"), None),
        (Path::new("//proc/./"), Some("proc"), None),
        (Path::new("/dev/../proc"), Some("proc"), None),
        (&*link, Some("proc"), None),
        (
            Path::new("/proc"),
            Some("nfs4"),
            Some("proc is mounted at /proc, expected nfs4".to_owned()),
        ),
        (
            folder.path(),
            None,
            Some(format!("nothing is mounted at {}", folder.path().display())),
        ),
        (
            Path::new("/proc/self"),
            None,
            Some("nothing is mounted at /proc/self".to_owned()),
        ),
        (
            &*missing,
            None,
            Some(format!("nothing is at {}", missing.display())),
        ),
    ] {
        let found = complaint(mount_point(at, fs_type), PATIENT).await;
        assert_eq!(found, expected, "{at:?} {fs_type:?}");
    }
}

#[test]
fn a_mount_is_followed_and_a_hanging_one_is_a_failure() {
    for test in [
        "file_system::in_a_mount_namespace_a_mount_is_followed",
        "file_system::in_a_mount_namespace_a_file_system_hangs",
        "file_system::in_a_mount_namespace_a_socket_is_in_a_file_system_that_hangs",
    ] {
        run_again(test, &["--mount"]);
    }
}

#[tokio::test]
#[ignore = "a_mount_is_followed_and_a_hanging_one_is_a_failure runs it in a mount namespace"]
async fn in_a_mount_namespace_a_mount_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("with space\tand \\ ü");
    std::fs::create_dir(&at).unwrap();
    let mut watched = Watched::one(mount_point(&at, Some("tmpfs")), QUICK);
    // Reasons have no tabs.
    let shown = at.display().to_string().replace('\t', " ");
    let nothing = format!("x: nothing is mounted at {shown}");
    watched.until_reason(&nothing).await;
    mount("x", &at, "tmpfs", MountFlags::empty(), None).unwrap();
    watched.until(Readiness::is_ready).await;
    mount("x", &at, "ramfs", MountFlags::empty(), None).unwrap();
    let covered = format!("x: ramfs is mounted at {shown}, expected tmpfs");
    watched.until_reason(&covered).await;
    unmount(&at, UnmountFlags::empty()).unwrap();
    watched.until(Readiness::is_ready).await;
    unmount(&at, UnmountFlags::empty()).unwrap();
    watched.until_is(&Readiness::not_ready(nothing)).await;
}

#[tokio::test]
#[ignore = "a_mount_is_followed_and_a_hanging_one_is_a_failure runs it in a mount namespace"]
async fn in_a_mount_namespace_a_file_system_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("hanging");
    std::fs::create_dir(&at).unwrap();
    let hanging = match hang(&at) {
        Ok(hanging) => hanging,
        Err(error) => return println!("skipped, no FUSE: {error}"),
    };
    let policy = CheckPolicy {
        failure_threshold: 4,
        ..QUICK
    };
    let mut watched = Watched::one(path(&at), policy);
    watched
        .until_reason(&format!(
            "x: no result within 50ms: looking at {}, which hangs",
            at.display()
        ))
        .await;
    assert_eq!(threads_of_checks(), 1, "four runs, one call");
    // The mount is there all the same, and to see that needs nothing of its server.
    assert_eq!(
        complaint(mount_point(&at, Some("fuse")), PATIENT).await,
        None
    );

    drop(hanging);
    let dead = format!(
        "cannot look at {}: Transport endpoint is not connected (os error 107)",
        at.display()
    );
    watched
        .until(|readiness| readiness.to_string().ends_with(&dead))
        .await;
    unmount(&at, UnmountFlags::DETACH).unwrap();
    watched.until(Readiness::is_ready).await;
}

#[tokio::test]
#[ignore = "a_mount_is_followed_and_a_hanging_one_is_a_failure runs it in a mount namespace"]
async fn in_a_mount_namespace_a_socket_is_in_a_file_system_that_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("hanging");
    std::fs::create_dir(&at).unwrap();
    let hanging = match hang(&at) {
        Ok(hanging) => hanging,
        Err(error) => return println!("skipped, no FUSE: {error}"),
    };
    let socket = at.join("csi.sock").display().to_string();
    let target = CheckTarget::Grpc {
        endpoint: format!("unix://{socket}"),
        probe: GrpcProbe::CsiProbe,
    };
    let mut watched = Watched::one(target, QUICK);
    watched
        .until_reason(&format!(
            "x: no result within 50ms: looking at {socket}, which hangs"
        ))
        .await;
    // The runtime goes on all the while, and so does what is well.
    assert_eq!(complaint(path(folder.path()), PATIENT).await, None);

    drop(hanging);
    watched
        .until(|readiness| readiness.to_string().contains("not connected"))
        .await;
    unmount(&at, UnmountFlags::DETACH).unwrap();
}

/// A mount whose server answers nothing until this is dropped; then it fails all that waits for it.
///
/// After some time it does so by itself, so that a runtime that hangs with it ends in an error.
fn hang(at: &Path) -> io::Result<mpsc::Sender<()>> {
    let server = File::options().read(true).write(true).open("/dev/fuse")?;
    let options = format!(
        "fd={},rootmode=40000,user_id=0,group_id=0\0",
        server.as_raw_fd()
    );
    let options = std::ffi::CStr::from_bytes_with_nul(options.as_bytes()).unwrap();
    mount("x", at, "fuse", MountFlags::empty(), options).unwrap();
    let (hanging, released) = mpsc::channel::<()>();
    thread::spawn(move || {
        // An error either way: it is dropped, or the time is over.
        let _ = released.recv_timeout(Duration::from_secs(15));
        drop(server);
    });
    Ok(hanging)
}

fn threads_of_checks() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    tasks
        .filter(|task| {
            let name = task.as_ref().unwrap().path().join("comm");
            // A thread may end meanwhile.
            std::fs::read_to_string(name).is_ok_and(|name| name == "check\n")
        })
        .count()
}
