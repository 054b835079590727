//! What the program says of itself.

use crate::program::{Ran, run};

#[test]
fn every_subcommand_explains_itself_with_an_example_and_its_exit_codes() {
    for (subcommand, lines) in [
        (
            "serve",
            &[
                "Serve a plugin's Identity on a Unix socket, to every client that real clusters have.",
                "Usage: csi-identity serve [OPTIONS] --endpoint <ENDPOINT> --name <NAME> --vendor-version <VERSION>",
                "       csi-identity serve [OPTIONS] --config <FILE>",
                "          [env: CSI_ENDPOINT=]",
                "Examples:",
                "  csi-identity serve -e unix:///run/csi/csi.sock --name disk.acme.io --vendor-version 1.2.3 \\",
                "Exit codes:",
                "  0    stopped",
                "  2    could not start (usage, configuration, socket), or could not remove the socket",
                "  130  stopped by a second signal",
            ][..],
        ),
        (
            "info",
            &[
                "Ask a plugin who it is (GetPluginInfo).",
                "Usage: csi-identity info [OPTIONS] --endpoint <ENDPOINT>",
                "          [env: CSI_ENDPOINT=]",
                "Example:",
                "  csi-identity info -e unix:///run/csi/csi.sock -o json",
                "Exit codes:",
                "  0  the plugin said who it is",
                "  1  it answered with an error",
                "  2  could not find out",
            ],
        ),
        (
            "capabilities",
            &[
                "Ask a plugin what it can do (GetPluginCapabilities).",
                "Usage: csi-identity capabilities [OPTIONS] --endpoint <ENDPOINT>",
                "          [env: CSI_ENDPOINT=]",
                "Example:",
                "  csi-identity capabilities -e unix:///run/csi/csi.sock -o json",
                "Exit codes:",
                "  0  the plugin said what it can do",
                "  1  it answered with an error",
                "  2  could not find out",
            ],
        ),
        (
            "probe",
            &[
                "Ask a plugin whether it is ready (Probe).",
                "Usage: csi-identity probe [OPTIONS] --endpoint <ENDPOINT>",
                "          [env: CSI_ENDPOINT=]",
                "Examples:",
                "  csi-identity probe -e unix:///run/csi/csi.sock --wait --timeout 30s",
                "Exit codes:",
                "  0  ready",
                "  1  not ready, or answered with an error; with --wait also: out of time, but it had answered",
                "  2  could not find out; with --wait: out of time without any answer",
            ],
        ),
        (
            "explain",
            &[
                "Ask a plugin once, and say what each of its callers will make of the answers.",
                "Usage: csi-identity explain [OPTIONS] --endpoint <ENDPOINT>",
                "          [env: CSI_ENDPOINT=]",
                "Example:",
                "  csi-identity explain -e unix:///run/csi/csi.sock -o markdown",
                "Exit codes:",
                "  0  every caller that applies to this plugin goes on",
                "  1  one of them waits, exits, refuses its work or restarts the plugin",
                "  2  could not find out",
            ],
        ),
        (
            "kubelet",
            &[
                "Be the kubelet of a node without a cluster: find plugins, register, refuse and forget them.",
                "Usage: csi-identity kubelet [OPTIONS] --root-dir <DIR>",
                "Examples:",
                "  csi-identity kubelet --root-dir /tmp/node --emulate 1.28 --once --expect disk.acme.io",
                "Faults:",
                "  drop-connection        the registration connection is lost before the verdict",
                "Exit codes:",
                "  0  stopped; with --once: the driver is registered",
                "  1  with --once: refused, or not registered within --timeout",
                "  2  could not start, or not go on: usage, directory, file",
            ],
        ),
        (
            "verify",
            &[
                "Judge the Identity service of a plugin in any language, with a reason for every verdict.",
                "Usage: csi-identity verify [OPTIONS] --endpoint <ENDPOINT>",
                "       csi-identity verify [OPTIONS] --command <COMMAND>",
                "       csi-identity verify --rules",
                "          [env: CSI_ENDPOINT=]",
                "Examples:",
                "  csi-identity verify --command './my-driver --node-id n1' --format text --format junit=report.xml",
                "Exit codes:",
                "  0    the plugin passes",
                "  1    there are findings that fail it: MUST and BREAKS, with --strict ADVICE too",
                "  2    could not find out: usage, nobody listens on the socket, a report could not be written",
                "  130  stopped by a signal",
            ],
        ),
        (
            "demo",
            &[
                "See it all run, without a cluster, configuration or root.",
                "Usage: csi-identity demo [OPTIONS]",
                "Examples:",
                "  csi-identity demo -o json",
                "Exit codes:",
                "  0    all went as it should",
                "  1    something was not as expected",
                "  2    could not run",
                "  130  stopped by a signal",
            ],
        ),
        (
            "config",
            &[
                "Check a configuration file, or show what one can say",
                "Examples:",
                "  csi-identity config check csi-identity.yaml",
                "Exit codes:",
                "  0  done, or the file is good",
                "  1  the file is not good",
                "  2  the file cannot be read, or usage",
            ],
        ),
        (
            "completions",
            &[
                "Write a completion script for a shell",
                "Example:",
                "  csi-identity completions bash > /etc/bash_completion.d/csi-identity",
                "Exit codes: 0 done, 2 usage",
            ],
        ),
        (
            "man",
            &[
                "Write a manual page, of the program or of one of its commands",
                "Examples:",
                "  csi-identity man serve > csi-identity-serve.1",
                "Exit codes: 0 done, 2 usage",
            ],
        ),
    ] {
        let ran = run([subcommand, "--help"]);
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        assert_eq!(run(["help", subcommand]), ran);
        let missing: Vec<_> = lines
            .iter()
            .filter(|line| !ran.stdout.lines().any(|found| found == **line))
            .collect();
        assert!(missing.is_empty(), "{missing:#?} in {}", ran.stdout);
    }
}

#[test]
fn the_program_lists_its_subcommands_and_exit_codes() {
    let ran = run(["--help"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let (commands, exit_codes) = ran.stdout.split_once("Exit codes:\n").unwrap();
    for subcommand in [
        "serve",
        "info",
        "capabilities",
        "probe",
        "explain",
        "kubelet",
        "verify",
        "demo",
        "config",
        "completions",
        "man",
    ] {
        let start = format!("\n  {subcommand} ");
        assert_eq!(commands.matches(&start).count(), 1, "{subcommand}");
    }
    assert_eq!(
        exit_codes,
        "  0    done, or the plugin is ready\n  1    the plugin is not ready, or answered with an error\n  2    could not find \
         out or could not start: usage, configuration, connection\n  130  stopped by a second signal\n"
    );
    // Without a subcommand there is nothing to do, so the same is an error.
    assert_eq!(run([""; 0]), Ran::error(2, &ran.stdout));
}

#[test]
fn the_version_is_that_of_the_program() {
    let version = env!("CARGO_PKG_VERSION");
    for flag in ["--version", "-V"] {
        let expected = Ran::quiet(0, &format!("csi-identity {version}\n"));
        assert_eq!(run([flag]), expected);
    }
}
