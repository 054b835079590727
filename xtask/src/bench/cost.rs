use std::{
    ops::AddAssign,
    time::{Duration, Instant},
};

use anyhow::Result;

use super::{
    Plan,
    latency::WARM_UP,
    process::Process,
    processor::{self, Place},
    processor_time::ProcessorTime,
    subject::Subject,
};
use crate::http2::Method;

/// What calls have cost, where all that takes part is on one processor, so that the parts add up to the whole.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    pub(crate) calls: usize,
    pub(crate) whole: Duration,
    /// Of the process that is called.
    pub(crate) called: ProcessorTime,
    /// Of the plugin behind it, if any.
    pub(crate) behind: ProcessorTime,
    pub(crate) caller: ProcessorTime,
    /// How often the process that is called has gone to sleep.
    pub(crate) sleeps: u64,
}

/// What calls of GetPluginInfo have cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    pub(crate) go: Option<Cost>,
    pub(crate) stock: Cost,
    pub(crate) ours: Cost,
}

impl Cost {
    /// That of `work`, which returns how many calls it has made and how long they took.
    pub(crate) fn of(
        called: &Process,
        behind: Option<&Process>,
        work: impl FnOnce() -> Result<(usize, Duration)>,
    ) -> Result<Self> {
        let times = || {
            let behind = behind.map(Process::processor_time).transpose()?;
            anyhow::Ok([
                called.processor_time()?,
                behind.unwrap_or_default(),
                ProcessorTime::of("self")?,
            ])
        };
        let (sleeps, before) = (called.voluntary_switches()?, times()?);
        let (calls, whole) = work()?;
        let [called_time, behind, caller] = times()?;
        Ok(Self {
            calls,
            whole,
            called: called_time.since(before[0]),
            behind: behind.since(before[1]),
            caller: caller.since(before[2]),
            sleeps: called.voluntary_switches()? - sleeps,
        })
    }

    /// Microseconds of `time` for each call.
    pub(crate) fn micros(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1e6 / self.calls as f64
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.whole += other.whole;
        self.called += other.called;
        self.behind += other.behind;
        self.caller += other.caller;
        self.sleeps += other.sleeps;
    }
}

/// Measures all of them by turns.
pub(crate) fn measure(
    stock: &Subject,
    ours: &Subject,
    go: Option<&Subject>,
    plan: Plan,
) -> Result<Costs> {
    processor::at(Place::Shared, || {
        let (mut stock, mut ours) = (stock.start()?, ours.start()?);
        let mut go = go.map(Subject::start).transpose()?;
        let mut servers = vec![&mut stock, &mut ours];
        servers.extend(&mut go);
        let mut costs = [Cost::default(); 3];
        for server in &mut servers {
            server.await_answer()?;
        }
        for _ in 0..plan.cost_rounds {
            for (server, cost) in servers.iter().zip(&mut costs) {
                let mut caller = server.connect(Method::GetPluginInfo, "localhost")?;
                for _ in 0..WARM_UP {
                    caller.call()?;
                }
                *cost += Cost::of(server.process(), None, || {
                    let start = Instant::now();
                    for _ in 0..plan.calls_a_cost {
                        caller.call()?;
                    }
                    Ok((plan.calls_a_cost, start.elapsed()))
                })?;
            }
        }
        let is_there = servers.len() == costs.len();
        let [stock, ours, go] = costs;
        Ok(Costs {
            go: is_there.then_some(go),
            stock,
            ours,
        })
    })
}
