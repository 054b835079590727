//! What becomes of a directory that is mounted: each test runs in a mount namespace of its own.

use std::fs;
use std::time::{Duration, Instant};

use csi_registration::State;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_change,
    mount_remount, unmount,
};

use crate::support::{Answers, Rig, run_again, until};

#[test]
fn a_directory_removed_while_it_is_mounted_needs_a_restart_and_is_used_when_mounted_anew() {
    run_again("mounts::in_a_mount_namespace_the_directory_is_removed_under_its_mount");
}

#[test]
fn a_directory_mounted_read_only_is_lost_until_it_is_writable() {
    run_again("mounts::in_a_mount_namespace_the_directory_is_read_only");
}

#[test]
fn a_file_system_without_room_is_lost_until_there_is_some() {
    run_again("mounts::in_a_mount_namespace_the_file_system_is_full");
}

#[test]
fn a_directory_mounted_over_the_one_with_the_socket_gets_one_too() {
    run_again("mounts::in_a_mount_namespace_another_directory_is_mounted");
}

/// Nothing that is mounted here is seen outside.
fn stay_inside() {
    mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )
    .unwrap();
}

#[tokio::test]
#[ignore = "a_directory_removed_while_it_is_mounted_needs_a_restart_and_is_used_when_mounted_anew runs it"]
async fn in_a_mount_namespace_the_directory_is_removed_under_its_mount() {
    stay_inside();
    let mut rig = Rig::new();
    // The kubelet's directory on the host, and where the container sees it.
    let host = rig.root().join("host");
    fs::create_dir(&host).unwrap();
    mount_bind(&host, rig.registry()).unwrap();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    rig.kubelet().registers().await;
    rig.state(State::Registered).await;

    fs::remove_dir_all(&host).unwrap();
    let lost = rig.state(State::Lost).await;
    assert_eq!(
        lost.reason,
        format!(
            "directory {} was removed from the disk while it was mounted here (its link count is 0); restart the \
             container, nothing else brings it back",
            rig.registry().display()
        )
    );
    assert!(lost.problem && lost.restart_needed && !lost.socket_is_shown);

    // Linux mounts nothing on a directory that is gone, so the dead mount has to go first.
    unmount(rig.registry(), UnmountFlags::DETACH).unwrap();
    let shown = rig.state(State::WaitingForKubelet).await;
    assert!(!shown.problem && !shown.restart_needed && shown.socket_is_shown);
    fs::create_dir(&host).unwrap();
    mount_bind(&host, rig.registry()).unwrap();
    rig.kubelet().registers().await;
    let _ = rig.stop().await;
    unmount(rig.registry(), UnmountFlags::DETACH).unwrap();
}

#[tokio::test]
#[ignore = "a_directory_mounted_read_only_is_lost_until_it_is_writable runs it"]
async fn in_a_mount_namespace_the_directory_is_read_only() {
    stay_inside();
    let mut rig = Rig::new();
    let registry = rig.registry();
    mount_bind(&registry, &registry).unwrap();
    mount_remount(&registry, MountFlags::BIND | MountFlags::RDONLY, c"").unwrap();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let lost = rig.state(State::Lost).await;
    assert_eq!(
        lost.reason,
        format!(
            "no socket can be made in {}, because its file system is read-only; mount it writable, or choose another \
             directory",
            registry.display()
        )
    );
    assert!(lost.problem && !lost.restart_needed);
    mount_remount(&registry, MountFlags::BIND, c"").unwrap();
    rig.state(State::WaitingForKubelet).await;
    let _ = rig.stop().await;
    unmount(&registry, UnmountFlags::DETACH).unwrap();
}

#[tokio::test]
#[ignore = "a_file_system_without_room_is_lost_until_there_is_some runs it"]
async fn in_a_mount_namespace_the_file_system_is_full() {
    stay_inside();
    let mut rig = Rig::new();
    let registry = rig.registry();
    // One inode is that of the directory, one that of the file below.
    mount("x", &registry, "tmpfs", MountFlags::empty(), c"nr_inodes=2").unwrap();
    fs::write(registry.join("full"), "").unwrap();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let lost = rig.state(State::Lost).await;
    assert_eq!(
        lost.reason,
        format!(
            "no socket can be made in {}, because its file system has no space, inode or quota left",
            registry.display()
        )
    );
    fs::remove_file(registry.join("full")).unwrap();
    rig.state(State::WaitingForKubelet).await;
    let _ = rig.stop().await;
    unmount(&registry, UnmountFlags::DETACH).unwrap();
}

#[tokio::test]
#[ignore = "a_directory_mounted_over_the_one_with_the_socket_gets_one_too runs it"]
async fn in_a_mount_namespace_another_directory_is_mounted() {
    stay_inside();
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    rig.state(State::WaitingForKubelet).await;
    // Its own making of the socket is an event; whatever comes after this finds the registrar at rest.
    tokio::time::sleep(Duration::from_millis(100)).await;
    mount("x", rig.registry(), "tmpfs", MountFlags::empty(), None).unwrap();
    let since = Instant::now();
    // No event tells of this.
    until("shown in the mount", || rig.socket().exists()).await;
    assert!(since.elapsed() < Duration::from_secs(3));
    rig.kubelet().registers().await;
    let _ = rig.stop().await;
    unmount(rig.registry(), UnmountFlags::DETACH).unwrap();
    // The one below was ours too, and could not be reached any more.
    assert!(rig.socket().exists());
}
