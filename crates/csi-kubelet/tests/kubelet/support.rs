//! What the tests stand on: registrars and plugins that say what they are told to, and a kubelet between them.

mod bounded;
mod kubelet;
mod node;
mod plugin;
mod raw;
mod registrar;
mod reply;
mod served;

pub(crate) use bounded::within;
pub(crate) use kubelet::Running;
pub(crate) use node::Node;
pub(crate) use plugin::{Plugin, answer};
pub(crate) use raw::{Manner, RawServer};
pub(crate) use registrar::{Registrar, Told, csi_plugin};
pub(crate) use reply::Reply;
use served::served;
