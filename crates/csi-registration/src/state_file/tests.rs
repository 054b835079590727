use std::error::Error as _;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::sync::{Arc, Mutex};

use csi_endpoint::Endpoint;
use tempfile::TempDir;
use tokio::sync::watch;

use super::StateFile;
use crate::{
    HostPath, KubeletCall, Refusal, Registrar, RegistrarOptions, State, Status, Timestamp,
};

fn status() -> Status {
    let plugin: Endpoint = "/run/csi/csi.sock".parse().unwrap();
    let host_path: HostPath = "/run/csi/csi.sock".parse().unwrap();
    let options = RegistrarOptions::new(plugin, host_path, "/registration");
    let first = Registrar::new(options).status().borrow().clone();
    let time: Timestamp = "2026-02-03T04:05:06.789Z".parse().unwrap();
    Status {
        state: State::Registered,
        since: time,
        driver: Some("disk.acme.io".to_owned()),
        socket: Some("/registration/disk.acme.io-reg.sock".into()),
        last_kubelet_call: Some(KubeletCall {
            method: "GetInfo".to_owned(),
            time,
        }),
        last_refusal: Some(Refusal {
            message: "not \"now\"".to_owned(),
            time,
        }),
        plugin: crate::PluginStatus {
            since: time,
            ..first.plugin.clone()
        },
        ..first
    }
}

fn folder() -> (TempDir, StateFile) {
    let folder = tempfile::tempdir().unwrap();
    let file = StateFile::new(folder.path().join("state.json"));
    (folder, file)
}

#[test]
fn what_was_written_is_read_again() {
    let (folder, file) = folder();
    assert!(file.read().unwrap().is_none());
    for state in State::ALL {
        let status = Status { state, ..status() };
        file.write(&status).unwrap();
        assert_eq!(file.read().unwrap(), Some(status));
    }
    assert_eq!(file.path().metadata().unwrap().mode() & 0o777, 0o644);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let text = fs::read_to_string(file.path()).unwrap();
    let words = [
        "\"state\": \"superseded\"",
        "\"since\": \"2026-02-03T04:05:06.789Z\"",
    ];
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
}

#[test]
fn a_reader_finds_a_whole_file_at_every_moment() {
    let (_folder, file) = folder();
    let short = status();
    let long = Status {
        reason: "r".repeat(1024),
        ..status()
    };
    file.write(&short).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..200 {
                file.write(&long).unwrap();
                file.write(&short).unwrap();
            }
        });
        while !writer.is_finished() {
            let read = file.read().unwrap().unwrap();
            assert!(read == short || read == long);
        }
    });
}

#[test]
fn a_file_that_is_no_status_or_cannot_be_read_is_an_error_that_names_it() {
    let (_folder, file) = folder();
    let shown = file.path().display();
    for text in [
        "",
        "registered\n",
        "{}",
        "{\"state\": \"perhaps\"}",
        "[1",
        "\u{0}",
    ] {
        fs::write(file.path(), text).unwrap();
        let error = file.read().unwrap_err();
        assert_eq!(error.to_string(), format!("{shown} is no state file"));
        assert!(error.source().is_some());
    }
    fs::remove_file(file.path()).unwrap();
    fs::create_dir(file.path()).unwrap();
    let error = file.read().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot read the state file {shown}")
    );
    assert_eq!(
        error.source().unwrap().to_string(),
        "Is a directory (os error 21)"
    );
}

#[test]
fn what_cannot_be_written_is_an_error_and_what_was_there_stays() {
    let (folder, file) = folder();
    let missing = StateFile::new(folder.path().join("missing/state.json"));
    let error = missing.write(&status()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot write the state file {}", missing.path().display())
    );
    assert_eq!(
        error.source().unwrap().to_string(),
        "No such file or directory (os error 2)"
    );

    file.write(&status()).unwrap();
    // The draft leads to a device that is always full.
    let draft = folder.path().join(".state.json.new");
    symlink("/dev/full", &draft).unwrap();
    let later = Status {
        state: State::Refused,
        ..status()
    };
    let error = file.write(&later).unwrap_err();
    assert_eq!(
        error.source().unwrap().to_string(),
        "No space left on device (os error 28)"
    );
    assert_eq!(file.read().unwrap(), Some(status()));
    assert!(fs::symlink_metadata(&draft).is_err(), "the draft is gone");
    file.write(&later).unwrap();
}

/// Keeps the messages of warnings of the thread that sets it.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Warnings {
    fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn each_status_is_written_and_failures_in_a_row_are_one_warning() {
    let warnings = Warnings::default();
    let writer = warnings.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .without_time()
        .with_writer(move || writer.clone())
        .finish();
    // The only test of this program that looks at the log, so that no other one has asked before.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let (folder, file) = folder();
    let (sender, receiver) = watch::channel(status());
    let follower = tokio::spawn({
        let file = file.clone();
        async move { file.follow(receiver).await }
    });
    let until = async |is_so: &dyn Fn() -> bool| {
        let waiting = async {
            while !is_so() {
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), waiting)
            .await
            .unwrap();
    };
    let is_written = |state| {
        let file = &file;
        move || {
            file.read()
                .is_ok_and(|read| read.is_some_and(|read| read.state == state))
        }
    };
    until(&is_written(State::Registered)).await;
    sender.send_modify(|status| status.state = State::Refused);
    until(&is_written(State::Refused)).await;

    let count = || {
        let text = String::from_utf8(warnings.0.lock().unwrap().clone()).unwrap();
        text.matches("the state file is not up to date").count()
    };
    let draft = folder.path().join(".state.json.new");
    for (round, good) in [(1, State::Superseded), (2, State::Registered)] {
        for refusals in 1..=3 {
            // Where the draft leads to a full device it is removed after the failure, by which that is seen.
            symlink("/dev/full", &draft).unwrap();
            sender.send_modify(|status| {
                status.state = State::Lost;
                status.refusals = refusals;
            });
            until(&|| fs::symlink_metadata(&draft).is_err()).await;
        }
        sender.send_modify(|status| status.state = good);
        until(&is_written(good)).await;
        assert_eq!(count(), round);
    }

    drop(sender);
    tokio::time::timeout(std::time::Duration::from_secs(20), follower)
        .await
        .unwrap()
        .unwrap();
}
