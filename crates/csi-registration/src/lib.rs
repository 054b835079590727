//! Registers a CSI storage plugin with the kubelet of its node, and keeps that true.
//!
//! A kubelet finds a plugin by a socket in its `plugins_registry` directory: it calls GetInfo there, then NodeGetInfo of
//! the plugin itself, and says with NotifyRegistrationStatus whether it took the plugin.

mod backoff;
mod host_path;
mod one_line;
mod plugin;
mod registrar;
mod state_file;
mod status;

pub use host_path::{HostPath, HostPathError};
pub use plugin::CallObserver;
pub use registrar::{Ended, RegisterWhen, RegisterWhenError, Registrar, RegistrarOptions};
pub use state_file::{StateFile, StateFileContent, StateFileError};
pub use status::{KubeletCall, PluginStatus, Refusal, State, Status, Timestamp, TimestampError};
