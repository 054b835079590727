//! What the kubelet's handler for CSI plugins does (`csi_plugin.go`, `nodeinfomanager.go`).

use csi_identity::proto::pluginregistration::v1::PluginInfo;

use super::Attempt;
use crate::calls::{authority_text, node_get_info};
use crate::kubelet::memory::Begun;
use crate::{Event, Failure, Fault, NodeInfoAnswer, NodeObjects, What};

/// Why RegisterPlugin failed.
pub(super) struct Failed {
    pub(super) message: String,
    pub(super) cause: Option<String>,
}

impl Failed {
    fn because(reason: impl Into<String>) -> Self {
        Self {
            message: reason.into(),
            cause: None,
        }
    }
}

impl<F: FnMut(&Event, &NodeObjects)> Attempt<'_, F> {
    /// What the handler for CSI plugins does.
    pub(super) async fn register_plugin(&self, info: &PluginInfo) -> Result<(), Failed> {
        let PluginInfo {
            name: driver,
            endpoint,
            supported_versions: versions,
            ..
        } = info;
        // Another one may have come in since ValidatePlugin.
        self.memory()
            .drivers
            .add(driver, endpoint, versions)
            .map_err(|error| Failed::because(error.to_string()))?;
        if driver.is_empty() {
            // Nor is it forgotten then: the next one without a name is one too many.
            return Err(Failed::because("driver name is empty"));
        }
        let installed = match self.node_get_info(driver, endpoint).await {
            Ok(answer) => self.install(driver, &answer),
            Err(failure) => Err(Failed {
                message: failure.message,
                cause: failure.cause,
            }),
        };
        if installed.is_err() {
            self.memory().uninstall(driver);
        }
        installed
    }

    async fn node_get_info(&self, driver: &str, endpoint: &str) -> Result<NodeInfoAnswer, Failure> {
        let begun = Begun::now();
        let authority = self.options.version.csi_authority();
        let text = authority_text(&authority, endpoint);
        let outcome = node_get_info(endpoint, authority).await;
        let what = What::NodeGetInfo {
            endpoint: endpoint.to_owned(),
            authority: text,
            outcome: outcome.clone(),
        };
        self.tell_end(begun, Some(driver), what);
        outcome
    }

    fn install(&self, driver: &str, answer: &NodeInfoAnswer) -> Result<(), Failed> {
        if let Some(reason) = self.wanted_refusal(driver) {
            return Err(Failed::because(reason));
        }
        let mut memory = self.memory();
        let labels = memory
            .objects
            .install_on_node(driver, answer)
            .map_err(|error| Failed::because(error.to_string()))?;
        let node_id = answer.node_id.clone();
        memory.tell(
            Some(self.socket),
            Some(driver),
            What::Node { node_id, labels },
        );
        let entry = memory
            .objects
            .install_on_csi_node(driver, answer, self.options.version)
            .map_err(|error| Failed::because(error.to_string()))?
            .clone();
        memory.tell(Some(self.socket), Some(driver), What::CsiNode { entry });
        Ok(())
    }

    /// Why a fault wants this plugin refused, if it does.
    fn wanted_refusal(&self, driver: &str) -> Option<String> {
        self.options.faults.iter().find_map(|fault| match fault {
            Fault::Refuse(text) => Some(text.clone()),
            Fault::RefuseFirst(count) => {
                let mut memory = self.memory();
                let refused = memory.refusals.entry(driver.to_owned()).or_default();
                (*refused < *count).then(|| {
                    *refused += 1;
                    format!("refusal {refused} of {count} that were asked for")
                })
            }
            _ => None,
        })
    }
}
