//! What a plugin answered when it was asked once.

use std::time::Duration;

use csi_identity::ObservedCapability;
use csi_identity::proto::csi::v1::{GetPluginInfoResponse, NodeGetInfoResponse};

/// A call that a plugin is asked here; none of them changes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    GetPluginInfo,
    GetPluginCapabilities,
    Probe,
    ControllerGetCapabilities,
    NodeGetCapabilities,
    NodeGetInfo,
}

impl Call {
    pub(crate) const ALL: [Self; 6] = [
        Self::GetPluginInfo,
        Self::GetPluginCapabilities,
        Self::Probe,
        Self::ControllerGetCapabilities,
        Self::NodeGetCapabilities,
        Self::NodeGetInfo,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::GetPluginInfo => "GetPluginInfo",
            Self::GetPluginCapabilities => "GetPluginCapabilities",
            Self::Probe => "Probe",
            Self::ControllerGetCapabilities => "ControllerGetCapabilities",
            Self::NodeGetCapabilities => "NodeGetCapabilities",
            Self::NodeGetInfo => "NodeGetInfo",
        }
    }
}

/// How one call ended, and after what time.
#[derive(Clone, Debug)]
pub(crate) struct Answer<T> {
    pub(crate) end: End<T>,
    pub(crate) took: Duration,
}

/// How a call ended.
#[derive(Clone, Debug)]
pub(crate) enum End<T> {
    Ok(T),
    /// The plugin's own error.
    Error(Refusal),
    /// Not at all in the time that was granted here.
    Silent,
}

/// An error that came over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The number of the gRPC code.
    pub(crate) code: i32,
    /// Its name, as the gRPC documents write it.
    pub(crate) name: &'static str,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) const DEADLINE_EXCEEDED: i32 = 4;
    pub(crate) const UNIMPLEMENTED: i32 = 12;
}

/// All answers of a plugin.
#[derive(Clone, Debug)]
pub(crate) struct Observation {
    pub(crate) info: Answer<GetPluginInfoResponse>,
    pub(crate) capabilities: Answer<Vec<ObservedCapability>>,
    /// `ready` may be unset, which means true.
    pub(crate) probe: Answer<Option<bool>>,
    /// The numbers of the controller's capabilities.
    pub(crate) controller: Answer<Vec<i32>>,
    /// The numbers of the node's capabilities.
    pub(crate) node: Answer<Vec<i32>>,
    pub(crate) node_info: Answer<NodeGetInfoResponse>,
}

impl Observation {
    /// How a call ended, whatever it brought.
    pub(crate) fn call(&self, call: Call) -> Answer<()> {
        match call {
            Call::GetPluginInfo => self.info.bare(),
            Call::GetPluginCapabilities => self.capabilities.bare(),
            Call::Probe => self.probe.bare(),
            Call::ControllerGetCapabilities => self.controller.bare(),
            Call::NodeGetCapabilities => self.node.bare(),
            Call::NodeGetInfo => self.node_info.bare(),
        }
    }

    /// Whether no call was answered at all.
    pub(crate) fn is_silent(&self) -> bool {
        let mut ends = Call::ALL.iter().map(|&call| self.call(call).end);
        ends.all(|end| matches!(end, End::Silent))
    }
}

impl<T> Answer<T> {
    pub(crate) fn ok(&self) -> Option<&T> {
        match &self.end {
            End::Ok(answer) => Some(answer),
            End::Error(_) | End::Silent => None,
        }
    }

    fn bare(&self) -> Answer<()> {
        let end = match &self.end {
            End::Ok(_) => End::Ok(()),
            End::Error(refusal) => End::Error(refusal.clone()),
            End::Silent => End::Silent,
        };
        Answer {
            end,
            took: self.took,
        }
    }
}
