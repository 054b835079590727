use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use super::{
    Plan, Sides,
    http::{Answer, Client},
    node::{self, Node, Programs},
};
use crate::bench::process::Process;

/// How long it took to be told of each outage of a plugin.
#[derive(Debug, Default)]
pub(crate) struct Outages {
    /// From the kill to an answer that is not 200.
    pub(crate) begun: Vec<Duration>,
    /// From the moment at which the next plugin takes connections to an answer that is 200.
    pub(crate) over: Vec<Duration>,
}

/// Kills the plugin, asks again and again, and starts another one.
pub(super) fn measure(programs: &Programs<'_>, plan: Plan) -> Result<Sides<Outages>> {
    let node = Node::new(programs)?;
    let plugin = node.plugin()?;
    let mut agent = node.agent()?;
    let address = node::address(&mut agent)?;
    let says_why = |answer: &Answer| {
        let body = &answer.body;
        ensure!(
            body.contains("csi.sock") && body.contains("nobody listens"),
            "no word of the reason: {body}"
        );
        Ok(())
    };
    let (ours, plugin) = outages(&node, plugin, address, plan.outages, says_why)?;
    drop(agent);
    let Some(sidecars) = programs.sidecars else {
        return Ok(Sides { go: None, ours });
    };
    let mut liveness = node.liveness(sidecars)?;
    let address = node::address(&mut liveness)?;
    let (go, _plugin) = outages(&node, plugin, address, plan.go_outages, |_| Ok(()))?;
    Ok(Sides { go: Some(go), ours })
}

fn outages(
    node: &Node<'_>,
    mut plugin: Process,
    address: SocketAddr,
    times: usize,
    says_why: impl Fn(&Answer) -> Result<()>,
) -> Result<(Outages, Process)> {
    let mut client = Client::connect(address)?;
    let mut outages = Outages::default();
    for _ in 0..times {
        until(&mut client, |answer| answer.code == 200).context("before an outage")?;
        let start = Instant::now();
        plugin.kill()?;
        let answer = until(&mut client, |answer| answer.code != 200).context("in an outage")?;
        outages.begun.push(start.elapsed());
        ensure!(answer.code == 500, "answered {}", answer.code);
        says_why(&answer)?;
        let hidden = node.hidden_plugin()?;
        let start = Instant::now();
        plugin = hidden.show()?;
        until(&mut client, |answer| answer.code == 200).context("after an outage")?;
        outages.over.push(start.elapsed());
    }
    Ok((outages, plugin))
}

/// Asks until the answer is as wanted.
fn until(client: &mut Client, is_so: impl Fn(&Answer) -> bool) -> Result<Answer> {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let answer = client.get()?;
        if is_so(&answer) {
            return Ok(answer);
        }
        ensure!(Instant::now() < deadline, "still: {answer:?}");
    }
}
