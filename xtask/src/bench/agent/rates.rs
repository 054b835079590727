//! How many health requests a second are answered, and where it matters which processor does what.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};

use super::{
    Plan,
    http::{Trivial, Until, load},
    node::{self, Node, Programs},
};
use crate::bench::{
    cost::Cost,
    process::Process,
    processor::{self, Place},
    statistics::median,
};

/// How much faster the load has to be by itself than with what is measured.
pub(super) const MIN_LOAD_RATIO: f64 = 2.0;

/// What is measured together, and where it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Setup {
    pub(super) connections: usize,
    pub(super) load: Place,
    /// Whoever answers over HTTP.
    pub(super) answering: Place,
    pub(super) plugin: Place,
}

/// All on one processor, so that nobody waits for another to wake up, and the times are those of what is done.
pub(super) const TOGETHER: Setup = Setup {
    connections: 1,
    load: Place::Shared,
    answering: Place::Shared,
    plugin: Place::Shared,
};

/// As it is where nobody says where anything runs, and the kernel changes its mind.
pub(super) const ANYWHERE: Setup = Setup {
    connections: 1,
    load: Place::Anywhere,
    answering: Place::Anywhere,
    plugin: Place::Anywhere,
};

/// Enough requests at a time that no processor sleeps.
pub(super) const MANY: Setup = Setup {
    connections: 16,
    ..ANYWHERE
};

pub(super) const SETUPS: [Setup; 5] = [
    TOGETHER,
    Setup {
        plugin: Place::Apart,
        ..TOGETHER
    },
    Setup {
        load: Place::Apart,
        ..TOGETHER
    },
    ANYWHERE,
    MANY,
];

/// What was measured in a setup.
#[derive(Debug)]
pub(super) struct Rates {
    pub(super) setup: Setup,
    pub(super) rounds: Vec<Rate>,
    pub(super) cost: Each<Cost>,
}

/// Requests a second, in one round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    pub(super) answered: Each<f64>,
    /// By a server that does nothing.
    pub(super) nothing: f64,
}

/// Those that answer over HTTP.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Each<T> {
    pub(super) go: Option<T>,
    pub(super) stock: T,
    pub(super) ours: T,
}

/// Measures by turns; again where the load was too slow to judge anything by it.
///
/// # Errors
///
/// Where it still is after so many tries.
pub(super) fn measure(programs: &Programs<'_>, plan: Plan) -> Result<Vec<Rates>> {
    let setups = SETUPS.into_iter().filter(|setup| setup.is_possible());
    let measured = setups.map(|setup| {
        let mut seen = Vec::new();
        for _ in 0..plan.rate_tries {
            let rates = once(programs, plan, setup)?;
            let Some(ratio) = rates.load_ratio().filter(|ratio| *ratio < MIN_LOAD_RATIO) else {
                return Ok(rates);
            };
            seen.push(format!("{ratio:.2}"));
        }
        bail!(
            "the load was only {} times as fast on a server that does nothing as on the agent, so /healthz a second cannot be \
             measured with it, {setup:?}",
            seen.join(", ")
        )
    });
    measured.collect()
}

impl Setup {
    fn is_possible(self) -> bool {
        let is_apart = [self.load, self.answering, self.plugin].contains(&Place::Apart);
        !is_apart || processor::can_be_apart().unwrap_or(false)
    }
}

impl Rates {
    /// How many times as fast the load is on a server that does nothing as on ours, where that has to be so.
    ///
    /// It does where all share a processor. Elsewhere waking up is most of it, for that server as well, and with many
    /// connections the load is near its own limit; then ours may do more than is seen.
    pub(super) fn load_ratio(&self) -> Option<f64> {
        let rounds = self.rounds.iter();
        (self.setup == TOGETHER)
            .then(|| median(rounds.map(|rate| rate.nothing / rate.answered.ours)))
    }

    /// In each of the rounds.
    pub(super) fn each(&self, value: impl Fn(&Rate) -> f64) -> Vec<f64> {
        self.rounds.iter().map(value).collect()
    }

    /// In each of the rounds; nothing where Go is not installed.
    pub(super) fn go(&self) -> Option<Vec<f64>> {
        self.rounds.iter().map(|rate| rate.answered.go).collect()
    }
}

/// A process that answers, and where.
struct Answering {
    process: Process,
    address: SocketAddr,
}

impl Answering {
    fn new(mut process: Process) -> Result<Self> {
        let address = node::address(&mut process)?;
        Ok(Self { process, address })
    }
}

fn once(programs: &Programs<'_>, plan: Plan, setup: Setup) -> Result<Rates> {
    let node = Node::new(programs)?;
    let plugin = processor::at(setup.plugin, || node.plugin())?;
    let answering = processor::at(setup.answering, || {
        let go = programs.sidecars.map(|sidecars| node.liveness(sidecars));
        Ok(Each {
            go: go.transpose()?.map(Answering::new).transpose()?,
            stock: Answering::new(node.stock_health()?)?,
            ours: Answering::new(node.agent()?)?,
        })
    })?;
    // The first round fills caches and is not counted.
    let loads = 1 + plan.rounds;
    let nothing = processor::at(setup.answering, || Trivial::start(loads, setup.connections))?;
    let run = |of: &Answering, time| {
        let mut rate = 0.0;
        let cost = Cost::of(&of.process, Some(&plugin), || {
            let start = Instant::now();
            rate = load(of.address, setup.connections, Until::Elapsed(time))?;
            let elapsed = start.elapsed();
            Ok(((rate * elapsed.as_secs_f64()).round() as usize, elapsed))
        })?;
        anyhow::Ok((rate, cost))
    };
    let round = |time: Duration, total: &mut Each<Cost>| {
        let go = answering.go.as_ref().map(|go| run(go, time)).transpose()?;
        let (stock, stock_cost) = run(&answering.stock, time)?;
        let (ours, ours_cost) = run(&answering.ours, time)?;
        if let Some((_, cost)) = go {
            *total.go.get_or_insert_default() += cost;
        }
        total.stock += stock_cost;
        total.ours += ours_cost;
        anyhow::Ok(Rate {
            answered: Each {
                go: go.map(|(rate, _)| rate),
                stock,
                ours,
            },
            nothing: load(nothing.address, setup.connections, Until::Elapsed(time / 4))?,
        })
    };
    let mut cost = Each::default();
    let rounds = processor::at(setup.load, || {
        round(plan.round / 4, &mut Each::default())?;
        let rounds = (0..plan.rounds).map(|_| round(plan.round, &mut cost));
        rounds.collect::<Result<Vec<_>>>()
    })?;
    nothing.join()?;
    Ok(Rates {
        setup,
        rounds,
        cost,
    })
}
