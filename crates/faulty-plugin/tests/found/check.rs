//! One plugin, judged.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use csi_conformance::{ObserveOptions, Selection, Where, judge, observe};
use csi_endpoint::Endpoint;
use faulty_plugin::{Fault, Needs};

const PROGRAM: &str = env!("CARGO_BIN_EXE_faulty-plugin");

/// How long anything may take. Nothing here comes near, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A plugin that runs; killed when it is dropped.
#[derive(Debug)]
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already where that is its fault.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The ids of the rules that a plugin breaks, sorted, without those whose findings follow from others.
pub(crate) fn rules_broken_by(fault: Option<Fault>, needs: Needs) -> Vec<&'static str> {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("csi.sock");
    let socket = match needs {
        Needs::Socket(name) => folder.path().join(name),
        _ => told.clone(),
    };
    let endpoint = Endpoint::from_path(&socket).unwrap();
    let mut options = ObserveOptions::at(endpoint.clone());
    let mut running = None;
    if needs == Needs::Command {
        let fault = fault.map(|fault| format!("--fault {fault}"));
        options.place = Where::Started {
            command: format!("exec {PROGRAM} {}", fault.unwrap_or_default()),
            endpoint: None,
        };
    } else {
        running = Some(start(fault, &told, &socket));
    }
    if matches!(needs, Needs::ControllerEndpoint | Needs::EmptyRequests) {
        options.controller = Some(endpoint);
    }
    options.empty_requests = needs == Needs::EmptyRequests;

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let seen = runtime.block_on(async {
        let observing = observe(&options, |_| {});
        tokio::time::timeout(PATIENCE, observing).await
    });
    drop(running);
    let findings = judge(&seen.unwrap().unwrap(), &Selection::default());
    let own = findings
        .iter()
        .filter(|finding| finding.implied_by.is_none());
    let mut rules: Vec<_> = own.map(|finding| finding.rule.id).collect();
    rules.sort_unstable();
    rules
}

/// Starts a plugin that is told one path, and waits until its socket is there, which can be another.
fn start(fault: Option<Fault>, told: &Path, socket: &Path) -> Running {
    let mut command = Command::new(PROGRAM);
    command.arg("--endpoint").arg(told);
    if let Some(fault) = fault {
        command.args(["--fault", fault.name()]);
    }
    command.stdin(Stdio::null());
    let plugin = Running(command.spawn().unwrap());
    let begun = Instant::now();
    while !socket.exists() {
        assert!(begun.elapsed() < PATIENCE, "{fault:?} does not start");
        thread::sleep(Duration::from_millis(1));
    }
    plugin
}
