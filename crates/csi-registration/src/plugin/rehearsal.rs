//! The calls a plugin is asked before a kubelet is told of it, in the order in which the document of its interface has them.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use csi_endpoint::Channel;
use csi_identity::{CallError, PluginClient};
use csi_proto::csi::v1::{GetPluginInfoResponse, NodeGetInfoResponse};
use tokio::time::Instant;
use tonic::Code;

use super::judge;
use crate::{CallObserver, RegisterWhen};

/// How long a kubelet waits for NodeGetInfo (`csi_plugin.go`, 1.20 to 1.36).
const NODE_GET_INFO_TIMEOUT: Duration = Duration::from_secs(120);

/// How a plugin is asked.
#[derive(Clone)]
pub(crate) struct Rehearsal {
    plugin: PluginClient,
    call_timeout: Duration,
    when: RegisterWhen,
    kubelet_root: Option<PathBuf>,
    observer: Option<CallObserver>,
}

/// What a plugin said of itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Report {
    pub(crate) driver: String,
    pub(crate) vendor_version: String,
    /// Nothing while it was not asked yet.
    pub(crate) node: Option<NodeGetInfoResponse>,
    pub(crate) warnings: Vec<String>,
}

/// Whether a plugin can be registered.
#[derive(Debug)]
pub(super) enum Verdict {
    Eligible(Report),
    /// It says itself that it is too early.
    NotReady {
        reason: String,
    },
    /// It answered, and a kubelet or the API server would refuse it.
    Obstacle {
        reason: String,
    },
    NoAnswer {
        reason: String,
    },
}

impl Rehearsal {
    pub(crate) fn new(
        channel: Channel,
        call_timeout: Duration,
        when: RegisterWhen,
        kubelet_root: Option<PathBuf>,
        observer: Option<CallObserver>,
    ) -> Self {
        Self {
            plugin: PluginClient::new(channel).with_call_timeout(call_timeout),
            call_timeout,
            when,
            kubelet_root,
            observer,
        }
    }

    /// Asks and judges. `early` hears of a plugin that is to be registered before all is known.
    pub(super) async fn run(&self, early: impl FnOnce(Report)) -> Verdict {
        match self.ask(early).await {
            Ok(report) => Verdict::Eligible(report),
            Err(verdict) => verdict,
        }
    }

    async fn ask(&self, early: impl FnOnce(Report)) -> Result<Report, Verdict> {
        let info = self.plugin_info().await?;
        let mut warnings = Vec::new();
        let root = self.kubelet_root.as_deref();
        judge::info(&info, root, &mut warnings).map_err(|reason| Verdict::Obstacle { reason })?;
        let mut report = Report {
            driver: info.name,
            vendor_version: info.vendor_version,
            node: None,
            warnings,
        };
        let at_once = self.when == RegisterWhen::Serving;
        if at_once {
            early(report.clone());
        }
        match self.rest(&mut report).await {
            Err(
                Verdict::NoAnswer { reason }
                | Verdict::NotReady { reason }
                | Verdict::Obstacle { reason },
            ) if at_once => {
                report.warnings.push(reason);
            }
            done => done?,
        }
        Ok(report)
    }

    async fn plugin_info(&self) -> Result<GetPluginInfoResponse, Verdict> {
        let call = self.plugin.plugin_info();
        let answer = self.observed("/csi.v1.Identity/GetPluginInfo", call).await;
        match answer {
            Ok(info) if info.name.is_empty() => Err(Verdict::NotReady {
                reason:
                    "GetPluginInfo: the name is empty, so the plugin does not know yet who it is"
                        .to_owned(),
            }),
            Ok(info) => Ok(info),
            Err(CallError::Answered(status)) => Err(Verdict::NotReady {
                reason: format!("GetPluginInfo: {}", CallError::Answered(status)),
            }),
            Err(error) => Err(self.no_answer("GetPluginInfo", &error)),
        }
    }

    async fn rest(&self, report: &mut Report) -> Result<(), Verdict> {
        let call = self.plugin.plugin_capabilities();
        let path = "/csi.v1.Identity/GetPluginCapabilities";
        let capabilities = match self.observed(path, call).await {
            Ok(capabilities) => capabilities,
            // No kubelet asks for them; sidecars do, and say so themselves.
            Err(error @ CallError::Answered(_)) => {
                report.warnings.push(format!(
                    "GetPluginCapabilities: {error}; sidecars exit on that"
                ));
                Vec::new()
            }
            Err(error) => return Err(self.no_answer("GetPluginCapabilities", &error)),
        };
        self.probe(report).await?;
        let patient = self
            .plugin
            .clone()
            .with_call_timeout(NODE_GET_INFO_TIMEOUT.max(self.call_timeout));
        let answer = self
            .observed("/csi.v1.Node/NodeGetInfo", patient.node_info())
            .await;
        let node = match answer {
            Ok(node) => node,
            Err(CallError::Answered(status)) if status.code() == Code::Unimplemented => {
                let reason = "NodeGetInfo: UNIMPLEMENTED, and a kubelet registers no plugin without it; serve csi.v1.Node \
                              on this socket, or leave the registration out"
                    .to_owned();
                return Err(Verdict::Obstacle { reason });
            }
            Err(error @ CallError::Answered(_)) => {
                return Err(Verdict::Obstacle {
                    reason: format!(
                        "NodeGetInfo: {error}; a kubelet would refuse the plugin, and before 1.36 never ask again"
                    ),
                });
            }
            Err(error) => return Err(self.no_answer("NodeGetInfo", &error)),
        };
        judge::node(&node, &capabilities, &mut report.warnings)
            .map_err(|reason| Verdict::Obstacle { reason })?;
        report.node = Some(node);
        Ok(())
    }

    async fn probe(&self, report: &mut Report) -> Result<(), Verdict> {
        let answer = self
            .observed("/csi.v1.Identity/Probe", self.plugin.probe())
            .await;
        match answer {
            Ok(None | Some(true)) => Ok(()),
            Ok(Some(false)) => Err(Verdict::NotReady {
                reason: "Probe: ready=false, so the plugin is still starting".to_owned(),
            }),
            Err(CallError::Answered(status)) if status.code() == Code::Unimplemented => {
                report
                    .warnings
                    .push("Probe: UNIMPLEMENTED, taken as ready; sidecars exit on that".to_owned());
                Ok(())
            }
            Err(error @ CallError::Answered(_)) => Err(Verdict::NotReady {
                reason: format!("Probe: {error}"),
            }),
            Err(error) => Err(self.no_answer("Probe", &error)),
        }
    }

    fn no_answer(&self, method: &str, error: &CallError) -> Verdict {
        let hint = match error {
            CallError::TimedOut { after } if *after == self.call_timeout => {
                "; the limit is that of --timeout, and it is asked again"
            }
            _ => "",
        };
        Verdict::NoAnswer {
            reason: format!("{method}: {error}{hint}"),
        }
    }

    async fn observed<T>(
        &self,
        method: &'static str,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let begun = Instant::now();
        let answer = call.await;
        if let Some(observer) = &self.observer {
            let code = match &answer {
                Ok(_) => Code::Ok,
                Err(error) => error.code(),
            };
            observer.call(method, code, begun.elapsed());
        }
        answer
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = match self.vendor_version.as_str() {
            "" => "of no version",
            version => version,
        };
        write!(f, "{} {version} answers", self.driver)
    }
}
