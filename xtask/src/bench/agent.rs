//! `csi-identity agent` beside programs in Go that do what the Kubernetes sidecars do, on the same plugin.

mod appearing;
mod deleted;
mod health;
pub(crate) mod http;
pub(crate) mod node;
mod outage;
mod page;
mod rates;
mod rest;
mod rows;
#[cfg(test)]
mod sample;
mod together;

use std::{path::PathBuf, time::Duration};

use anyhow::Result;

use self::{
    appearing::Appearing, deleted::Deleted, health::Held, node::Programs, outage::Outages,
    rates::Rates, together::Together,
};
use super::{sidecars::Sidecars, subject::Subject};

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
    /// How often rates are measured anew where the load was not fast enough for what it measures.
    rate_tries: usize,
    outages: usize,
    go_outages: usize,
    deletions: usize,
    /// How long a deleted socket is waited for.
    watch: Duration,
    /// How often everything is started anew to see what several processes hold together.
    memory_starts: usize,
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
        rate_tries: 3,
        outages: 20,
        go_outages: 3,
        deletions: 20,
        watch: Duration::from_secs(10),
        memory_starts: 5,
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
        rate_tries: 3,
        outages: 5,
        go_outages: 1,
        deletions: 5,
        watch: Duration::from_secs(3),
        memory_starts: 2,
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
    /// One for each of [`rates::SETUPS`] for which there are enough processors.
    rates: Vec<Rates>,
    outages: Sides<Outages>,
    deleted: Sides<Deleted>,
    /// Two processes under the names of the sidecars.
    by_name: Sides<Together>,
    /// The plugin among them.
    with_plugin: Sides<Together>,
    switches: Sides<u64>,
}

/// Measures everything, ours and Go's by turns.
pub(crate) fn measure(
    plugin: &Subject,
    stock_health: PathBuf,
    ours: &Subject,
    sidecars: Option<&Sidecars>,
    plan: Plan,
) -> Result<Agent> {
    let programs = Programs {
        plugin: plugin.binary().to_owned(),
        stock_health: Some(stock_health),
        ours: ours.binary().to_owned(),
        sidecars,
    };
    let go_size = programs.sidecars.map(Sidecars::size);
    Ok(Agent {
        plan,
        sizes: Sides {
            go: go_size.transpose()?,
            ours: ours.size()?,
        },
        late: appearing::late(&programs, plan)?,
        early: appearing::early(&programs, plan)?,
        held: health::held(&programs, plan)?,
        rates: rates::measure(&programs, plan)?,
        outages: outage::measure(&programs, plan)?,
        deleted: deleted::measure(&programs, plan)?,
        by_name: together::under_old_names(&programs, plan)?,
        with_plugin: together::with_plugin(&programs, plan)?,
        switches: rest::measure(&programs, plan)?,
    })
}
