//! `csi-identity agent` beside programs in Go that do what the Kubernetes sidecars do, on the same plugin.

mod appearing;
mod health;
pub(crate) mod http;
pub(crate) mod node;
mod outage;
mod rest;
mod rows;
#[cfg(test)]
mod sample;
mod sidecars;

use std::time::Duration;

use anyhow::Result;

use self::{
    appearing::Appearing,
    health::{Held, Rates},
    node::Programs,
    outage::Outages,
    sidecars::Sidecars,
};
use super::subject::Subject;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// How often a plugin appears, or is there already.
    starts: usize,
    /// The same for the programs in Go, which wait for up to a second each time.
    go_starts: usize,
    few_requests: usize,
    many_requests: usize,
    many_go_requests: usize,
    rounds: usize,
    round: Duration,
    outages: usize,
    go_outages: usize,
    idle: Duration,
}

impl Plan {
    pub(crate) const FULL: Self = Self {
        starts: 20,
        go_starts: 10,
        few_requests: 1_000,
        many_requests: 1_000_000,
        many_go_requests: 20_000,
        rounds: 7,
        round: Duration::from_secs(1),
        outages: 20,
        go_outages: 3,
        idle: Duration::from_secs(20),
    };
    pub(crate) const QUICK: Self = Self {
        starts: 5,
        go_starts: 2,
        few_requests: 1_000,
        many_requests: 50_000,
        many_go_requests: 3_000,
        rounds: 3,
        round: Duration::from_millis(500),
        outages: 5,
        go_outages: 1,
        idle: Duration::from_secs(5),
    };
}

/// What a side did; there is only ours where Go is not installed.
#[derive(Debug)]
struct Sides<T> {
    go: Option<T>,
    ours: T,
}

/// What was measured.
#[derive(Debug)]
pub(crate) struct Agent {
    plan: Plan,
    sizes: Sides<u64>,
    late: Sides<Appearing>,
    early: Sides<Appearing>,
    held: Sides<Held>,
    rates: Rates,
    outages: Sides<Outages>,
    switches: Sides<u64>,
}

/// Measures everything, ours and Go's by turns.
pub(crate) fn measure(plugin: &Subject, ours: &Subject, plan: Plan) -> Result<Agent> {
    let programs = Programs {
        plugin: plugin.binary().to_owned(),
        ours: ours.binary().to_owned(),
        sidecars: Sidecars::build()?,
    };
    let go_size = programs.sidecars.as_ref().map(Sidecars::size);
    Ok(Agent {
        plan,
        sizes: Sides {
            go: go_size.transpose()?,
            ours: ours.size()?,
        },
        late: appearing::late(&programs, plan)?,
        early: appearing::early(&programs, plan)?,
        held: health::held(&programs, plan)?,
        rates: health::rates(&programs, plan)?,
        outages: outage::measure(&programs, plan)?,
        switches: rest::measure(&programs, plan)?,
    })
}
