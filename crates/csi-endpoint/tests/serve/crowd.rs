//! A thousand clients that are there and ask nothing.

use std::fs;

use csi_endpoint::{Limits, ServeOptions};
use rustix::process::{Resource, getrlimit, setrlimit};

use crate::bounded::until;
use crate::raw::{BAD, GOOD, Raw, first_call};
use crate::served::{Served, ask};

const CROWD: usize = 1000;

/// Both ends of each connection are in this process, and other tests run beside it.
const DESCRIPTORS: u64 = 2 * CROWD as u64 + 1000;

/// Lets this process have the descriptors it needs.
fn make_room() {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= DESCRIPTORS) {
        return;
    }
    let most = limit.maximum;
    assert!(
        most.is_none_or(|most| most >= DESCRIPTORS),
        "this test needs {DESCRIPTORS} descriptors, the hard limit is {most:?}; raise it (ulimit -Hn)"
    );
    limit.current = Some(DESCRIPTORS);
    setrlimit(Resource::Nofile, limit).unwrap();
}

/// Resident memory of this process in KiB.
fn resident() -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse().unwrap()
}

#[tokio::test]
async fn a_thousand_idle_clients_leave_room_for_one_more_and_can_all_leave() {
    make_room();
    for (what, authority) in [
        ("silent after the opening", None),
        ("passed through", Some(GOOD)),
        ("repaired", Some(BAD)),
    ] {
        // For the crowd, the good client and one more, so that a place that is not given back is missed.
        let served = Served::start(ServeOptions {
            limits: Limits {
                max_connections: CROWD + 2,
                ..Limits::default()
            },
            ..ServeOptions::default()
        });
        let mut good = served.client().await;
        ask(&mut good).await;
        let holders_with_one = served.plugin.holders();

        let before = resident();
        let mut crowd = Vec::new();
        for _ in 0..CROWD {
            let mut raw = Raw::opened(&served).await;
            if let Some(authority) = authority {
                assert!(!raw.call(&first_call(authority), 1).await);
            }
            crowd.push(raw);
        }
        let grown = resident() - before;
        println!(
            "{CROWD} connections, {what}: {grown} KiB, both ends and their kernel objects apart"
        );
        ask(&mut served.client().await).await;

        drop(crowd);
        until("all have left", || {
            served.plugin.holders() == holders_with_one
        })
        .await;
        ask(&mut good).await;
        let mut next = Vec::new();
        for _ in 0..CROWD {
            next.push(Raw::opened(&served).await);
        }
    }
}
