//! The command lines of public charts, as they stand: they name sockets and ports that a machine has once, so each is run in
//! a root directory and a network of its own.

use std::net::SocketAddr;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use csi_kubelet::KubeletVersion;

use crate::compat::{LIVENESSPROBE, REGISTRAR, link};
use crate::http::get;
use crate::kubelet::Kubelet;
use crate::process::Process;
use crate::program::{Ran, csi_identity, listing, temporary_folder};
use crate::served::await_answer;

struct Chart {
    plugin: &'static str,
    registrar: &'static [&'static str],
    livenessprobe: &'static [&'static str],
    /// Where a kubelet asks for health.
    health: &'static str,
    /// The exec probe of charts for registrars up to 2.8.
    probe: Option<&'static [&'static str]>,
}

const CHARTS: [Chart; 4] = [
    // kubernetes-csi/csi-driver-nfs, deploy/v4.13.5/csi-nfs-node.yaml: registrar 2.17, livenessprobe 2.19.
    Chart {
        plugin: "csi-nfsplugin",
        registrar: &[
            "--v=2",
            "--csi-address=/csi/csi.sock",
            "--kubelet-registration-path=/var/lib/kubelet/plugins/csi-nfsplugin/csi.sock",
        ],
        livenessprobe: &[
            "--csi-address=/csi/csi.sock",
            "--probe-timeout=3s",
            "--http-endpoint=localhost:29653",
            "--v=2",
        ],
        health: "127.0.0.1:29653",
        probe: None,
    },
    // kubernetes-sigs/aws-ebs-csi-driver 1.26.1, deploy/kubernetes/base/node.yaml: registrar 2.9.3, livenessprobe 2.11.
    Chart {
        plugin: "ebs.csi.aws.com",
        registrar: &[
            "--csi-address=/csi/csi.sock",
            "--kubelet-registration-path=/var/lib/kubelet/plugins/ebs.csi.aws.com/csi.sock",
            "--v=2",
        ],
        livenessprobe: &["--csi-address=/csi/csi.sock"],
        health: "127.0.0.1:9808",
        probe: Some(&[
            "--kubelet-registration-path=/var/lib/kubelet/plugins/ebs.csi.aws.com/csi.sock",
            "--mode=kubelet-registration-probe",
        ]),
    },
    // kubernetes-sigs/secrets-store-csi-driver 1.0.0-rc.1, deploy/secrets-store-csi-driver.yaml: 2.3 and 2.4.
    Chart {
        plugin: "csi-secrets-store",
        registrar: &[
            "--v=5",
            "--csi-address=/csi/csi.sock",
            "--kubelet-registration-path=/var/lib/kubelet/plugins/csi-secrets-store/csi.sock",
        ],
        livenessprobe: &[
            "--csi-address=/csi/csi.sock",
            "--probe-timeout=3s",
            "--http-endpoint=0.0.0.0:9808",
            "-v=2",
        ],
        health: "127.0.0.1:9808",
        probe: Some(&[
            "--kubelet-registration-path=/var/lib/kubelet/plugins/csi-secrets-store/csi.sock",
            "--mode=kubelet-registration-probe",
        ]),
    },
    // kubernetes-sigs/azuredisk-csi-driver, deploy/csi-azuredisk-node.yaml: registrar 2.4, livenessprobe 2.5.
    Chart {
        plugin: "disk.csi.azure.com",
        registrar: &[
            "--csi-address=/csi/csi.sock",
            "--kubelet-registration-path=/var/lib/kubelet/plugins/disk.csi.azure.com/csi.sock",
            "--v=2",
        ],
        livenessprobe: &[
            "--csi-address=/csi/csi.sock",
            "--probe-timeout=3s",
            "--health-port=29603",
            "--v=2",
        ],
        health: "127.0.0.1:29603",
        probe: Some(&[
            "--kubelet-registration-path=/var/lib/kubelet/plugins/disk.csi.azure.com/csi.sock",
            "--mode=kubelet-registration-probe",
        ]),
    },
];

#[test]
fn the_command_lines_of_public_charts_run_as_they_stand() {
    if let Err(reason) = in_a_root_of_its_own("charts::run_in_a_root_of_their_own") {
        skip(&reason);
    }
}

