use std::net::SocketAddr;

use anyhow::{Context, Result};

use super::{
    Plan, Sides,
    health::CONNECTIONS,
    http::{Until, load},
    node::{self, Node, Programs},
};
use crate::bench::{memory::Resident, process::Process, sidecars::Sidecars};

/// Bytes of resident memory that the processes of a side hold together, in each of the starts.
#[derive(Debug, Default)]
pub(crate) struct Together {
    pub(crate) at_start: Vec<u64>,
    pub(crate) after_few: Vec<u64>,
}

/// Processes, the one that registers first, and where `/healthz` is.
struct Started {
    processes: Vec<Process>,
    address: SocketAddr,
}

/// Two processes of ours that are called like the sidecars, beside the two in Go.
pub(super) fn under_old_names(programs: &Programs<'_>, plan: Plan) -> Result<Sides<Together>> {
    let go = |node: &Node<'_>, sidecars: &Sidecars| {
        Started::with_liveness([node.registrar(sidecars)?, node.liveness(sidecars)?])
    };
    let ours = |node: &Node<'_>| {
        Started::with_liveness([node.registrar_by_name()?, node.liveness_by_name()?])
    };
    // The plugin is none of theirs.
    let plugin = |node: &Node<'_>| Ok(Some(node.plugin()?));
    by_turns(programs, plan, plugin, go, ours).context("under the names of the sidecars")
}

/// A plugin of ours that registers itself and answers for its health, beside a plugin in Go and the two in Go.
pub(super) fn with_plugin(programs: &Programs<'_>, plan: Plan) -> Result<Sides<Together>> {
    let go = |node: &Node<'_>, sidecars: &Sidecars| {
        let plugin = node.plugin_in_go(sidecars)?;
        let mut started =
            Started::with_liveness([node.registrar(sidecars)?, node.liveness(sidecars)?])?;
        started.processes.push(plugin);
        Ok(started)
    };
    let ours = |node: &Node<'_>| {
        let mut plugin = node.registering_plugin()?;
        Ok(Started {
            address: node::address(&mut plugin)?,
            processes: vec![plugin],
        })
    };
    by_turns(programs, plan, |_| Ok(None), go, ours).context("with a plugin")
}

fn by_turns(
    programs: &Programs<'_>,
    plan: Plan,
    plugin: impl Fn(&Node<'_>) -> Result<Option<Process>>,
    go: impl Fn(&Node<'_>, &Sidecars) -> Result<Started>,
    ours: impl Fn(&Node<'_>) -> Result<Started>,
) -> Result<Sides<Together>> {
    let mut sides = Sides {
        go: programs.sidecars.map(|_| Together::default()),
        ours: Together::default(),
    };
    for _ in 0..plan.memory_starts {
        if let (Some(sidecars), Some(together)) = (programs.sidecars, &mut sides.go) {
            let node = Node::new(programs)?;
            let _plugin = plugin(&node)?;
            together.add(&node, go(&node, sidecars)?, plan)?;
        }
        let node = Node::new(programs)?;
        let _plugin = plugin(&node)?;
        sides.ours.add(&node, ours(&node)?, plan)?;
    }
    Ok(sides)
}

impl Started {
    fn with_liveness([registrar, mut liveness]: [Process; 2]) -> Result<Self> {
        Ok(Self {
            address: node::address(&mut liveness)?,
            processes: vec![registrar, liveness],
        })
    }

    fn memory(&self) -> Result<u64> {
        let resident = self.processes.iter().map(Resident::of);
        resident.map(|resident| Ok(resident?.all)).sum()
    }
}

impl Together {
    /// Has the plugin registered, looks, asks for its health, and looks again.
    fn add(&mut self, node: &Node<'_>, mut started: Started, plan: Plan) -> Result<()> {
        if let Some(registrar) = started.processes.first_mut() {
            node.register(registrar)?;
        }
        self.at_start.push(started.memory()?);
        let requests = Until::Answers(plan.few_requests);
        load(started.address, CONNECTIONS, requests)?;
        self.after_few.push(started.memory()?);
        Ok(())
    }
}
