//! The configuration file: read, checked, put under the flags, and followed by a plugin that runs.

use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use tempfile::TempDir;

use crate::program::{Ran, Running, csi_identity, eventually, listing, run, temporary_folder};
use crate::served::await_answer;

/// The bodies that porting guides show for the three RPCs, as they stand.
const GUIDE: &str = r#"
plugin_info: {
  "name": "csi.huawei.storage",
  "vendor_version": "2.1.0",
  "manifest": {
    "url": "https://github.com/huawei/csi-driver",
    "supported_csi_spec": "1.5.0, 1.6.0"
  }
}
plugin_capabilities: {
  "capabilities": [
    {"service": {"type": "CONTROLLER_SERVICE"}},
    {"service": {"type": "NODE_SERVICE"}},
    {"volume_accessibility_constraints": {"required": true}}
  ]
}
probe: {
  "ready": false
}
"#;

/// A folder with a configuration file, and room for a socket.
struct Folder(TempDir);

impl Folder {
    fn with(text: &str) -> Self {
        let folder = temporary_folder();
        fs::write(folder.path().join("csi.yaml"), text).unwrap();
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("csi.yaml")
    }

    fn socket(&self) -> PathBuf {
        self.0.path().join("csi.sock")
    }

    fn serve(&self, flags: &[&str]) -> Running {
        let mut command = csi_identity(["serve", "--config"]);
        command
            .arg(self.file())
            .arg("-e")
            .arg(self.socket())
            .args(flags);
        Running::spawn(&mut command)
    }

    fn ask(&self, what: &str, flags: &[&str]) -> Ran {
        ask(&self.socket(), what, flags)
    }
}

fn ask(socket: &Path, what: &str, flags: &[&str]) -> Ran {
    Running::spawn(csi_identity([what, "-e"]).arg(socket).args(flags)).finish()
}

fn check(file: &Path) -> Ran {
    Running::spawn(csi_identity(["config", "check"]).arg(file)).finish()
}

#[test]
fn the_bodies_of_the_guides_are_served_as_the_wire_has_them() {
    let folder = Folder::with(GUIDE);
    let server = folder.serve(&[]);
    await_answer(&folder.socket());
    let info = folder.ask("info", &["-o", "json"]);
    let info: serde_json::Value = serde_json::from_str(&info.stdout).unwrap();
    assert_eq!(
        info,
        serde_json::json!({
            "name": "csi.huawei.storage",
            "vendor_version": "2.1.0",
            "manifest": {
                "url": "https://github.com/huawei/csi-driver",
                "supported_csi_spec": "1.5.0, 1.6.0",
            },
        })
    );
    assert_eq!(
        folder.ask("capabilities", &[]).stdout,
        "CONTROLLER_SERVICE               service\nVOLUME_ACCESSIBILITY_CONSTRAINTS service\n"
    );
    let probe = folder.ask("probe", &[]);
    assert_eq!(
        (probe.code, &*probe.stdout),
        (
            1,
            "not ready: starting, or waiting for what it depends on (ready=false)\n"
        )
    );
    server.signal(Signal::TERM);
    assert_eq!(server.finish().code, 0);
    assert_eq!(listing(folder.0.path()), ["csi.yaml"]);
}

#[test]
fn flags_count_before_the_file() {
    let folder = Folder::with(GUIDE);
    let flags = [
        "--name=flag.acme.io",
        "--manifest=url=flag",
        "--capability=SNAPSHOT_METADATA_SERVICE",
    ];
    let server = folder.serve(&flags);
    await_answer(&folder.socket());
    assert_eq!(
        folder.ask("info", &[]).stdout,
        "name:           flag.acme.io\nvendor_version: 2.1.0\nmanifest:\n  supported_csi_spec: 1.5.0, 1.6.0\n  url: flag\n"
    );
    assert_eq!(
        folder.ask("capabilities", &[]).stdout,
        "SNAPSHOT_METADATA_SERVICE        service\n"
    );
    server.signal(Signal::TERM);
    assert_eq!(server.finish().code, 0);
}

#[test]
fn readiness_follows_a_backend_up_down_and_up_again() {
    let backend = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = backend.local_addr().unwrap();
    let folder = Folder::with(&format!(
        "plugin_info: {{name: disk.acme.io, vendor_version: \"1.2.3\"}}\nchecks:\n- name: backend\n  tcp: \"{address}\"\n  \
         interval: 20ms\n  timeout: 20ms\n  failure_threshold: 1\n"
    ));
    let server = folder.serve(&[]);
    let answers = |expected: &'static str| {
        eventually(expected, || {
            folder.ask("probe", &[]).stdout.starts_with(expected)
        });
    };
    answers("ready\n");
    drop(backend);
    answers("FAILED_PRECONDITION: NOT_READY: backend: cannot connect to ");
    let _backend = TcpListener::bind(address).unwrap();
    answers("ready\n");
    server.signal(Signal::TERM);
    assert_eq!(server.finish().code, 0);
}

