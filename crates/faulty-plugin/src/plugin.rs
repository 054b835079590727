//! A plugin as data: what it answers, and how it behaves.

use std::collections::BTreeMap;

use crate::fault::Fault;
use crate::habits::Habits;
use crate::process::Process;
use crate::reply::Reply;
use crate::rpc::Rpc;

mod good;

pub use good::Service;
pub(crate) use good::{
    controller_capability, expansion_capability, node_capability, service_capability,
};

/// What a plugin answers, and how it behaves.
///
/// Two plugins of the same fault are the same, but for faults that are about restarts: those differ from process to
/// process.
///
/// ```
/// use faulty_plugin::{Fault, Plugin, Service};
///
/// let good = Plugin::default().serving(Service::Controller);
/// let faulty = Plugin::from("probe-flips".parse::<Fault>()?);
/// # let _ = (good, faulty);
/// # Ok::<(), faulty_plugin::UnknownFault>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plugin {
    calls: BTreeMap<&'static str, Turns>,
    pub(crate) habits: Habits,
    pub(crate) process: Process,
}

/// The answers to one call, by how often it was made. There is always one.
#[derive(Clone, Debug)]
struct Turns {
    first: Reply,
    /// The answers that follow; then it begins anew.
    more: Vec<Reply>,
    /// The answer from this call on, counted from 1, if that is another.
    late: Option<(usize, Reply)>,
}

impl Plugin {
    /// What a call is answered with that was made `earlier` times before; nothing for a call it does not have.
    pub(crate) fn answer(&self, path: &str, earlier: usize) -> Option<&Reply> {
        let turns = self.calls.get(path)?;
        if let Some((from, reply)) = &turns.late
            && earlier + 1 >= *from
        {
            return Some(reply);
        }
        match earlier % (turns.more.len() + 1) {
            0 => Some(&turns.first),
            turn => turns.more.get(turn - 1),
        }
    }

    /// The paths it answers.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &'static str> {
        self.calls.keys().copied()
    }

    /// Answers a call in this way, each time.
    pub(crate) fn set(&mut self, path: &'static str, reply: Reply) {
        let turns = Turns {
            first: reply,
            more: Vec::new(),
            late: None,
        };
        self.calls.insert(path, turns);
    }

    /// No longer has a call.
    pub(crate) fn remove(&mut self, path: &str) {
        self.calls.remove(path);
    }

    /// Changes how a call is answered.
    pub(crate) fn shape(&mut self, path: &str, change: impl FnOnce(&mut Reply)) {
        if let Some(turns) = self.calls.get_mut(path) {
            change(&mut turns.first);
        }
    }

    /// Changes what a call is answered with.
    pub(crate) fn edit<M: prost::Message + Default>(
        &mut self,
        rpc: Rpc<M>,
        change: impl FnOnce(&mut M),
    ) {
        self.shape(rpc.path(), |reply| edit(reply, change));
    }

    /// Answers every second call otherwise.
    pub(crate) fn alternate<M: prost::Message + Default>(
        &mut self,
        rpc: Rpc<M>,
        change: impl FnOnce(&mut M),
    ) {
        self.alternate_reply(rpc.path(), |reply| edit(reply, change));
    }

    /// The same for answers of whatever kind.
    pub(crate) fn alternate_reply(&mut self, path: &str, change: impl FnOnce(&mut Reply)) {
        if let Some(turns) = self.calls.get_mut(path) {
            let mut reply = turns.first.clone();
            change(&mut reply);
            turns.more.push(reply);
        }
    }

    /// Answers the call with this number, counted from 1, and all after it otherwise.
    pub(crate) fn since_call(
        &mut self,
        number: usize,
        path: &str,
        change: impl FnOnce(&mut Reply),
    ) {
        if let Some(turns) = self.calls.get_mut(path) {
            let mut reply = turns.first.clone();
            change(&mut reply);
            turns.late = Some((number, reply));
        }
    }
}

impl From<Fault> for Plugin {
    /// The plugin that is good but for one thing.
    fn from(fault: Fault) -> Self {
        let mut plugin = Self::default();
        fault.apply(&mut plugin);
        plugin
    }
}

fn edit<M: prost::Message + Default>(reply: &mut Reply, change: impl FnOnce(&mut M)) {
    let mut message = reply.message();
    change(&mut message);
    reply.set_message(message.encode_to_vec());
}
