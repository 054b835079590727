use std::net::SocketAddr;

use anyhow::{Context, Result};

use super::{
    Plan, Sides,
    http::{Until, load},
    node::{self, Node, Programs},
};
use crate::bench::{
    memory::Resident,
    process::{Process, number},
};

/// How many connections a load has, unless it is said.
pub(super) const CONNECTIONS: usize = 16;

/// What is held at three moments.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) at_start: Footprint,
    pub(crate) after_few: Footprint,
    pub(crate) after_many: Footprint,
}

/// What processes hold of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Bytes of resident memory (`VmRSS`).
    pub(crate) memory: u64,
    pub(crate) descriptors: u64,
    pub(crate) threads: u64,
}

impl Footprint {
    fn of(process: &Process) -> Result<Self> {
        let memory = Resident::of(process)?.all;
        Ok(Self {
            memory,
            descriptors: process.descriptors()?,
            threads: number(&process.status()?, "Threads")?,
        })
    }

    fn plus(self, other: Self) -> Self {
        Self {
            memory: self.memory + other.memory,
            descriptors: self.descriptors + other.descriptors,
            threads: self.threads + other.threads,
        }
    }
}

/// Measures the agent, and then the two in Go as one, each while a kubelet has the plugin registered. Connections for HTTP are
/// closed when it is looked what is held.
pub(super) fn held(programs: &Programs<'_>, plan: Plan) -> Result<Sides<Held>> {
    let node = Node::new(programs)?;
    let _plugin = node.plugin()?;
    let mut agent = node.agent()?;
    let address = node::address(&mut agent)?;
    node.register(&mut agent)?;
    let ours = held_by(address, plan.few_requests, plan.many_requests, || {
        Footprint::of(&agent)
    });
    let ours = ours.context("the agent")?;
    drop(agent);
    let Some(sidecars) = programs.sidecars else {
        return Ok(Sides { go: None, ours });
    };
    let node = Node::new(programs)?;
    let _plugin = node.plugin()?;
    let mut registrar = node.registrar(sidecars)?;
    let mut liveness = node.liveness(sidecars)?;
    let address = node::address(&mut liveness)?;
    node.register(&mut registrar)?;
    let go = held_by(address, plan.few_requests, plan.many_go_requests, || {
        Ok(Footprint::of(&registrar)?.plus(Footprint::of(&liveness)?))
    });
    Ok(Sides {
        go: Some(go.context("those in Go")?),
        ours,
    })
}

fn held_by(
    address: SocketAddr,
    few: usize,
    many: usize,
    footprint: impl Fn() -> Result<Footprint>,
) -> Result<Held> {
    let after = |requests| {
        load(address, CONNECTIONS, Until::Answers(requests))?;
        footprint()
    };
    Ok(Held {
        at_start: footprint()?,
        after_few: after(few)?,
        after_many: after(many - few)?,
    })
}