#[expect(clippy::print_stdout, reason = "says why a test is skipped")]
fn skip(reason: &str) {
    println!("skipped, no root directory and network of its own: {reason}");
}

#[test]
#[ignore = "the test above runs it, where its paths and ports are free"]
fn run_in_a_root_of_their_own() {
    for chart in &CHARTS {
        run(chart);
    }
}

fn run(chart: &Chart) {
    let socket = Path::new("/csi/csi.sock");
    let here = temporary_folder();
    // The kubelet has the pod's /csi here.
    symlink(
        "/csi",
        Path::new("/var/lib/kubelet/plugins").join(chart.plugin),
    )
    .unwrap();
    // And its directory for registration sockets is the pod's /registration.
    let root = Path::new("/var/lib/kubelet");
    let kubelet = Kubelet::start(root, KubeletVersion::LATEST, &[]);
    let health: SocketAddr = chart.health.parse().unwrap();

    // The sidecars come first, as nobody orders the containers of a pod.
    let registrar = Process::start(link(here.path(), REGISTRAR).args(chart.registrar));
    let probe = Process::start(link(here.path(), LIVENESSPROBE).args(chart.livenessprobe));
    probe.addresses(1);
    assert_eq!(get(health, "/healthz").code, 500);

    let plugin = Process::start(csi_identity(["serve", "-e"]).arg(socket).args([
        "--name",
        chart.plugin,
        "--vendor-version=1.2.3",
        "--node-id=node-1",
    ]));
    await_answer(socket);
    let info = kubelet.registers();
    assert_eq!(info.name, chart.plugin);
    assert_eq!(
        info.endpoint,
        format!("/var/lib/kubelet/plugins/{}/csi.sock", chart.plugin)
    );
    let answer = get(health, "/healthz");
    assert_eq!((answer.code, &*answer.body), (200, "ok"));
    if let Some(arguments) = chart.probe {
        let ran = Process::start(link(here.path(), REGISTRAR).args(arguments)).finish();
        assert_eq!(ran, Ran::quiet(0, ""));
    }

    assert_eq!(probe.lines_with("WARN csi_identity"), [""; 0]);
    assert_eq!(probe.stop().code, 143);
    let ran = registrar.stop();
    assert_eq!(ran.code, 0);
    assert!(!ran.stderr.contains("no effect here"), "{}", ran.stderr);
    kubelet.forgets();
    assert_eq!(listing(Path::new("/registration")), [""; 0]);
    assert_eq!(plugin.stop().code, 0);
}

/// Makes a root directory of what it is given, with an own `/csi`, `/registration` and `/var`, and a network with nothing
/// but itself, and runs a command in them.
const IN_A_ROOT: &str = r#"
set -e
root=$1; shift
ip link set lo up
for entry in /*; do
  case $entry in
    /csi|/registration|/var) ;;
    *) if [ -L "$entry" ]; then cp -P "$entry" "$root$entry"
       elif [ -d "$entry" ]; then mkdir "$root$entry"; mount --rbind "$entry" "$root$entry"
       fi ;;
  esac
done
mkdir -p "$root/csi" "$root/registration" "$root/var/lib/kubelet/plugins" "$root/var/lib/kubelet/plugins_registry" "$root/var/tmp"
mount --bind "$root/var/lib/kubelet/plugins_registry" "$root/registration"
exec chroot "$root" "$@"
"#;

/// Runs an ignored test of this program again, as root in a root directory and a network of its own, or says why that
/// cannot be.
fn in_a_root_of_its_own(test: &str) -> Result<(), String> {
    let try_it = |arguments: &[&str]| {
        let root = temporary_folder();
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--net", "sh", "-c", IN_A_ROOT, "sh"])
            .arg(root.path())
            .args(arguments);
        let output = command.output().map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match output.status.success() {
            true => Ok(text(&output.stdout)),
            false => Err(text(&output.stderr) + &text(&output.stdout)),
        }
    };
    try_it(&["true"])?;
    let program = std::env::current_exe().unwrap();
    let arguments = [program.to_str().unwrap(), "--ignored", "--exact", test];
    let output = try_it(&arguments).unwrap();
    assert!(output.contains("1 passed"), "{output}");
    Ok(())
}
