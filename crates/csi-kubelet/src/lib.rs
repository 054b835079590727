//! What a kubelet does with a CSI storage plugin, without a cluster.
//!
//! [`Kubelet`] finds registration sockets, dials, asks, judges, registers, refuses and forgets as the plugin manager of a kubelet of any
//! version from 1.20 to 1.36 does, and tells each step as an [`Event`]. Below it is a pure part: what differs between versions
//! ([`KubeletVersion`]), which plugins are judged fit ([`DriverVersion`], [`Drivers`]), what becomes of the Node and the CSINode
//! ([`NodeObjects`]), and what is to be done next given what was seen ([`World`]).

mod calls;
mod clock;
mod driver_version;
mod drivers;
mod event;
mod fault;
mod go_text;
mod kubelet;
mod label;
mod manifest;
mod node_objects;
mod trace;
mod version;
mod watcher;
mod world;

pub use clock::{Clock, RunningClock};
pub use driver_version::DriverVersion;
pub use drivers::{Drivers, PluginRefused};
pub use event::{Event, Failure, What};
pub use fault::{Fault, FaultError};
pub use kubelet::{Kubelet, KubeletError, KubeletOptions};
pub use label::check_label;
pub use node_objects::{CsiNodeDriver, InstallError, NodeInfoAnswer, NodeObjects};
pub use trace::{Participant, Step, Trace, TraceForm, TraceFormError};
pub use version::{KubeletVersion, KubeletVersionError};
pub use world::{Begin, Instance, World};
