use std::path::Path;
use std::process::Command;

use csi_identity::{CheckTarget, ExecCommand, Readiness};
use tempfile::TempDir;

use crate::namespaces::run_again;
use crate::watched::{PATIENT, QUICK, Watched, complaint, on_a_thread};

fn exec(parts: &[&str]) -> CheckTarget {
    CheckTarget::Exec {
        command: ExecCommand::new(parts.iter().copied()).unwrap(),
    }
}

fn shell(script: &str) -> CheckTarget {
    exec(&["/bin/sh", "-c", script])
}

/// A named pipe: whoever reads it learns when the last process that holds it open has ended.
struct Lifeline(TempDir);

impl Lifeline {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = Command::new("mkfifo")
            .arg(folder.path().join("pipe"))
            .status()
            .unwrap();
        assert!(made.success());
        Self(folder)
    }

    fn path(&self) -> String {
        self.0.path().join("pipe").display().to_string()
    }

    /// Waits until somebody has written to the pipe and everybody has closed it; returns what was written.
    async fn end(&self) -> String {
        loop {
            let path = self.path();
            let written = on_a_thread(move || std::fs::read_to_string(path).unwrap()).await;
            // A slow run may be killed before it has written.
            if !written.is_empty() {
                return written;
            }
        }
    }
}

#[tokio::test]
async fn a_command_is_judged_by_how_it_ends() {
    for (target, expected) in [
        (exec(&["/bin/true"]), None),
        (exec(&["true"]), None),
        (shell("echo noise; echo more >&2"), None),
        (exec(&["/bin/cat"]), None),
        (
            exec(&["/bin/false"]),
            Some("/bin/false ended with status 1"),
        ),
        (
            shell("echo pool p0; echo '  is offline' >&2; exit 3"),
            Some("/bin/sh ended with status 3: pool p0 is offline"),
        ),
        (
            shell("kill -TERM $$"),
            Some("/bin/sh was killed by signal 15"),
        ),
        (
            exec(&["/no/such/program"]),
            Some("/no/such/program cannot be run: No such file or directory (os error 2)"),
        ),
        (
            exec(&["/etc/passwd"]),
            Some("/etc/passwd cannot be run: Permission denied (os error 13)"),
        ),
    ] {
        assert_eq!(
            complaint(target.clone(), PATIENT).await.as_deref(),
            expected,
            "{target:?}"
        );
    }
}

#[tokio::test]
async fn the_end_of_a_long_output_is_kept() {
    let script = "head -c 300000 /dev/zero | tr '\\0' x; echo the end; exit 1";
    assert_eq!(
        complaint(shell(script), PATIENT).await.unwrap(),
        format!(
            "/bin/sh ended with status 1: …{}the end",
            "x".repeat(896 - "the end\n".len())
        )
    );
}

#[tokio::test]
async fn a_command_that_hangs_is_killed_with_its_children_and_reaped() {
    let lifeline = Lifeline::new();
    // Each run tells its process.
    let script = format!(
        "exec 3>{}; echo $$ >&3; sleep 1000 & sleep 1000",
        lifeline.path()
    );
    let mut watched = Watched::one(shell(&script), QUICK);
    let leader = lifeline.end().await;
    watched
        .until_reason("x: no result within 50ms: /bin/sh did not end and was killed")
        .await;
    // A run begins when the one before is reaped.
    assert_ne!(lifeline.end().await, leader);
    assert!(!Path::new("/proc").join(leader.trim()).exists());
}

#[tokio::test]
async fn children_that_outlive_their_command_are_killed_too() {
    let lifeline = Lifeline::new();
    let script = format!("exec 3>{}; sleep 1000 & echo begun >&3", lifeline.path());
    let mut watched = Watched::one(shell(&script), PATIENT);
    assert_eq!(lifeline.end().await, "begun\n");
    watched.until(Readiness::is_ready).await;
}

#[tokio::test]
async fn a_command_ends_with_the_checks() {
    let lifeline = Lifeline::new();
    let script = format!(
        "exec 3>{}; echo begun >&3; sleep 1000 & sleep 1000",
        lifeline.path()
    );
    let watched = Watched::one(shell(&script), PATIENT);
    let path = lifeline.path();
    let pipe = on_a_thread(move || std::fs::File::open(path).unwrap()).await;
    drop(watched);
    let written = on_a_thread(move || std::io::read_to_string(pipe).unwrap()).await;
    // It may be killed before it has written.
    assert!("begun\n".starts_with(&written));
}

#[test]
fn process_1_is_left_without_zombies() {
    run_again(
        "exec::as_process_1_children_of_commands_are_reaped",
        &["--pid", "--fork", "--mount-proc"],
    );
}

#[tokio::test]
#[ignore = "process_1_is_left_without_zombies runs it in a PID namespace"]
async fn as_process_1_children_of_commands_are_reaped() {
    assert_eq!(std::process::id(), 1, "only as process 1 are orphans ours");
    let lifeline = Lifeline::new();
    for script in [
        // Hangs.
        "exec 3>PIPE; (sleep 1000 & sleep 1000) & echo $$ $! >&3; sleep 1000",
        // Ends, and leaves an orphan.
        "exec 3>PIPE; (sleep 1000 & sleep 1000) & echo $$ $! >&3",
        // Ends, and leaves one that has ended.
        "exec 3>PIPE; (exec true) & echo $$ $! >&3",
    ] {
        let script = script.replace("PIPE", &lifeline.path());
        let watched = Watched::one(shell(&script), QUICK);
        let first = lifeline.end().await;
        assert_ne!(lifeline.end().await, first);
        for pid in first.split_whitespace() {
            let process = Path::new("/proc").join(pid);
            assert!(!process.exists(), "{script}: {pid} is left");
        }
        drop(watched);
    }
}
