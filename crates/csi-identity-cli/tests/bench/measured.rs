//! What is counted, and how it is told to programs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::counting_plugin::CountingPlugin;
use crate::fake_plugin::{FakePlugin, Reply, Script};
use crate::program::{Ran, Running, csi_identity, eventually, run};

/// The command that measures a plugin.
pub(crate) fn bench(socket: &Path, arguments: &[&str]) -> Command {
    let mut command = csi_identity(["bench", "-e"]);
    command.arg(socket).args(arguments);
    command
}

/// Measures to the end, for programs.
pub(crate) fn measure(socket: &Path, arguments: &[&str]) -> (i32, Value) {
    let ran = Running::spawn(bench(socket, arguments).args(["-o", "json"])).finish();
    to_json(&ran)
}

/// The exit code and the result of a run without a word on standard error.
pub(crate) fn to_json(ran: &Ran) -> (i32, Value) {
    assert_eq!(ran.stderr, "");
    (ran.code, serde_json::from_str(&ran.stdout).unwrap())
}

pub(crate) fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn keys(object: &Value) -> Vec<&str> {
    object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn every_call_that_the_plugin_got_is_counted_once() {
    const QUICK: &[&str] = &["--duration=200ms", "--warmup=100ms"];
    for more in [
        &[][..],
        &["--concurrency=7"],
        &["--concurrency=7", "--connections=3"],
    ] {
        let plugin = CountingPlugin::start();
        let (code, measured) = measure(plugin.socket(), &[QUICK, more].concat());
        assert_eq!(code, 0, "{measured}");
        let rpcs = &measured["rpcs"];
        let names = ["GetPluginInfo", "GetPluginCapabilities", "Probe"];
        assert_eq!(keys(rpcs), names);
        let calls = names.map(|name| number(&rpcs[name]["calls"]));
        let sum: u64 = calls.iter().sum();
        assert_eq!(number(&measured["total"]["calls"]), sum);
        let warm_up = number(&measured["warm_up_calls"]);
        assert!(warm_up > 0 && calls.iter().all(|&calls| calls > 0));
        assert_eq!(sum + warm_up, plugin.calls());
    }
}

#[test]
fn without_a_warm_up_each_rpc_is_counted_as_often_as_the_plugin_got_it() {
    let plugin = CountingPlugin::start();
    let arguments = ["--duration=200ms", "--warmup=0s", "--concurrency=4"];
    let (code, measured) = measure(plugin.socket(), &arguments);
    assert_eq!((code, &measured["warm_up_calls"]), (0, &json!(0)));
    let counts = ["GetPluginInfo", "GetPluginCapabilities", "Probe"]
        .map(|name| number(&measured["rpcs"][name]["calls"]));
    assert_eq!(counts, plugin.counts());
}

#[test]
fn only_the_rpc_that_was_chosen_is_called() {
    for (index, choice, name) in [
        (0, "info", "GetPluginInfo"),
        (1, "capabilities", "GetPluginCapabilities"),
        (2, "probe", "Probe"),
    ] {
        let plugin = CountingPlugin::start();
        let arguments = ["--duration=100ms", "--warmup=0s", "--rpc", choice];
        let (code, measured) = measure(plugin.socket(), &arguments);
        assert_eq!((code, &measured["rpc"]), (0, &json!(choice)));
        assert_eq!(keys(&measured["rpcs"]), [name]);
        assert_eq!(measured["rpcs"][name], measured["total"]);
        let mut expected = [0; 3];
        expected[index] = number(&measured["total"]["calls"]);
        assert_eq!(plugin.counts(), expected);
    }
}

#[test]
fn the_result_has_units_in_its_names_and_latencies_in_their_order() {
    let plugin = CountingPlugin::start();
    let arguments = ["--duration=300ms", "--warmup=0s", "--concurrency=2"];
    let began = Instant::now();
    let (code, measured) = measure(plugin.socket(), &arguments);
    assert!(began.elapsed() >= Duration::from_millis(300));
    assert_eq!(code, 0);
    let top = [
        "endpoint",
        "rpc",
        "concurrency",
        "connections",
        "timeout_seconds",
        "warm_up_calls",
        "measured_seconds",
        "cut_short",
        "total",
        "rpcs",
        "first_error",
    ];
    assert_eq!(keys(&measured), top);
    let endpoint = format!("unix://{}", plugin.socket().display());
    for (field, value) in [
        ("endpoint", json!(endpoint)),
        ("rpc", json!("all")),
        ("concurrency", json!(2)),
        ("connections", json!(1)),
        ("timeout_seconds", json!(3.0)),
        ("measured_seconds", json!(0.3)),
        ("cut_short", json!(false)),
        ("first_error", json!(null)),
    ] {
        assert_eq!(measured[field], value, "{field}");
    }
    let total = &measured["total"];
    let latencies = [
        "p50_seconds",
        "p90_seconds",
        "p99_seconds",
        "p99_9_seconds",
        "max_seconds",
    ];
    let counts = [
        "calls",
        "failed_calls",
        "answered_calls_per_second",
        "outcomes",
    ];
    let fields = [&counts[..], &latencies, &["mean_seconds"]].concat();
    assert_eq!(keys(total), fields);
    let calls = number(&total["calls"]);
    assert_eq!(total["outcomes"], json!({ "OK": calls }));
    assert_eq!(total["failed_calls"], 0);
    let rate = total["answered_calls_per_second"].as_f64().unwrap();
    assert!((rate * 0.3 - calls as f64).abs() < 0.001, "{rate}");
    let values = latencies.map(|field| total[field].as_f64().unwrap());
    assert!(values.is_sorted() && values[0] > 0.0, "{values:?}");
    assert!(total["mean_seconds"].as_f64().unwrap() <= values[4]);

    let help = run(["bench", "--help"]).stdout;
    let all = [&top[..], &fields].concat();
    let missing: Vec<_> = all.iter().filter(|field| !help.contains(**field)).collect();
    assert!(missing.is_empty(), "{missing:?} in {help}");
}

#[test]
fn a_plugin_that_is_not_ready_yet_has_answered() {
    let plugin = FakePlugin::start(Script::probes([Reply::Ok(Some(false))]));
    let arguments = ["--duration=100ms", "--rpc=probe"];
    let (code, measured) = measure(plugin.socket(), &arguments);
    assert_eq!(code, 0);
    assert_eq!(keys(&measured["total"]["outcomes"]), ["OK"]);
}

#[test]
fn there_are_as_many_connections_as_asked_for() {
    let sockets = |connections: &str| {
        let plugin = CountingPlugin::start();
        let arguments = ["--warmup=1h", "--concurrency=8", connections];
        let running = Running::spawn(&mut bench(plugin.socket(), &arguments));
        eventually("calls", || plugin.calls() > 0);
        let is_socket = |target: &PathBuf| target.to_string_lossy().starts_with("socket:");
        let sockets = running.descriptors().filter(is_socket).count();
        running.signal(Signal::TERM);
        running.finish();
        sockets
    };
    let one = sockets("--connections=1");
    assert_eq!(sockets("--connections=5"), one + 4);
}
