use std::time::Duration;

use csi_identity::endpoint::{Endpoint, SocketMode};
use csi_identity::{
    KeyValue, MaxVolumes, NodeId, OfferedService, PluginName, VendorVersion, VolumeExpansion,
    WhileStarting,
};

use crate::id;

/// What a plugin is, as far as flags say it.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Flags {
    /// Socket to serve on: unix:///abs, unix:/abs or /abs.
    #[arg(
        short,
        long,
        env = "CSI_ENDPOINT",
        value_name = "ENDPOINT",
        required_unless_present = "config"
    )]
    pub(super) endpoint: Option<Endpoint>,
    /// Name of the plugin, in reverse-domain form.
    #[arg(long, required_unless_present = "config")]
    pub(super) name: Option<PluginName>,
    /// Version of the plugin, by its vendor's count.
    #[arg(long, value_name = "VERSION", required_unless_present = "config")]
    pub(super) vendor_version: Option<VendorVersion>,
    /// A fact about the plugin; may be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) manifest: Vec<KeyValue>,
    /// What the plugin offers, in this or in another of its instances; may be given several times: CONTROLLER_SERVICE,
    /// NODE_SERVICE, GROUP_CONTROLLER_SERVICE, SNAPSHOT_METADATA_SERVICE, VOLUME_ACCESSIBILITY_CONSTRAINTS.
    #[arg(long = "capability", value_name = "NAME")]
    pub(super) capabilities: Vec<OfferedService>,
    /// How the plugin can expand volumes, online or offline; may be given twice.
    #[arg(long, value_name = "MODE")]
    pub(super) expansion: Vec<VolumeExpansion>,
    /// Id of the node it runs on, 1 to 256 bytes; without it no NodeGetInfo is answered.
    #[arg(long, value_name = "ID")]
    pub(super) node_id: Option<NodeId>,
    /// A topology segment of that node; may be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) topology: Vec<KeyValue>,
    /// How many volumes that node can have; 0 leaves it to the orchestrator.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) max_volumes: Option<MaxVolumes>,
    /// How long the plugin may be starting before Probe answers an error; without a limit by default.
    #[arg(long, value_parser = crate::duration::parse_positive, value_name = "DURATION")]
    pub(super) startup_timeout: Option<Duration>,
    /// What Probe answers until the plugin is ready for the first time: not_ready (ready=false) or error.
    #[arg(long, value_name = "ANSWER")]
    pub(super) while_starting: Option<WhileStarting>,
    /// Refuse storage calls with UNAVAILABLE while the plugin is not ready.
    #[arg(long)]
    pub(super) gate_on_readiness: bool,
    /// Number of a user that may connect; may be given several times. Everyone by default, as far as the socket's mode goes.
    /// With --register or --http-endpoint the server's own user may, too.
    #[arg(long = "allow-uid", value_parser = id::user, value_name = "UID", allow_negative_numbers = true)]
    pub(super) allow_uids: Vec<u32>,
    /// Permissions of the socket, in octal, as in 0660; 0600 by default.
    #[arg(long, value_name = "MODE")]
    pub(super) socket_mode: Option<SocketMode>,
    /// Number of the socket's group.
    #[arg(long, value_parser = id::group, value_name = "GID", allow_negative_numbers = true)]
    pub(super) socket_group: Option<u32>,
}
