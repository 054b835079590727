//! How `serve` stops, asked once or twice, and what becomes of its socket.

use std::fs::{self, File};
use std::os::unix::net::{UnixListener, UnixStream};

use csi_identity::PluginClient;
use csi_identity::endpoint::{ConnectOptions, Endpoint};
use rustix::process::Signal;

use crate::program::{Running, eventually, listing, temporary_folder};
use crate::raw_call::OpenCall;
use crate::served::{Served, in_runtime, serve};

const BOTH: [Signal; 2] = [Signal::TERM, Signal::INT];

/// More than a test has patience for.
const LONG: &str = "--grace=1h";

const READY: &str = "INFO csi_identity::runtime::readiness: readiness changed from=starting: the plugin has not reported yet \
                     to=ready";
const STOPPING: &str = "INFO csi_identity::serve: stopping";
const NOT_READY: &str = "INFO csi_identity::runtime::readiness: readiness changed from=ready to=not ready: the plugin is stopping";

#[test]
fn either_signal_stops_a_server_and_its_socket_goes() {
    for signal in BOTH {
        let served = Served::start(&[LONG]);
        let serving = format!(
            "INFO csi_identity::serve: serving endpoint=unix://{}",
            served.socket().display()
        );
        served.signal(signal);
        let (ran, folder) = served.finish();
        assert_eq!((ran.code, &*ran.stdout), (0, ""));
        assert_eq!(ran.log(), [READY, &serving, STOPPING, NOT_READY]);
        assert_eq!(listing(folder.path()), [""; 0]);
    }
}

#[test]
fn clients_that_ask_nothing_do_not_delay_the_end() {
    let served = Served::start(&[LONG]);
    let endpoint = Endpoint::from_path(served.socket()).unwrap();
    let (ran, folder) = in_runtime(async {
        let options = ConnectOptions::default();
        let plugin = PluginClient::connect(&endpoint, &options).await.unwrap();
        assert_eq!(plugin.probe().await.unwrap(), Some(true));
        served.signal(Signal::TERM);
        // Beside the client, which has its part in closing the connection.
        let end = tokio::task::spawn_blocking(|| served.finish());
        end.await.unwrap()
    });
    assert_eq!(ran.code, 0);
    assert_eq!(ran.log().last(), Some(&NOT_READY));
    assert_eq!(listing(folder.path()), [""; 0]);
}

#[test]
fn a_second_signal_ends_the_wait_for_calls() {
    for first in BOTH {
        for second in BOTH {
            let served = Served::start(&[LONG]);
            let mut call = OpenCall::begin(served.socket());
            served.signal(first);
            call.await_goodbye();
            served.signal(second);
            let (ran, folder) = served.finish();
            assert_eq!((ran.code, &*ran.stdout), (130, ""), "{first:?} {second:?}");
            assert_eq!(listing(folder.path()), [""; 0]);
        }
    }
}

#[test]
fn calls_that_outlast_the_grace_period_are_cut() {
    let served = Served::start(&["--grace=100ms"]);
    let _call = OpenCall::begin(served.socket());
    served.signal(Signal::TERM);
    let (ran, folder) = served.finish();
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.log().last(),
        Some(&"WARN csi_identity::serve: calls were still in flight after 100ms and have been cut")
    );
    assert_eq!(listing(folder.path()), [""; 0]);
}

#[test]
fn without_a_grace_period_calls_are_cut_at_once() {
    let served = Served::start(&["--grace=0s"]);
    let _call = OpenCall::begin(served.socket());
    served.signal(Signal::TERM);
    let (ran, folder) = served.finish();
    assert_eq!(ran.code, 0);
    assert_eq!(listing(folder.path()), [""; 0]);
}

#[test]
fn a_signal_during_the_start_is_not_lost() {
    for signal in BOTH {
        let folder = temporary_folder();
        // Binding waits for this lock, with the handlers of signals in place.
        let lock = File::open(folder.path()).unwrap();
        lock.lock().unwrap();
        let starting = Running::spawn(&mut serve(&folder.path().join("csi.sock")));
        eventually("the server waits for the lock", || {
            let mut descriptors = starting.descriptors();
            descriptors.any(|target| target == folder.path())
        });
        starting.signal(signal);
        lock.unlock().unwrap();
        let ran = starting.finish();
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(listing(folder.path()), [""; 0]);
    }
}

#[test]
fn a_socket_that_somebody_removed_is_not_missed() {
    let served = Served::start(&[]);
    fs::remove_file(served.socket()).unwrap();
    fs::write(served.folder().join("another"), "").unwrap();
    served.signal(Signal::TERM);
    let (ran, folder) = served.finish();
    assert_eq!(ran.code, 0);
    assert_eq!(ran.log().last(), Some(&NOT_READY));
    assert_eq!(listing(folder.path()), ["another"]);
}

#[test]
fn a_socket_that_somebody_put_in_its_place_stays() {
    let served = Served::start(&[]);
    fs::remove_file(served.socket()).unwrap();
    let _theirs = UnixListener::bind(served.socket()).unwrap();
    let socket = served.socket().to_owned();
    served.signal(Signal::TERM);
    let (ran, folder) = served.finish();
    assert_eq!(ran.code, 0);
    assert_eq!(listing(folder.path()), ["csi.sock"]);
    UnixStream::connect(socket).unwrap();
}

#[test]
fn a_folder_that_somebody_removed_is_no_trouble() {
    let served = Served::start(&[]);
    fs::remove_dir_all(served.folder()).unwrap();
    served.signal(Signal::TERM);
    let (ran, _folder) = served.finish();
    assert_eq!(ran.code, 0, "{ran:?}");
}
