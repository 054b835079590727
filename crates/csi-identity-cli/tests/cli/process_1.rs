//! `serve` as process 1 of a container without an init, which is the parent of all orphans in it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::program::{Ran, Running, csi_identity, eventually, isolate, temporary_folder};
use crate::served::await_answer;

/// A server that is process 1 of a PID namespace.
struct Container {
    unshare: Running,
    folder: TempDir,
}

impl Container {
    /// Starts one with these checks, or says why there can be none.
    fn start(checks: &str) -> Option<Self> {
        if let Err(reason) = can_unshare() {
            skip(&reason);
            return None;
        }
        let folder = temporary_folder();
        let checks = checks.replace("FOLDER", &folder.path().display().to_string());
        let file = folder.path().join("csi.yaml");
        let identity = "plugin_info: {name: disk.acme.io, vendor_version: \"1.2.3\"}";
        fs::write(&file, format!("{identity}\n{checks}")).unwrap();
        let mut command = Command::new("unshare");
        command
            // Together with process 1 all others of the namespace end.
            .args(["--pid", "--fork", "--mount-proc", "--kill-child"])
            .arg(env!("CARGO_BIN_EXE_csi-identity"))
            .args(["serve", "--verbose", "--config"])
            .arg(file)
            .arg("-e")
            .arg(folder.path().join("csi.sock"));
        isolate(&mut command);
        let unshare = Running::spawn(&mut command);
        await_answer(&folder.path().join("csi.sock"));
        Some(Self { unshare, folder })
    }

    /// The number of its process 1 out here.
    fn init(&self) -> Pid {
        let unshare = self.unshare.pid();
        let children = fs::read_to_string(format!("/proc/{unshare}/task/{unshare}/children"));
        Pid::from_raw(children.unwrap().trim().parse().unwrap()).unwrap()
    }

    /// What `/proc` has of a process that wrote its number in a file.
    fn written(&self, name: &str) -> PathBuf {
        let file = self.folder.path().join(name);
        let read = || fs::read_to_string(&file).unwrap_or_default();
        eventually("the number is written", || read().ends_with('\n'));
        let init = self.init().as_raw_nonzero();
        PathBuf::from(format!("/proc/{init}/root/proc/{}", read().trim()))
    }

    fn probe(&self) -> Ran {
        let socket = self.folder.path().join("csi.sock");
        Running::spawn(csi_identity(["probe", "-e"]).arg(socket)).finish()
    }

    fn stop(self) -> Ran {
        kill_process(self.init(), Signal::TERM).unwrap();
        self.unshare.finish()
    }
}

fn can_unshare() -> Result<(), String> {
    let mut command = Command::new("unshare");
    command.args(["--pid", "--fork", "--mount-proc", "true"]);
    let tried = command.output().map_err(|error| error.to_string())?;
    match tried.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&tried.stderr).into_owned()),
    }
}

#[expect(clippy::print_stdout, reason = "says why a test is skipped")]
fn skip(reason: &str) {
    println!("skipped, no PID namespace: {reason}");
}

/// A process is gone when nothing of it is left in `/proc`; of a zombie there is.
fn assert_reaped(container: &Container, name: &str) {
    let process = container.written(name);
    eventually("the orphan is reaped", || !process.exists());
}

/// The first run of each check is the only one. What it leaves ends when process 1 has become its parent.
const LEAVING: &str = r#"
checks:
  - name: daemon
    interval: 1h
    timeout: 30s
    exec:
      - /bin/sh
      - -c
      - |
        left=$(setsid sh -c 'echo $$; exec >&-; cd FOLDER
          until grep -q "^PPid:.1$" /proc/$$/status; do sleep 0.01; done; echo $$ > daemon' &)
        test "$left" -gt 1
  - name: zombie
    interval: 1h
    timeout: 30s
    exec:
      - /bin/sh
      - -c
      - |
        left=$(setsid sh -c 'true & echo $! > FOLDER/zombie; echo $$; exec sleep 0.1 >&-' &)
        test "$left" -gt 1
  - name: group
    interval: 1h
    timeout: 30s
    exec:
      - /bin/sh
      - -c
      - |
        left=$(timeout 30 sh -c 'echo $PPID; echo $PPID > FOLDER/group; exec sleep 0.1 >&-' &)
        test "$left" -gt 1
"#;

#[test]
fn what_left_the_group_of_a_check_is_reaped_when_it_ends() {
    let Some(container) = Container::start(LEAVING) else {
        return;
    };
    for name in ["daemon", "zombie", "group"] {
        assert_reaped(&container, name);
    }
    eventually("all checks pass", || container.probe().code == 0);
    let ran = container.stop();
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// One check after the other ends, beside orphans, and each end wakes the reaper.
const JUDGED: &str = r#"
checks:
  - name: orphans
    interval: 20ms
    timeout: 20ms
    failure_threshold: 1000000
    exec: [/bin/sh, -c, "setsid true & echo >> FOLDER/runs"]
  - name: judged
    interval: 20ms
    timeout: 20ms
    failure_threshold: 1
    exec: [/bin/sh, -c, "test -e FOLDER/well || exit 3"]
"#;

#[test]
fn the_reaper_leaves_the_ends_of_checks_to_the_checks() {
    let Some(container) = Container::start(JUDGED) else {
        return;
    };
    let folder = container.folder.path().to_owned();
    let runs = || fs::metadata(folder.join("runs")).map_or(0, |file| file.len());
    eventually("there are a hundred runs", || runs() > 100);
    assert_eq!(container.probe().code, 1);
    fs::write(folder.join("well"), "").unwrap();
    eventually("the checks pass", || container.probe().code == 0);
    let so_far = runs();
    eventually("there are a hundred more", || runs() > so_far + 100);
    fs::remove_file(folder.join("well")).unwrap();
    eventually("a check fails", || container.probe().code == 1);

    let ran = container.stop();
    assert_eq!(ran.code, 0, "{ran:?}");
    let failed = "check fails check=judged (exec /bin/sh) reason=/bin/sh ended with status 3";
    assert!(ran.stderr.contains(failed), "{}", ran.stderr);
    assert!(!ran.stderr.contains("elsewhere"), "{}", ran.stderr);
}
