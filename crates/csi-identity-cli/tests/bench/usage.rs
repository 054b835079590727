//! Command lines that make no sense.

use crate::program::{Ran, run};

#[test]
fn more_connections_than_calls_are_an_error() {
    let ran = run(["bench", "-e/csi.sock", "--concurrency=2", "--connections=3"]);
    let expected = "error: --connections 3 is more than --concurrency 2, so some would carry no call; give at most as many \
                    connections as calls\n";
    assert_eq!(ran, Ran::error(2, expected));
}

#[test]
fn values_out_of_bounds_are_errors() {
    for (flag, value, reason) in [
        ("--concurrency <N>", "0", "0 is not in 1..=1024"),
        ("--concurrency <N>", "1025", "1025 is not in 1..=1024"),
        ("--connections <N>", "0", "0 is not in 1..=64"),
        ("--connections <N>", "65", "65 is not in 1..=64"),
        (
            "--duration <DURATION>",
            "0s",
            "\"0s\" leaves no time at all; give some, as in 5s",
        ),
        (
            "--warmup <DURATION>",
            "1",
            "\"1\" is no duration; write it as 500ms, 5s, 2m or 1h",
        ),
        (
            "--timeout <DURATION>",
            "61s",
            "\"61s\" is longer than what is measured; give at most 1m",
        ),
    ] {
        let name = flag.split(' ').next().unwrap();
        let ran = run(["bench", "-e/csi.sock", name, value]);
        let expected = format!(
            "error: invalid value '{value}' for '{flag}': {reason}\n\nFor more information, try '--help'.\n"
        );
        assert_eq!(ran, Ran::error(2, &expected));
    }
}

#[test]
fn the_help_says_what_is_measured_and_how_it_ends() {
    let ran = run(["bench", "--help"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    for line in [
        "Measure how a plugin's Identity answers under load, in whatever language it is written.",
        "Usage: csi-identity bench [OPTIONS] --endpoint <ENDPOINT>",
        "Examples:",
        "  csi-identity bench -e unix:///run/csi/csi.sock",
        "Exit codes:",
        "  0    measured, and every call was answered with OK; ready=false is such an answer",
        "  1    measured, and some call failed",
        "  2    could not connect, nothing was measured, or usage",
        "  130  stopped by a second signal",
    ] {
        assert!(ran.stdout.lines().any(|found| found == line), "{line}");
    }
    assert!(ran.stdout.contains("share the machine"), "{}", ran.stdout);
}
