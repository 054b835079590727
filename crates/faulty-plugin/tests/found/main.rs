//! Shows that the conformance check finds each fault by the rules that are meant for it, and nothing in the good plugin.
//!
//! Half of a minute or more, for faults that are about time take some.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

mod check;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use faulty_plugin::{EXPECTED, Fault, Needs};

use check::rules_broken_by;

/// How many plugins are judged at a time. Mostly something is waited for, so more than there are processors.
const AT_ONCE: usize = 4;

/// Findings that follow from the one that is meant, and that the rules do not fold under it.
const NOT_FOLDED: &[(&str, &[&str])] = &[
    ("manifest-over-message-limit", &["CSI-ID-008"]),
    ("info-fails-sometimes", &["CSI-ID-146"]),
    ("probe-unready-after-50", &["CSI-ID-140", "CSI-ID-144"]),
    (
        "probe-kills-after-50",
        &[
            "CSI-ID-130",
            "CSI-ID-131",
            "CSI-ID-132",
            "CSI-ID-140",
            "CSI-ID-144",
            "CSI-ID-146",
        ],
    ),
    ("probe-ready-wrong-inside", &["CSI-ID-062"]),
    ("wire-name-wrong-type", &["CSI-ID-010"]),
    (
        "wire-capabilities-wrong-type",
        &["CSI-ID-046", "CSI-ID-051"],
    ),
    ("wire-node-id-wrong-type", &["CSI-ID-047", "CSI-ID-080"]),
];

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
    let not_folded: BTreeMap<_, _> = NOT_FOLDED.iter().copied().collect();
    let rows = Mutex::new(EXPECTED.iter());
    let wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(&(name, rules)) = rows.lock().unwrap().next() else {
                        break;
                    };
                    let more = not_folded.get(name).copied().unwrap_or_default();
                    let mut expected = [rules, more].concat();
                    expected.sort_unstable();
                    let fault: Fault = name.parse().unwrap();
                    let found = rules_broken_by(Some(fault), fault.needs());
                    if found != expected {
                        let text = format!("{name}: found by {found:?}, not by {expected:?}");
                        wrong.lock().unwrap().push(text);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
