//! A configuration file as a whole.

use std::collections::BTreeSet;

use csi_endpoint::{Endpoint, SocketMode};
use csi_identity::{Check, NodeInfo, OfferedService, PluginInfo, ReadinessPolicy, VolumeExpansion};

use crate::error::{ConfigErrors, Flaws};
use crate::{section, text, tree};

/// What a configuration file says, as checked values.
///
/// Everything may be left out, since a command line can add it; what is there is complete and follows every rule of its
/// type. One file gives the same configuration on every machine: nothing is looked up.
///
/// ```
/// use csi_identity_config::Configuration;
///
/// let text = "\
/// endpoint: unix:///run/csi/csi.sock
/// plugin_info: {name: disk.acme.io, vendor_version: \"2.1.0\"}
/// plugin_capabilities: {capabilities: [{service: {type: CONTROLLER_SERVICE}}]}
/// ";
/// let configuration = Configuration::from_text(text, "csi.yaml")?;
/// assert_eq!(configuration.plugin_info.unwrap().name.as_str(), "disk.acme.io");
///
/// let errors = Configuration::from_text("plugin_info:\n  name: disk.acme.io\n  vendor_version: 1.10", "csi.yaml");
/// assert_eq!(
///     errors.unwrap_err().to_string(),
///     r#"csi.yaml:3:19: found the number 1.10 for vendor_version; it is text, so quote it: "1.10""#,
/// );
/// # Ok::<(), csi_identity_config::ConfigErrors>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// `endpoint`: the socket to serve on.
    pub endpoint: Option<Endpoint>,
    /// `plugin_info`: the answer to GetPluginInfo.
    pub plugin_info: Option<PluginInfo>,
    /// `plugin_capabilities`: the services that some instance of the plugin serves, this one or another.
    pub offered: BTreeSet<OfferedService>,
    /// `plugin_capabilities`: the states in which volumes can be expanded.
    pub expansion: BTreeSet<VolumeExpansion>,
    /// `node`: the answer to NodeGetInfo.
    pub node: Option<NodeInfo>,
    /// `checks`, in the order of the file; no two have the same name. Empty if there is a fixed answer to Probe.
    pub checks: Vec<Check>,
    /// `startup_timeout` and `while_starting`.
    pub readiness: ReadinessPolicy,
    /// `probe`: whether the plugin is ready, or starting, for ever. Where it is starting, `readiness` makes no error of it.
    pub fixed_probe: Option<bool>,
    /// `gate_on_readiness`: whether Controller and Node calls are refused while the plugin is not ready.
    pub gate_on_readiness: bool,
    /// `socket`: who may connect.
    pub socket: SocketSettings,
}

/// Who may connect to the socket; what is not said is left to whoever binds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SocketSettings {
    /// `mode`: the permissions of the socket file.
    pub mode: Option<SocketMode>,
    /// `group`: the id of its group.
    pub group: Option<u32>,
    /// `allow_uids`: the users that may connect; at least one, each once.
    pub allow_uids: Option<Vec<u32>>,
}

impl Configuration {
    /// How large a file may be: 1 MiB. Aliases count as what they stand for.
    pub const MAX_BYTES: usize = 1 << 20;

    /// Reads the text of a file, YAML or JSON, which `name` is for messages.
    ///
    /// Whatever the text is, this ends within moments and takes little memory.
    ///
    /// # Errors
    ///
    /// The first reason why it is no YAML, or all that is wrong with what it says, as far as that is not more than
    /// [`ConfigErrors::MOST`].
    pub fn from_text(text: &str, name: &str) -> Result<Self, ConfigErrors> {
        Self::read(text).map_err(|flaws| ConfigErrors::of(name, flaws))
    }

    /// Reads the bytes of a file, as [`Configuration::from_text`] does its text.
    ///
    /// To know that a file is too large, one byte more than [`Configuration::MAX_BYTES`] is enough.
    ///
    /// # Errors
    ///
    /// As [`Configuration::from_text`], and where the bytes are not UTF-8.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, ConfigErrors> {
        match text::from_bytes(bytes) {
            Ok(text) => Self::from_text(text, name),
            Err(flaw) => Err(ConfigErrors::of(name, flaw.into())),
        }
    }

    fn read(text: &str) -> Result<Self, Flaws> {
        let text = text::checked(text)?;
        let root = tree::parse(text)?;
        let mut flaws = Flaws::default();
        match section::read(&root, &mut flaws) {
            Some(configuration) if flaws.is_empty() => Ok(configuration),
            _ => Err(flaws),
        }
    }
}
