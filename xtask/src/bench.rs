//! Measures `csi-identity` beside a stock tonic server and sidecars in Go, in one run and round by round, so that whatever else the machine
//! does at the time happens to both.

pub(crate) mod agent;
mod cost;
mod hanging;
mod idle;
mod instructions;
mod latency;
mod machine;
mod memory;
mod page;
mod passthrough;
mod picture;
pub(crate) mod process;
mod processor;
mod processor_time;
mod row;
mod sidecars;
mod start;
mod statistics;
mod subject;

use std::{io::Write, path::PathBuf, time::Duration};

use anyhow::{Context, Result, bail, ensure};

use self::{
    page::{Calls, Page},
    processor::Place,
    sidecars::Sidecars,
    subject::Subject,
};
use crate::workspace;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
struct Plan {
    rounds: usize,
    calls_a_round: usize,
    probes_a_round: usize,
    calls_before_memory: usize,
    open_connections: usize,
    cost_rounds: usize,
    calls_a_cost: usize,
    idle: Duration,
    starts: usize,
    counts: usize,
    calls_a_count: usize,
    agent: agent::Plan,
}

impl Plan {
    const FULL: Self = Self {
        rounds: 20,
        calls_a_round: 2_000,
        probes_a_round: 500,
        calls_before_memory: 100_000,
        open_connections: 1_000,
        cost_rounds: 5,
        calls_a_cost: 20_000,
        idle: Duration::from_secs(20),
        starts: 20,
        counts: 5,
        calls_a_count: 1_000,
        agent: agent::Plan::FULL,
    };
    const QUICK: Self = Self {
        rounds: 5,
        calls_a_round: 500,
        probes_a_round: 200,
        calls_before_memory: 10_000,
        open_connections: 100,
        cost_rounds: 2,
        calls_a_cost: 5_000,
        idle: Duration::from_secs(2),
        starts: 5,
        counts: 2,
        calls_a_count: 200,
        agent: agent::Plan::QUICK,
    };
}

/// Builds and measures; tells whether every bound is met.
///
/// # Errors
///
/// Where the options are no options, something cannot be built, or a server does not answer as it has to.
pub(crate) fn run(arguments: &[&str], out: &mut impl Write) -> Result<bool> {
    let (mut quick, mut write, mut ours) = (false, false, None);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match *argument {
            "--quick" => quick = true,
            "--write" => write = true,
            "--ours" => {
                let binary = arguments
                    .next()
                    .context("--ours needs the path of a binary")?;
                ours = Some(PathBuf::from(binary));
            }
            other => {
                bail!("unknown option {other:?}, there are --quick, --write and --ours BINARY")
            }
        }
    }
    ensure!(
        !(quick && write),
        "--write needs the whole run, not --quick"
    );

    let plan = if quick { Plan::QUICK } else { Plan::FULL };
    let stock = Subject::stock()?;
    let stock_health = Subject::stock_health()?;
    let ours = match ours {
        Some(binary) => Subject::ours_at(binary),
        None => Subject::ours()?,
    };
    let sidecars = Sidecars::build()?;
    let sidecars = sidecars.as_ref();
    ensure!(
        !write || sidecars.is_some(),
        "--write needs Go, which is not installed: most of the page is a comparison with it"
    );
    let machine = machine::describe()?;
    let agent = agent::measure(&stock, stock_health, &ours, sidecars, plan.agent)?;
    let in_go = sidecars.map(Sidecars::subject);
    let in_go = in_go.as_ref();
    let calls = |place| {
        Ok::<_, anyhow::Error>(Calls {
            latency: latency::measure([&stock, &ours], in_go, plan, place)?,
            costs: cost::measure([&stock, &ours], in_go, plan, place)?,
        })
    };
    let apart = processor::can_be_apart()?;
    let apart = apart.then(|| calls(Place::Apart)).transpose()?;
    let together = calls(Place::Shared)?;
    // The rest is about a server alone, or about both by turns.
    let page = processor::at(Place::Shared, || {
        Ok(Page {
            plan,
            sizes: [stock.size()?, ours.size()?],
            together,
            apart,
            probes: hanging::measure(&ours, plan)?,
            memory: [
                memory::measure(&stock, plan)?,
                memory::measure(&ours, plan)?,
            ],
            switches: idle::measure(&stock, &ours, plan)?,
            starts: start::measure(&stock, &ours, plan)?,
            instructions: instructions::measure(&stock, &ours, plan)?,
            agent,
            passthrough: match quick {
                true => None,
                false => Some(passthrough::measure()?),
            },
            machine,
            tonic: workspace::locked_version("tonic")?,
            go: sidecars.map(|sidecars| sidecars.version().to_owned()),
        })
    })?;
    write!(out, "{}", page.tables())?;
    if write {
        workspace::write_page("docs/benchmarks.md", &page.to_string(), out)?;
        workspace::write_page("docs/benchmarks.svg", &page.picture().to_string(), out)?;
    }
    Ok(page.meets_every_bound())
}
