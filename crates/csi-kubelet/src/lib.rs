//! What a kubelet does with a CSI storage plugin, without a cluster.
//!
//! What is here is the pure part: what differs between versions ([`KubeletVersion`]), which plugins are judged fit
//! ([`DriverVersion`], [`Drivers`]), what becomes of the Node and the CSINode ([`NodeObjects`]), and what is to be done next given what was seen ([`World`]). None of it does I/O.

mod clock;
mod driver_version;
mod drivers;
mod fault;
mod label;
mod manifest;
mod node_objects;
mod trace;
mod version;
mod world;

pub use clock::{Clock, RunningClock};
pub use driver_version::DriverVersion;
pub use drivers::{Drivers, PluginRefused};
pub use fault::{Fault, FaultError};
pub use node_objects::{CsiNodeDriver, InstallError, NodeInfoAnswer, NodeObjects};
pub use trace::{Participant, Step, Trace, TraceForm, TraceFormError};
pub use version::{KubeletVersion, KubeletVersionError};
pub use world::{Begin, Instance, World};
