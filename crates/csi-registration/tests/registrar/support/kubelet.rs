//! The simulated kubelet, in a process of its own: a registrar does not count calls of its own process.

use std::num::NonZeroU32;
use std::path::PathBuf;

use csi_kubelet::{Clock, Fault, KubeletVersion};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{TestProcess, within};

/// How much faster its time runs, so that no test waits for its looks, each second, and its pauses.
const HURRY: NonZeroU32 = NonZeroU32::new(1000).unwrap();

/// What a registrar hears when it is refused begins so.
const REFUSAL: &str = "RegisterPlugin error -- plugin registration failed with err: ";

/// What it tells of a new socket that it registers a plugin from. The hidden name is the one under which a socket is bound.
pub(crate) const REGISTRATION: [&str; 10] = [
    "ignored",
    "discovered",
    "dial",
    "GetInfo",
    "validated",
    "NodeGetInfo",
    "node",
    "csinode",
    "notified",
    "registered",
];

/// What kind of kubelet to be, and where.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KubeletOptions {
    root: PathBuf,
    version: String,
    faults: Vec<String>,
}

/// What GetInfo said.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Info {
    pub(crate) r#type: String,
    pub(crate) name: String,
    pub(crate) endpoint: String,
    pub(crate) supported_versions: Vec<String>,
}

/// One that runs; it ends when dropped.
#[derive(Debug)]
pub(crate) struct Kubelet(TestProcess);

/// What a registrar is told where a fault has this text.
pub(crate) fn refusal(text: &str) -> String {
    format!("{REFUSAL}{text}")
}

impl KubeletOptions {
    /// The newest one, without faults.
    pub(crate) fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            version: KubeletVersion::LATEST.to_string(),
            faults: Vec::new(),
        }
    }

    pub(crate) fn version(self, version: &str) -> Self {
        let version = version.to_owned();
        Self { version, ..self }
    }

    pub(crate) fn fault(mut self, fault: &Fault) -> Self {
        self.faults.push(fault.to_string());
        self
    }
}

impl Kubelet {
    pub(crate) fn start(options: &KubeletOptions) -> Self {
        Self(TestProcess::start(
            "support::kubelet::be_a_kubelet",
            options,
        ))
    }

    /// What it saw or did next, as an object.
    pub(crate) async fn next(&mut self) -> Value {
        within("the kubelet sees something", self.0.says())
            .await
            .unwrap()
    }

    /// Waits for an event of this name, whatever comes before it.
    pub(crate) async fn comes_to(&mut self, event: &str) -> Value {
        loop {
            let seen = self.next().await;
            if seen["event"] == event {
                return seen;
            }
        }
    }

    /// The names of all events up to the first of this name.
    pub(crate) async fn names_until(&mut self, event: &str) -> Vec<String> {
        let mut names = Vec::new();
        while names.last().is_none_or(|last| last != event) {
            let seen = self.next().await;
            names.push(seen["event"].as_str().unwrap().to_owned());
        }
        names
    }

    /// Waits until it has registered a plugin; returns what GetInfo said.
    pub(crate) async fn registers(&mut self) -> Info {
        let mut info = None;
        loop {
            let seen = self.next().await;
            match seen["event"].as_str().unwrap() {
                "GetInfo" => info = Some(seen),
                "registered" => return serde_json::from_value(info.unwrap()).unwrap(),
                _ => {}
            }
        }
    }

    /// Waits until it has told a registrar no; returns what it said.
    pub(crate) async fn refuses(&mut self) -> String {
        loop {
            let seen = self.comes_to("notified").await;
            if seen["plugin_registered"] == false {
                return seen["error"].as_str().unwrap().to_owned();
            }
        }
    }
}

#[tokio::test]
#[ignore = "the other tests run it as the process of their kubelet"]
async fn be_a_kubelet() {
    let KubeletOptions {
        root,
        version,
        faults,
    } = TestProcess::options();
    let options = csi_kubelet::KubeletOptions {
        version: version.parse().unwrap(),
        faults: faults.iter().map(|fault| fault.parse().unwrap()).collect(),
        clock: Clock::hurried(HURRY),
        ..csi_kubelet::KubeletOptions::new(root)
    };
    let kubelet = csi_kubelet::Kubelet::new(options).unwrap();
    let tell = |event: &csi_kubelet::Event, _: &_| TestProcess::say(&event.to_json());
    kubelet
        .run(tell, std::future::pending::<()>())
        .await
        .unwrap();
}
