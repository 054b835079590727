use std::time::{Duration, Instant};

use csi_identity::endpoint::{Authority, ConnectError, ConnectOptions, Endpoint};
use csi_identity::{CallError, PluginClient, code_name};
use serde_json::{Value, json};

use crate::{capabilities, info, probe};

/// What real callers put into `:authority` on a Unix socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Localhost,
    RawPath,
    EncodedPath,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Localhost, Self::RawPath, Self::EncodedPath];

    pub(super) fn who(self) -> &'static str {
        match self {
            Self::Localhost => "kubelets since 1.26 and sidecars calling a plugin",
            Self::RawPath => "kubelets to 1.28 registering a plugin",
            Self::EncodedPath => "kubelets since 1.29 registering a plugin",
        }
    }

    fn authority(self) -> Authority {
        match self {
            Self::Localhost => Authority::Localhost,
            Self::RawPath => Authority::RawPath,
            Self::EncodedPath => Authority::EncodedPath,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    PluginInfo,
    PluginCapabilities,
    Probe,
}

impl Call {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PluginInfo => "GetPluginInfo",
            Self::PluginCapabilities => "GetPluginCapabilities",
            Self::Probe => "Probe",
        }
    }
}

/// A client of one kind, with its connection.
#[derive(Debug)]
pub(super) struct Caller {
    pub(super) kind: Kind,
    pub(super) authority: String,
    plugin: PluginClient,
}

/// One call and what came of it.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) kind: Kind,
    pub(super) call: Call,
    pub(super) code: &'static str,
    pub(super) body: Value,
    pub(super) took: Duration,
}

impl Caller {
    pub(super) async fn connect(endpoint: &Endpoint, kind: Kind) -> Result<Self, ConnectError> {
        let authority = kind.authority();
        let text = authority.text(endpoint).into_owned();
        let options = ConnectOptions {
            authority,
            ..ConnectOptions::default()
        };
        Ok(Self {
            kind,
            authority: text,
            plugin: PluginClient::connect(endpoint, &options).await?,
        })
    }

    pub(super) async fn call(&self, call: Call) -> Answer {
        let started = Instant::now();
        let answer = match call {
            Call::PluginInfo => self
                .plugin
                .plugin_info()
                .await
                .map(|answer| info::to_json(&answer)),
            Call::PluginCapabilities => self
                .plugin
                .plugin_capabilities()
                .await
                .map(|answer| capabilities::to_json(&answer)),
            Call::Probe => self.plugin.probe().await.map(probe::to_json),
        };
        let took = started.elapsed();
        let (code, body) = match answer {
            Ok(body) => ("OK", body),
            Err(CallError::Answered(status)) => (code_name(status.code()), json!(status.message())),
            Err(error) => ("NO_ANSWER", json!(error.to_string())),
        };
        Answer {
            kind: self.kind,
            call,
            code,
            body,
            took,
        }
    }
}

impl Answer {
    pub(super) fn is_ok(&self) -> bool {
        self.code == "OK"
    }

    pub(super) fn is_ready(&self, ready: bool) -> bool {
        self.is_ok() && self.body["ready"] == json!(ready)
    }
}
