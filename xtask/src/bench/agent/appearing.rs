use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

use super::{
    Plan, Sides,
    node::{self, Node, Programs},
};
use crate::bench::process::Process;

/// How long it took until a kubelet that calls GetInfo was answered, each time.
#[derive(Debug)]
pub(crate) struct Appearing(pub(crate) Vec<Duration>);

/// What waits first: one of each, and where its wait is in the second for which those in Go pause between two tries.
const SPREAD: Duration = Duration::from_secs(1);

/// The plugin appears after whoever registers it: from that moment on.
pub(super) fn late(programs: &Programs<'_>, plan: Plan) -> Result<Sides<Appearing>> {
    let once = |start: &dyn Fn(&Node<'_>) -> Result<Process>, wait| {
        let node = Node::new(programs)?;
        let mut waiting = start(&node)?;
        let hidden = node.hidden_plugin()?;
        // This is no wait for something, but the time at which the plugin comes.
        thread::sleep(wait);
        waiting.settle()?;
        let start = Instant::now();
        let _plugin = hidden.show()?;
        node.await_registrar(&mut waiting)?;
        anyhow::Ok(start.elapsed())
    };
    let ours = |wait| {
        let start = |node: &Node<'_>| {
            let mut agent = node.agent()?;
            node::address(&mut agent)?;
            Ok(agent)
        };
        once(&start, wait)
    };
    let spread = |times: usize, once: &dyn Fn(Duration) -> Result<Duration>| {
        let waits = (0..times).map(|turn| SPREAD * count(turn) / count(times));
        let times: Result<Vec<_>> = waits.map(once).collect();
        times.map(Appearing).context("a plugin that appears late")
    };
    let go = programs.sidecars.map(|sidecars| {
        let start = |node: &Node<'_>| node.registrar(sidecars);
        spread(plan.go_starts, &|wait| once(&start, wait))
    });
    Ok(Sides {
        go: go.transpose()?,
        ours: spread(plan.starts, &ours)?,
    })
}

/// The plugin is there first: from the start of the process on.
pub(super) fn early(programs: &Programs<'_>, plan: Plan) -> Result<Sides<Appearing>> {
    let once = |start: &dyn Fn(&Node<'_>) -> Result<Process>| {
        let node = Node::new(programs)?;
        let _plugin = node.plugin()?;
        let begin = Instant::now();
        let mut process = start(&node)?;
        node.await_registrar(&mut process)?;
        anyhow::Ok(begin.elapsed())
    };
    let (mut ours, mut go) = (Vec::new(), Vec::new());
    for _ in 0..plan.starts {
        ours.push(once(&|node| node.agent())?);
        if let Some(sidecars) = programs.sidecars {
            go.push(once(&|node| node.registrar(sidecars))?);
        }
    }
    Ok(Sides {
        go: programs.sidecars.is_some().then_some(Appearing(go)),
        ours: Appearing(ours),
    })
}

/// Of rounds, which are few.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
