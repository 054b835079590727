use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::{
    Plan, Sides,
    node::{Node, Programs},
};
use crate::bench::process::Process;

/// How long a kubelet was without an answer each time the registration socket had been deleted; nothing where it still was
/// when nobody looked any more.
#[derive(Debug, Default)]
pub(crate) struct Deleted(pub(crate) Vec<Option<Duration>>);

/// Deletes the socket of whoever has registered the plugin, again and again while it comes back.
pub(super) fn measure(programs: &Programs<'_>, plan: Plan) -> Result<Sides<Deleted>> {
    let go = programs.sidecars.map(|sidecars| {
        let node = Node::new(programs)?;
        let _plugin = node.plugin()?;
        let registrar = node.registrar(sidecars)?;
        deleted(&node, registrar, plan).context("the registrar in Go")
    });
    let node = Node::new(programs)?;
    let _plugin = node.plugin()?;
    let agent = node.agent()?;
    Ok(Sides {
        go: go.transpose()?,
        ours: deleted(&node, agent, plan).context("the agent")?,
    })
}

fn deleted(node: &Node<'_>, mut process: Process, plan: Plan) -> Result<Deleted> {
    let mut times = Deleted::default();
    for _ in 0..plan.deletions {
        node.register(&mut process)?;
        process.settle()?;
        let start = Instant::now();
        node.delete_registration_socket()?;
        if !node.registrar_comes_back(&mut process, plan.watch)? {
            times.0.push(None);
            break;
        }
        times.0.push(Some(start.elapsed()));
    }
    Ok(times)
}
