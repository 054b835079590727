//! Settings of `serve` that are wrong: exit code 2, a message that says what would be right, and nothing on the disk.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use crate::program::{Ran, Running, csi_identity, listing, temporary_folder};

mod endpoints;
mod values;

const MORE: &str = "\n\nFor more information, try '--help'.\n";
const USAGE: &str = "\n\nUsage: csi-identity serve [OPTIONS] --endpoint <ENDPOINT> --name <NAME> --vendor-version <VERSION>\n       \
                     csi-identity serve [OPTIONS] --config <FILE>";

/// Runs `serve` in a folder, and wants it to fail without a trace.
fn assert_refused(folder: &Path, arguments: &[OsString], error: &str) {
    let ran = Running::spawn(csi_identity(["serve"]).args(arguments)).finish();
    let expected = Ran::error(2, &format!("error: {error}"));
    assert_eq!(ran, expected, "{arguments:?}");
    assert_eq!(listing(folder), [""; 0], "{arguments:?}");
}

/// Endpoint, name and version that are right, but for those in `other`, and then `other`.
fn settings(folder: &Path, other: &[OsString]) -> Vec<OsString> {
    let socket = folder.join("csi.sock").into_os_string();
    let given = |flag: &str| other.iter().any(|argument| argument == flag);
    let right = [
        ("--endpoint", socket),
        ("--name", "disk.acme.io".into()),
        ("--vendor-version", "1.2.3".into()),
    ];
    let missing = right.into_iter().filter(|(flag, _)| !given(flag));
    let mut all: Vec<_> = missing
        .flat_map(|(flag, value)| [flag.into(), value])
        .collect();
    all.extend_from_slice(other);
    all
}

fn arguments(texts: &[&str]) -> Vec<OsString> {
    texts.iter().map(OsString::from).collect()
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    let folder = temporary_folder();
    let large = format!("key={}", "x".repeat(4094));
    let rows: [(Vec<&str>, &str); 11] = [
        (
            vec!["--manifest=url=a", "--manifest=url=b"],
            "--manifest: manifest has the key \"url\" twice; keep one of them",
        ),
        (
            vec!["--manifest", &large],
            "--manifest: manifest has 4097 bytes of keys and values, the limit is 4096",
        ),
        (
            vec!["--node-id=node-1", "--topology=zone="],
            "--topology: topology key zone has a bad value: \"\" has 0 characters; 1 to 63 are allowed",
        ),
        (
            vec!["--node-id=node-1", "--topology=zone=-z"],
            "--topology: topology key zone has a bad value: \"-z\" must be letters, digits, '-', '_' and '.', with a letter \
             or digit at both ends",
        ),
        (
            vec!["--node-id=node-1", "--topology=a/b/c=z"],
            "--topology: topology key \"a/b/c\" has a bad name; allowed are letters, digits, '-', '_' and '.', with a letter \
             or digit at both ends",
        ),
        (
            vec!["--node-id=node-1", "--topology=Acme.io/zone=z"],
            "--topology: topology key \"Acme.io/zone\" has a bad prefix; it must be a lower-case domain name such as \
             disk.example.org",
        ),
        (
            vec!["--node-id=node-1", "--topology=zone=a", "--topology=Zone=b"],
            "--topology: topology keys zone and Zone are the same; letter case does not count, so keep one of them",
        ),
        (
            vec![
                "--node-id=node-1",
                "--topology=a.io/zone=a",
                "--topology=rack=b",
            ],
            "--topology: topology keys a.io/zone and rack differ in their prefix; use the same one for all keys",
        ),
        (
            vec![
                "--node-id=node-1",
                "--capability=VOLUME_ACCESSIBILITY_CONSTRAINTS",
            ],
            "VOLUME_ACCESSIBILITY_CONSTRAINTS and a node id need the topology of that node; add --topology KEY=VALUE or \
             node.accessible_topology, or leave the capability out",
        ),
        (
            vec!["--topology=zone=z"],
            "--topology is of a node; add --node-id",
        ),
        (
            vec!["--max-volumes=1"],
            "--max-volumes is of a node; add --node-id",
        ),
    ];
    for (other, error) in rows {
        let settings = settings(folder.path(), &arguments(&other));
        assert_refused(folder.path(), &settings, &format!("{error}\n"));
    }
}

#[test]
fn what_is_missing_or_unknown_is_named() {
    let folder = temporary_folder();
    let rows: [(&[&str], &str); 5] = [
        (
            &[],
            "the following required arguments were not provided:\n  --endpoint <ENDPOINT>, or the environment variable \
             CSI_ENDPOINT\n  --name <NAME>\n  --vendor-version <VERSION>",
        ),
        (
            &["-e/csi.sock", "--vendor-version=1"],
            "the following required arguments were not provided:\n  --name <NAME>",
        ),
        (
            &["--capabilities", "NODE_SERVICE"],
            "unexpected argument '--capabilities' found\n\n  tip: a similar argument exists: '--capability'",
        ),
        (&["csi.sock"], "unexpected argument 'csi.sock' found"),
        (
            &["--grace=1s", "--grace=2s"],
            "the argument '--grace <DURATION>' cannot be used multiple times",
        ),
    ];
    for (given, error) in rows {
        assert_refused(
            folder.path(),
            &arguments(given),
            &format!("{error}{USAGE}{MORE}"),
        );
    }
}

#[test]
fn text_that_is_not_utf_8_is_shown_with_its_bytes() {
    let folder = temporary_folder();
    let broken = OsString::from_vec(b"a\xffb".to_vec());
    for flag in ["--name", "--endpoint", "--node-id", "--manifest"] {
        let settings = settings(folder.path(), &[flag.into(), broken.clone()]);
        assert_refused(
            folder.path(),
            &settings,
            "argument \"a\\xFFb\" is not UTF-8, as all text here has to be\n",
        );
    }
    let ran = Running::spawn(csi_identity(["probe"]).env("CSI_ENDPOINT", &broken)).finish();
    let error = "error: CSI_ENDPOINT \"a\\xFFb\" is not UTF-8, as all text here has to be\n";
    assert_eq!(ran, Ran::error(2, error));
}
