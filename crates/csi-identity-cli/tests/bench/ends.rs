//! Signals that end a run.

use rustix::process::Signal;
use serde_json::json;

use crate::counting_plugin::CountingPlugin;
use crate::fake_plugin::{FakePlugin, Script};
use crate::measured::{bench, number, to_json};
use crate::program::{Ran, Running, eventually};

const BOTH: [Signal; 2] = [Signal::TERM, Signal::INT];

#[test]
fn a_signal_ends_it_early_and_what_was_measured_is_shown() {
    for signal in BOTH {
        let plugin = CountingPlugin::start();
        let arguments = ["--duration=1h", "--warmup=0s", "--concurrency=3", "-ojson"];
        let running = Running::spawn(&mut bench(plugin.socket(), &arguments));
        eventually("calls", || plugin.calls() > 10);
        running.signal(signal);
        let (code, measured) = to_json(&running.finish());
        assert_eq!((code, &measured["cut_short"]), (0, &json!(true)));
        assert_eq!(number(&measured["total"]["calls"]), plugin.calls());
        assert!(measured["measured_seconds"].as_f64().unwrap() < 3600.0);
    }
}

#[test]
fn people_see_that_it_was_cut_short() {
    let plugin = CountingPlugin::start();
    let arguments = ["--duration=1h", "--warmup=0s"];
    let running = Running::spawn(&mut bench(plugin.socket(), &arguments));
    eventually("calls", || plugin.calls() > 10);
    running.signal(Signal::INT);
    let ran = running.finish();
    let head = ran.stdout.lines().next().unwrap();
    assert!(head.contains(" s (cut short), 1 call in flight"), "{head}");
}

#[test]
fn a_signal_during_the_warm_up_leaves_nothing_to_show() {
    let plugin = CountingPlugin::start();
    let running = Running::spawn(&mut bench(plugin.socket(), &["--warmup=1h"]));
    eventually("calls", || plugin.calls() > 0);
    running.signal(Signal::INT);
    let expected = Ran::error(2, "error: stopped before anything was measured\n");
    assert_eq!(running.finish(), expected);
}

#[test]
fn a_second_signal_does_not_wait_for_the_calls_in_flight() {
    for [first, second] in [BOTH, [Signal::INT, Signal::TERM]] {
        let plugin = FakePlugin::start(Script::mute());
        let mut command = bench(plugin.socket(), &["--rpc=probe", "--timeout=1m"]);
        let running = Running::spawn(command.arg("--concurrency=7"));
        eventually("so many calls in flight", || plugin.probes() == 7);
        // Two of a kind could become one before the program sees them.
        running.signal(first);
        running.signal(second);
        assert_eq!(running.finish(), Ran::quiet(130, ""));
        assert_eq!(plugin.probes(), 7);
    }
}
