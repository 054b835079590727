use std::net::SocketAddr;

use anyhow::{Context, Result};

use super::{
    Plan, Sides,
    http::{Until, load, load_of_nothing},
    node::{self, Node, Programs},
};
use crate::bench::{
    memory::Resident,
    process::{Process, number},
};

/// How many connections a load has.
pub(crate) const CONNECTIONS: [usize; 2] = [1, 16];

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

/// Requests a second, in each of the rounds.
#[derive(Debug)]
pub(crate) struct Rates(pub(crate) Vec<[Rate; 2]>);

/// One round, with one number of connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    pub(crate) go: Option<f64>,
    pub(crate) ours: f64,
    /// Of a server that does nothing.
    pub(crate) nothing: f64,
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
        load(address, CONNECTIONS[1], Until::Answers(requests))?;
        footprint()
    };
    Ok(Held {
        at_start: footprint()?,
        after_few: after(few)?,
        after_many: after(many - few)?,
    })
}

/// Measures both and a server that does nothing, by turns.
pub(super) fn rates(programs: &Programs<'_>, plan: Plan) -> Result<Rates> {
    let node = Node::new(programs)?;
    let _plugin = node.plugin()?;
    let mut agent = node.agent()?;
    let ours = node::address(&mut agent)?;
    let sidecars = programs.sidecars;
    let mut liveness = sidecars
        .map(|sidecars| node.liveness(sidecars))
        .transpose()?;
    let go = liveness.as_mut().map(node::address).transpose()?;
    let round = |connections| {
        let rate = |address| load(address, connections, Until::Elapsed(plan.round));
        anyhow::Ok(Rate {
            go: go.map(rate).transpose()?,
            ours: rate(ours)?,
            nothing: load_of_nothing(connections, plan.round / 4)?,
        })
    };
    // The first round fills caches and is not counted.
    let rounds =
        (0..=plan.rounds).map(|_| anyhow::Ok([round(CONNECTIONS[0])?, round(CONNECTIONS[1])?]));
    let rounds: Result<Vec<_>> = rounds.collect();
    Ok(Rates(rounds?.split_off(1)))
}
