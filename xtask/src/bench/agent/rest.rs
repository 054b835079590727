use std::thread;

use anyhow::Result;

use super::{
    Plan, Sides,
    node::{self, Node, Programs},
};
use crate::bench::process::Process;

/// Counts how often each wakes up by itself while the plugin is well, registered, and nobody asks; all over the same time.
pub(super) fn measure(programs: &Programs<'_>, plan: Plan) -> Result<Sides<u64>> {
    let nodes = [Node::new(programs)?, Node::new(programs)?];
    let _plugins = [nodes[0].plugin()?, nodes[1].plugin()?];
    let mut agent = nodes[0].agent()?;
    node::address(&mut agent)?;
    nodes[0].register(&mut agent)?;
    let mut go = Vec::new();
    if let Some(sidecars) = programs.sidecars {
        let mut registrar = nodes[1].registrar(sidecars)?;
        nodes[1].register(&mut registrar)?;
        let mut liveness = nodes[1].liveness(sidecars)?;
        node::address(&mut liveness)?;
        go.extend([registrar, liveness]);
    }
    for process in go.iter().chain([&agent]) {
        process.settle()?;
    }
    let before = (switches([&agent])?, switches(&go)?);
    // This is the time that is measured, not time to wait for something.
    thread::sleep(plan.idle);
    let after = (switches([&agent])?, switches(&go)?);
    Ok(Sides {
        go: programs.sidecars.is_some().then_some(after.1 - before.1),
        ours: after.0 - before.0,
    })
}

fn switches<'a>(processes: impl IntoIterator<Item = &'a Process>) -> Result<u64> {
    processes.into_iter().map(Process::voluntary_switches).sum()
}
