//! Plugins that do not answer as they should.

use csi_identity::endpoint::Limits;
use serde_json::json;
use tonic::Code;

use crate::counting_plugin::CountingPlugin;
use crate::fake_plugin::{FakePlugin, Script};
use crate::measured::{bench, measure, number, to_json};
use crate::program::{Ran, Running, eventually, temporary_folder};

#[test]
fn errors_are_counted_by_their_code_and_fail_the_run() {
    let plugin = FakePlugin::start(Script::error(Code::Unimplemented, "no identity yet"));
    let arguments = ["--duration=100ms", "--warmup=0s", "--rpc=info"];
    let (code, measured) = measure(plugin.socket(), &arguments);
    assert_eq!(code, 1);
    let total = &measured["total"];
    assert_eq!(
        total["outcomes"],
        json!({ "UNIMPLEMENTED": total["calls"] })
    );
    assert_eq!(total["failed_calls"], total["calls"]);
    // It is an answer, however little it says.
    assert!(total["answered_calls_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(
        measured["first_error"],
        json!({ "rpc": "GetPluginInfo", "message": "UNIMPLEMENTED: no identity yet" })
    );
}

#[test]
fn calls_that_take_too_long_count_with_the_time_they_were_waited_for() {
    let plugin = FakePlugin::start(Script::mute());
    let arguments = [
        "--duration=120ms",
        "--warmup=0s",
        "--timeout=50ms",
        "--rpc=probe",
    ];
    let (code, measured) = measure(plugin.socket(), &arguments);
    assert_eq!(code, 1);
    let total = &measured["total"];
    assert_eq!(total["outcomes"], json!({ "timed_out": total["calls"] }));
    assert_eq!(total["answered_calls_per_second"], 0.0);
    assert!(total["p50_seconds"].as_f64().unwrap() >= 0.05);
    assert_eq!(
        measured["first_error"],
        json!({ "rpc": "Probe", "message": "no answer within 50ms" })
    );
}

#[test]
fn a_plugin_that_dies_is_not_called_in_a_loop_that_spins() {
    const CALLERS: u64 = 4;
    let plugin = FakePlugin::start(Script::default());
    let mut command = bench(
        plugin.socket(),
        &["--duration=3s", "--warmup=0s", "--rpc=probe", "-ojson"],
    );
    let running = Running::spawn(command.arg(format!("--concurrency={CALLERS}")));
    eventually("calls", || plugin.probes() > 10);
    drop(plugin);
    let (code, measured) = to_json(&running.finish());
    assert_eq!((code, &measured["measured_seconds"]), (1, &json!(3.0)));
    assert_eq!(measured["first_error"]["rpc"], "Probe");
    let total = &measured["total"];
    assert!(number(&total["outcomes"]["OK"]) > 0);
    let failed = number(&total["outcomes"]["connection_failed"]);
    assert_eq!(failed, number(&total["failed_calls"]));
    // Each caller rests for 250 ms after each.
    assert!((CALLERS..=CALLERS * 12).contains(&failed), "{failed}");
    // They have no latency, or it would be that of the rest of the run.
    assert!(total["max_seconds"].as_f64().unwrap() < 3.0);
}

#[test]
fn a_connection_that_the_plugin_refuses_is_told_and_its_calls_fail() {
    let plugin = CountingPlugin::start_within(Limits {
        max_connections: 1,
        ..Limits::default()
    });
    let mut command = bench(
        plugin.socket(),
        &["--duration=100ms", "--concurrency=2", "--connections=2"],
    );
    let ran = Running::spawn(command.args(["--warmup=0s", "-ojson"])).finish();
    let why = format!(
        "the server of {} closed the connection at once; it is stopping, or refuses this process",
        plugin.socket().display()
    );
    let warning = format!("WARN csi_identity::bench: connection 2 of 2: {why}");
    assert_eq!(ran.log(), [warning]);
    assert_eq!(ran.code, 1);
    let measured: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let outcomes = &measured["total"]["outcomes"];
    assert_eq!(
        outcomes,
        &json!({ "OK": plugin.calls(), "connection_failed": 1 })
    );
    assert_eq!(measured["first_error"]["message"], why);
}

#[test]
fn without_a_plugin_nothing_can_be_measured() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    let ran = Running::spawn(&mut bench(&socket, &[])).finish();
    let reason = format!(
        "error: nothing is at {}, though its directory exists; its server has not bound it yet, or binds another path\n",
        socket.display()
    );
    assert_eq!(ran, Ran::error(2, &reason));
}

#[test]
fn a_run_in_which_no_call_could_begin_has_measured_nothing() {
    let plugin = FakePlugin::start(Script::mute());
    let arguments = ["--warmup=200ms", "--duration=1ms", "--timeout=500ms"];
    let ran = Running::spawn(&mut bench(plugin.socket(), &arguments)).finish();
    let expected = "error: no call began in the 1ms after the warm-up, so nothing was measured; give a longer --duration\n";
    assert_eq!(ran, Ran::error(2, expected));
}
