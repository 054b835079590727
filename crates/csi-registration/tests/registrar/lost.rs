//! The socket cannot be shown.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;

use csi_registration::{RegistrarOptions, State, Status};

use crate::support::{Answers, Rig, unprivileged, until};

/// What a registrar says that runs as somebody without rights, while the directory has this mode, and after that.
fn without_rights(mode: u32) -> (Status, Status, String) {
    let rig = Rig::new();
    for folder in [
        rig.root().to_owned(),
        rig.root().join("plugins"),
        rig.registry(),
    ] {
        fs::set_permissions(folder, Permissions::from_mode(0o777)).unwrap();
    }
    fs::set_permissions(
        rig.plugin_socket().parent().unwrap(),
        Permissions::from_mode(0o777),
    )
    .unwrap();
    let registry = rig.registry();
    fs::set_permissions(&registry, Permissions::from_mode(mode)).unwrap();
    let owner = fs::metadata(&registry).unwrap();
    let text = format!(
        "{} (uid {}, gid {}, mode {mode:04o})",
        registry.display(),
        owner.uid(),
        owner.gid()
    );
    // The owner of the directory gives the right back; that is us, outside.
    let open = |registry: PathBuf| fs::set_permissions(registry, Permissions::from_mode(0o777));
    let (go, gone) = std::sync::mpsc::channel::<PathBuf>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if let Ok(registry) = gone.recv() {
                open(registry).unwrap();
            }
        });
        // Who has no rights cannot remove the folders either.
        let (lost, shown, who, _rig) = unprivileged(async move |uid, gid| {
            let mut rig = rig;
            let _plugin = rig.plugin(Answers::default());
            rig.start(rig.options());
            let lost = rig.state(State::Lost).await;
            assert!(lost.problem && !lost.restart_needed);
            go.send(rig.registry()).unwrap();
            let shown = rig.state(State::WaitingForKubelet).await;
            let _ = rig.stop().await;
            let who = format!(
                "permission to bind {} denied: {text} does not let this process (uid {uid}, gid {gid})",
                rig.socket().display()
            );
            (lost, shown, who, rig)
        });
        (lost, shown, who)
    })
}

#[test]
fn a_directory_that_the_process_may_not_write_is_lost_until_it_may() {
    let (lost, shown, who) = without_rights(0o555);
    assert_eq!(
        lost.reason,
        format!(
            "{who} make a socket in it, which needs the write and execute bits; change its group or mode, or the user of \
             the process"
        )
    );
    assert!(shown.socket_is_shown && !shown.problem);
}

#[test]
fn a_directory_that_the_process_may_not_read_is_lost_until_it_may() {
    let (lost, _, who) = without_rights(0o333);
    assert_eq!(
        lost.reason,
        format!(
            "{who} lock it, which needs the read bit; change its group or mode, or the user of the process"
        )
    );
}

#[tokio::test]
async fn a_directory_that_goes_while_the_socket_is_shown_is_lost_and_the_time_of_that_is_kept() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    rig.state(State::WaitingForKubelet).await;
    fs::remove_dir_all(rig.registry()).unwrap();
    let lost = rig.state(State::Lost).await;
    assert!(!lost.socket_is_shown);
    // Looking again and finding the same is no change.
    let mut changes = rig.watch();
    changes.mark_unchanged();
    let again = tokio::time::timeout(std::time::Duration::from_secs(3), changes.changed());
    assert!(again.await.is_err(), "{:?}", rig.status());
}

#[tokio::test]
async fn a_name_too_long_for_the_directory_here_is_lost_and_stays_so_until_the_plugin_has_another()
{
    let mut rig = Rig::new();
    let long = format!("{}.example.org", "d".repeat(48));
    let room = 107 - rig.root().as_os_str().len() - "//-reg.sock".len() - long.len();
    let directory = rig.root().join("r".repeat(room + 1));
    fs::create_dir(&directory).unwrap();
    let short = rig.plugin(Answers::default());
    rig.start(RegistrarOptions {
        directory: directory.clone(),
        // That of the kubelet is short enough.
        kubelet_root: Some("/k".into()),
        ..rig.options()
    });
    rig.state(State::WaitingForKubelet).await;
    short.kill().await;
    let plugin = rig.plugin(Answers {
        info: Ok((long.clone(), "1.0.0".to_owned())),
        ..Answers::default()
    });
    let lost = rig.state(State::Lost).await;
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
    let socket = directory.join(format!("{long}-reg.sock"));
    assert_eq!(
        lost.reason,
        format!(
            "socket path {} is 108 bytes long, the limit is 107; choose a shorter directory or file name",
            socket.display()
        )
    );
    assert!(lost.problem);
    assert_eq!(lost.driver.as_deref(), Some(&*long));
    let mut changes = rig.watch();
    changes.mark_unchanged();
    let again = tokio::time::timeout(std::time::Duration::from_secs(2), changes.changed());
    assert!(again.await.is_err(), "{:?}", rig.status());

    plugin.kill().await;
    let _plugin = rig.plugin(Answers::default());
    rig.state(State::WaitingForKubelet).await;
    until("shown", || {
        directory.join("disk.example.org-reg.sock").exists()
    })
    .await;
}