#[test]
fn a_file_that_is_not_good_stops_serve_before_there_is_a_socket() {
    let folder =
        Folder::with("plugin_info:\n  name: disk.acme.io\n  vendor_version: 1.10\nchekcs: []\n");
    let ran = folder.serve(&[]).finish();
    let file = folder.file();
    let file = file.display();
    let problems = format!(
        "{file}:3:19: found the number 1.10 for vendor_version; it is text, so quote it: \"1.10\"\n\
         {file}:4:1: found the unknown key \"chekcs\" in the configuration; did you mean checks?\n"
    );
    assert_eq!(ran, Ran::error(2, &format!("error: {problems}")));
    assert_eq!(listing(folder.0.path()), ["csi.yaml"]);

    assert_eq!(check(&folder.file()), Ran::quiet(1, &problems));
}

#[test]
fn a_file_is_judged_with_all_that_serve_would_say() {
    let folder = Folder::with("plugin_info: {name: Disk.acme.io, vendor_version: \"1.2.3\"}\n");
    let ran = check(&folder.file());
    assert_eq!(
        (ran.code, ran.stdout.clone()),
        (0, format!("{}: good\n", folder.file().display()))
    );
    assert_eq!(ran.log().len(), 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("the name has upper-case letters"),
        "{}",
        ran.stderr
    );

    let folder = Folder::with(
        "plugin_info: {name: disk.acme.io, vendor_version: \"1.2.3\"}\n\
         plugin_capabilities: {capabilities: [VOLUME_ACCESSIBILITY_CONSTRAINTS]}\nnode: {node_id: node-1}\n",
    );
    let expected = format!(
        "{}: VOLUME_ACCESSIBILITY_CONSTRAINTS and a node id need the topology of that node; add --topology KEY=VALUE or \
         node.accessible_topology, or leave the capability out\n",
        folder.file().display()
    );
    assert_eq!(check(&folder.file()), Ran::quiet(1, &expected));
}

#[test]
fn a_file_that_cannot_be_read_is_nothing_found_out() {
    let folder = temporary_folder();
    let file = folder.path().join("csi.yaml");
    let error = format!(
        "error: cannot read the configuration file {}: No such file or directory (os error 2)\n",
        file.display()
    );
    assert_eq!(check(&file), Ran::error(2, &error));
    let mut serve = csi_identity(["serve", "--config"]);
    assert_eq!(
        Running::spawn(serve.arg(&file)).finish(),
        Ran::error(2, &error)
    );
}

#[test]
fn what_neither_file_nor_flags_say_is_named() {
    let folder = Folder::with("gate_on_readiness: true\n");
    let ran = folder.serve(&[]).finish();
    assert_eq!(
        ran,
        Ran::error(
            2,
            "error: no name is given; add --name or plugin_info.name\n"
        )
    );
}

#[test]
fn the_example_is_good_and_the_schema_is_json() {
    let example = run(["config", "example"]);
    let folder = Folder::with(&example.stdout);
    assert_eq!(check(&folder.file()).code, 0);
    let schema = run(["config", "schema"]);
    let schema: serde_json::Value = serde_json::from_str(&schema.stdout).unwrap();
    assert!(schema["properties"]["plugin_info"].is_object(), "{schema}");
}

#[test]
fn the_log_can_be_json() {
    let folder = Folder::with(GUIDE);
    let server = folder.serve(&["--log-format=json"]);
    await_answer(&folder.socket());
    server.signal(Signal::TERM);
    let ran = server.finish();
    assert_eq!(ran.code, 0);
    let lines: Vec<serde_json::Value> = ran
        .stderr
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let serving = lines
        .iter()
        .find(|line| line["message"] == "serving")
        .unwrap();
    assert_eq!(
        serving["endpoint"],
        format!("unix://{}", folder.socket().display())
    );
}

#[test]
fn shells_and_manual_readers_get_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(["completions", shell]);
        assert_eq!((script.code, &*script.stderr), (0, ""));
        for name in ["csi-identity", "vendor-version", "capabilities"] {
            assert!(
                script.stdout.contains(name),
                "{name} in the script for {shell}"
            );
        }
    }
    let page = run(["man"]);
    assert_eq!(page.code, 0);
    assert!(
        page.stdout.contains(".TH csi-identity 1"),
        "{}",
        page.stdout
    );
    let page = run(["man", "serve"]);
    assert!(
        page.stdout.contains("\\-\\-vendor\\-version"),
        "{}",
        page.stdout
    );
    let error = "error: there is no command \"sevre\"; see csi-identity --help\n";
    assert_eq!(run(["man", "sevre"]), Ran::error(2, error));
}

#[test]
fn a_file_of_any_size_is_read_no_further_than_its_limit() {
    let zero = fs::File::open("/dev/zero").unwrap();
    let mut large = Vec::new();
    zero.take(3 << 20).read_to_end(&mut large).unwrap();
    let folder = Folder::with("");
    fs::write(folder.file(), large).unwrap();
    let ran = check(&folder.file());
    assert_eq!(ran.code, 1);
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    assert!(
        check(Path::new("/dev/zero"))
            .stdout
            .starts_with("/dev/zero:")
    );
}
