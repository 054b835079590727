use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use csi_identity::proto::pluginregistration::v1::PluginInfo;
use tonic::Code;

use crate::{CsiNodeDriver, KubeletVersion, NodeInfoAnswer};

mod form;
mod sentence;
mod step;

/// Something a kubelet saw or did.
///
/// It is complete: whatever a report or a picture shows of a registration is in its events. Shown as text it is a line for people,
/// [`Event::to_json`] is for programs.
#[derive(Clone, Debug)]
pub struct Event {
    /// When it happened; of what takes time, when it began.
    pub time: SystemTime,
    /// How long it took, if it takes time.
    pub took: Option<Duration>,
    /// The registration socket it is about.
    pub socket: Option<PathBuf>,
    /// The driver it is about, as soon as that is known.
    pub driver: Option<String>,
    /// What it was.
    pub what: What,
}

/// What a kubelet saw or did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum What {
    /// The kubelet started: for the first time, or anew as [`Fault::RestartEvery`](crate::Fault::RestartEvery) wants it.
    Started {
        /// The one that is emulated.
        version: KubeletVersion,
        /// The directory in which it looks for sockets.
        directory: PathBuf,
    },
    /// There is a socket, or another one at a path that was known.
    Discovered,
    /// There is something in the directory that a kubelet leaves alone, or cannot look at.
    Ignored {
        /// Why.
        reason: String,
    },
    /// A socket that was known has been removed.
    Removed,
    /// The registration socket was dialled.
    Dial {
        /// What is sent as `:authority` on it.
        authority: String,
        /// What came of it.
        outcome: Result<(), Failure>,
    },
    /// GetInfo was called.
    GetInfo {
        /// What the registrar said.
        outcome: Result<PluginInfo, Failure>,
    },
    /// The kubelet's handler for CSI plugins finds the plugin good enough to be asked for more.
    Validated {
        /// The version of the interface that both speak.
        version: String,
    },
    /// NodeGetInfo was called, at the plugin.
    NodeGetInfo {
        /// Where: what GetInfo said, taken as a path.
        endpoint: String,
        /// What is sent as `:authority` there.
        authority: String,
        /// What the plugin said.
        outcome: Result<NodeInfoAnswer, Failure>,
    },
    /// The Node was changed, or found as it should be.
    Node {
        /// What the annotation says of the driver.
        node_id: String,
        /// The labels that were added.
        labels: BTreeMap<String, String>,
    },
    /// The CSINode was changed, or found as it should be.
    CsiNode {
        /// The entry of the driver.
        entry: CsiNodeDriver,
    },
    /// NotifyRegistrationStatus was called.
    Notified {
        /// Whether the plugin is registered.
        registered: bool,
        /// The text that is sent along if it is not.
        error: String,
        /// What came of the call.
        outcome: Result<(), Failure>,
    },
    /// The plugin is registered.
    Registered,
    /// A registration failed.
    Refused {
        /// The error as it stands in the kubelet's log.
        message: String,
        /// What is really the matter, where the log does not say it.
        cause: Option<String>,
    },
    /// The driver is not registered any more, and its entry in the CSINode is gone.
    Deregistered,
    /// The kubelet will try that socket again.
    NextRetry {
        /// How long it waits at least.
        pause: Duration,
    },
    /// The kubelet leaves that socket alone until another one takes its place.
    NoRetry,
}

/// Why a call brought no good answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The code a caller in Go sees.
    pub code: Code,
    /// The error in the words a kubelet's log has for it.
    pub message: String,
    /// What is the matter, where those words hide it.
    pub cause: Option<String>,
}

impl What {
    /// What it is called in reports; calls are called as they are.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Started { .. } => "started",
            Self::Discovered => "discovered",
            Self::Ignored { .. } => "ignored",
            Self::Removed => "removed",
            Self::Dial { .. } => "dial",
            Self::GetInfo { .. } => "GetInfo",
            Self::Validated { .. } => "validated",
            Self::NodeGetInfo { .. } => "NodeGetInfo",
            Self::Node { .. } => "node",
            Self::CsiNode { .. } => "csinode",
            Self::Notified { .. } => "notified",
            Self::Registered => "registered",
            Self::Refused { .. } => "refused",
            Self::Deregistered => "deregistered",
            Self::NextRetry { .. } => "next_retry",
            Self::NoRetry => "no_retry",
        }
    }

    /// Why it failed, if it is a call that did.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Dial { outcome, .. } | Self::Notified { outcome, .. } => outcome.as_ref().err(),
            Self::GetInfo { outcome } => outcome.as_ref().err(),
            Self::NodeGetInfo { outcome, .. } => outcome.as_ref().err(),
            _ => None,
        }
    }

    /// The gRPC code, if it is a call.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Dial { .. }
            | Self::GetInfo { .. }
            | Self::NodeGetInfo { .. }
            | Self::Notified { .. } => {
                Some(self.failure().map_or(Code::Ok, |failure| failure.code))
            }
            _ => None,
        }
    }
}
