//! Shows that the conformance check finds each fault by the rules that are meant for it, and nothing in the good plugin.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

mod check;

use std::sync::Mutex;
use std::thread;

use faulty_plugin::{EXPECTED, Fault, Needs};

use check::rules_broken_by;

/// How many plugins are judged at a time, beside those for which something is mostly waited.
const AT_ONCE: usize = 8;

/// Faults that take some seconds to be judged and hardly any processor, so each has a thread of its own from the beginning.
const WAITED_FOR: [&str; 21] = [
    "cancel-blocks",
    "cancel-ignored",
    "capabilities-hang",
    "capabilities-slow",
    "deadline-ignored",
    "endpoint-ignored",
    "endpoint-scheme-refused",
    "http2-mute",
    "info-hangs",
    "info-slow",
    "lost-client-kills",
    "node-info-slow",
    "open-call-blocks",
    "probe-blocks-all",
    "probe-hangs",
    "probe-never-ready",
    "probe-serialised",
    "probe-slow-1s",
    "probe-turns-away",
    "sigterm-ignored",
    "start-slow",
];

/// Faults that take half a minute: each of many Probes takes more than 3 s.
const TAKE_LONG: [&str; 1] = ["probe-slow-3s"];

type Row = (&'static str, &'static [&'static str]);

#[test]
fn the_good_plugin_breaks_no_rule_however_it_is_asked() {
    for needs in [
        Needs::Calls,
        Needs::ControllerEndpoint,
        Needs::EmptyRequests,
        Needs::Command,
    ] {
        assert_eq!(rules_broken_by(None, needs), [""; 0], "{needs:?}");
    }
}

#[test]
fn each_fault_is_found_by_its_rules_and_by_no_other() {
    let rows = EXPECTED.iter().copied();
    let rows = rows.filter(|(name, _)| !TAKE_LONG.contains(name));
    let (waited_for, others): (Vec<_>, Vec<_>) =
        rows.partition(|(name, _)| WAITED_FOR.contains(name));
    assert_eq!(waited_for.len(), WAITED_FOR.len());
    let others = Mutex::new(others);
    let wrong = Mutex::new(Vec::new());
    let judge = |row: Row| {
        // In two steps, so that nobody waits for the lock meanwhile.
        let mistake = mistake(row);
        wrong.lock().unwrap().extend(mistake);
    };
    thread::scope(|scope| {
        for row in waited_for {
            let judge = &judge;
            scope.spawn(move || judge(row));
        }
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(row) = others.lock().unwrap().pop() else {
                        break;
                    };
                    judge(row);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "takes half a minute of waiting: `just soak` runs it"]
fn each_fault_that_takes_long_is_found_by_its_rules_and_by_no_other() {
    for name in TAKE_LONG {
        let row = EXPECTED.iter().find(|row| row.0 == name).unwrap();
        assert_eq!(mistake(*row), None);
    }
}

/// What is wrong with how a fault is found, if anything.
fn mistake((name, rules): Row) -> Option<String> {
    let fault: Fault = name.parse().unwrap();
    let found = rules_broken_by(Some(fault), fault.needs());
    (found != rules).then(|| format!("{name}: found by {found:?}, not by {rules:?}"))
}
