use clap::ValueEnum;
use csi_identity::{CallError, PluginClient};

/// What to call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Choice {
    /// GetPluginInfo.
    Info,
    /// GetPluginCapabilities.
    Capabilities,
    /// Probe.
    Probe,
    /// The three in turn.
    #[default]
    All,
}

/// An RPC of the Identity service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rpc {
    PluginInfo,
    PluginCapabilities,
    Probe,
}

impl Choice {
    pub(super) fn rpcs(self) -> &'static [Rpc] {
        match self {
            Self::Info => &[Rpc::PluginInfo],
            Self::Capabilities => &[Rpc::PluginCapabilities],
            Self::Probe => &[Rpc::Probe],
            Self::All => &[Rpc::PluginInfo, Rpc::PluginCapabilities, Rpc::Probe],
        }
    }

    /// As it is written on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Capabilities => "capabilities",
            Self::Probe => "probe",
            Self::All => "all",
        }
    }
}

impl Rpc {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PluginInfo => "GetPluginInfo",
            Self::PluginCapabilities => "GetPluginCapabilities",
            Self::Probe => "Probe",
        }
    }

    /// Calls once. What the answer says does not matter here.
    pub(super) async fn call(self, plugin: &PluginClient) -> Result<(), CallError> {
        match self {
            Self::PluginInfo => plugin.plugin_info().await.map(drop),
            Self::PluginCapabilities => plugin.plugin_capabilities().await.map(drop),
            Self::Probe => plugin.probe().await.map(drop),
        }
    }
}
