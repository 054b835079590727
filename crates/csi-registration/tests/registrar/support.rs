//! What the tests stand on: plugins on real sockets, a simulated kubelet, and a registrar between them.

mod bounded;
mod impatient;
mod kubelet;
pub(crate) mod log;
mod namespaces;
mod other_registrar;
mod plugin;
mod process;
mod rig;
mod unprivileged;

pub(crate) use bounded::{until, within};
pub(crate) use impatient::Impatient;
pub(crate) use kubelet::{Kubelet, KubeletOptions, REGISTRATION, refusal};
pub(crate) use namespaces::run_again;
pub(crate) use other_registrar::OtherRegistrar;
pub(crate) use plugin::{Answers, Running};
pub(crate) use process::TestProcess;
pub(crate) use rig::Rig;
pub(crate) use unprivileged::unprivileged;
