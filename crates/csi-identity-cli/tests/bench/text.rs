//! What people are shown.

use tonic::Code;

use crate::counting_plugin::CountingPlugin;
use crate::fake_plugin::{FakePlugin, Reply, Script};
use crate::measured::bench;
use crate::program::{Ran, Running};

const TITLES: &str = "                           calls answered/s    p50 ms    p90 ms    p99 ms  p99.9 ms    max ms   mean ms";

/// A row of the table: its title, and the number of calls. All the rest has to be a number, or a dash where there is none.
fn row(line: &str) -> (&str, u64) {
    assert_eq!(line.len(), TITLES.len(), "{line:?}");
    let words: Vec<_> = line.split_whitespace().collect();
    let [title, calls, rate, latencies @ ..] = &*words else {
        panic!("{line:?}");
    };
    assert!(rate.parse::<f64>().is_ok(), "{line:?}");
    assert_eq!(latencies.len(), 6, "{line:?}");
    assert!(latencies.iter().all(|text| text.parse::<f64>().is_ok()));
    (title, calls.parse().unwrap())
}

fn finish(mut command: std::process::Command) -> Ran {
    let ran = Running::spawn(&mut command).finish();
    assert_eq!(ran.stderr, "");
    ran
}

#[test]
fn the_three_rpcs_have_a_row_each_and_one_together() {
    let plugin = CountingPlugin::start();
    let arguments = [
        "--duration=200ms",
        "--warmup=0s",
        "--concurrency=4",
        "--connections=2",
    ];
    let ran = finish(bench(plugin.socket(), &arguments));
    assert_eq!(ran.code, 0);
    let lines: Vec<_> = ran.stdout.lines().collect();
    let [
        head,
        "",
        TITLES,
        info,
        capabilities,
        probe,
        all,
        "",
        answers @ ..,
    ] = &*lines
    else {
        panic!("{}", ran.stdout);
    };
    let socket = plugin.socket().display();
    let expected = format!(
        "unix://{socket} for 0.200 s, 4 calls in flight on 2 connections, after 0 calls of warm-up"
    );
    assert_eq!(*head, expected);
    let [infos, capability_calls, probes] = plugin.counts();
    let rows = [info, capabilities, probe, all].map(|line| row(line));
    let expected = [
        ("GetPluginInfo", infos),
        ("GetPluginCapabilities", capability_calls),
        ("Probe", probes),
        ("all", plugin.calls()),
    ];
    assert_eq!(rows, expected);
    let expected = expected.map(|(title, calls)| format!("{title:<21} OK {calls}"));
    assert_eq!(answers, expected);
}

#[test]
fn one_rpc_has_one_row_and_its_first_error_is_told_in_full() {
    let plugin = FakePlugin::start(Script::probes([
        Reply::Ok(Some(true)),
        Reply::Error(Code::FailedPrecondition, "NOT_READY: pool\np0 is offline"),
        Reply::Error(Code::Internal, "a bug"),
    ]));
    let arguments = ["--duration=200ms", "--warmup=0s", "--rpc=probe"];
    let ran = finish(bench(plugin.socket(), &arguments));
    assert_eq!(ran.code, 1);
    let lines: Vec<_> = ran.stdout.lines().collect();
    let [head, "", TITLES, probe, "", answers, "", error] = &*lines else {
        panic!("{}", ran.stdout);
    };
    let socket = plugin.socket().display();
    let expected = format!(
        "unix://{socket} for 0.200 s, 1 call in flight on 1 connection, after 0 calls of warm-up"
    );
    assert_eq!(*head, expected);
    let (title, calls) = row(probe);
    assert_eq!((title, calls), ("Probe", plugin.probes() as u64));
    let expected = format!(
        "Probe                 OK 1, FAILED_PRECONDITION 1, INTERNAL {}",
        calls - 2
    );
    assert_eq!(*answers, expected);
    assert_eq!(
        *error,
        "first error, of Probe: FAILED_PRECONDITION: NOT_READY: pool\\np0 is offline"
    );
}
