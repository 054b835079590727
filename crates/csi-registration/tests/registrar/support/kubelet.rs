//! The part of a kubelet that meets registrars, in a process of its own: a registrar does not count calls of its own
//! process.

use std::path::PathBuf;

use csi_proto::pluginregistration::v1::PluginInfo;
use serde::{Deserialize, Serialize};

use super::{TestProcess, within};

mod operation;

/// What it sends as authority.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) enum Dials {
    /// Up to 1.28.
    RawPath,
    /// Since 1.29.
    #[default]
    EncodedPath,
}

/// What it says of the plugins it sees; the last one goes on for ever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Verdict {
    /// What NodeGetInfo deserves.
    Fair,
    /// No, with this message.
    No(String),
    /// It asks GetInfo and then says nothing.
    Silent,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KubeletOptions {
    pub(crate) socket: PathBuf,
    pub(crate) dials: Dials,
    pub(crate) verdicts: Vec<Verdict>,
    /// Whether it comes again to a socket after it has refused the plugin there; since 1.36.
    pub(crate) retries_refusals: bool,
}

/// What it saw and did.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Seen {
    GetInfo(Result<Info, String>),
    Registered,
    Refused(String),
    /// The socket is gone, so the plugin is not registered any more.
    Deregistered,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Info {
    pub(crate) r#type: String,
    pub(crate) name: String,
    pub(crate) endpoint: String,
    pub(crate) supported_versions: Vec<String>,
}

/// One that watches a single path; it ends when dropped.
#[derive(Debug)]
pub(crate) struct Kubelet(TestProcess);

impl KubeletOptions {
    pub(crate) fn new(socket: impl Into<PathBuf>) -> Self {
        Self {
            socket: socket.into(),
            dials: Dials::default(),
            verdicts: vec![Verdict::Fair],
            retries_refusals: false,
        }
    }
}

impl Kubelet {
    pub(crate) fn start(options: &KubeletOptions) -> Self {
        Self(TestProcess::start(
            "support::kubelet::be_a_kubelet",
            options,
        ))
    }

    pub(crate) async fn next(&mut self) -> Seen {
        within("the kubelet sees something", self.0.says())
            .await
            .unwrap()
    }

    /// Waits until it has registered the plugin; returns what GetInfo said.
    pub(crate) async fn registers(&mut self) -> Info {
        let mut info = None;
        loop {
            match self.next().await {
                Seen::GetInfo(Ok(answer)) => info = Some(answer),
                Seen::Registered => return info.unwrap(),
                Seen::GetInfo(Err(_)) | Seen::Refused(_) | Seen::Deregistered => {}
            }
        }
    }

    /// Waits until it has refused the plugin; returns what it said.
    pub(crate) async fn refuses(&mut self) -> String {
        loop {
            if let Seen::Refused(message) = self.next().await {
                return message;
            }
        }
    }
}

impl From<PluginInfo> for Info {
    fn from(info: PluginInfo) -> Self {
        let PluginInfo {
            r#type,
            name,
            endpoint,
            supported_versions,
        } = info;
        Self {
            r#type,
            name,
            endpoint,
            supported_versions,
        }
    }
}

#[tokio::test]
#[ignore = "the other tests run it as the process of their kubelet"]
async fn be_a_kubelet() {
    operation::watch(TestProcess::options(), |seen| TestProcess::say(&seen)).await;
}
