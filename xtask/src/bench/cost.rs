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
    subject::{Running, Subject},
};
use crate::http2::Method;

/// What calls have cost. Where all that takes part is on one processor, the parts add up to the whole.
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

/// Measures all of them by turns. The servers run at `place`, and the caller on the processor that measurements share.
pub(crate) fn measure(
    [stock, ours]: [&Subject; 2],
    go: Option<&Subject>,
    plan: Plan,
    place: Place,
) -> Result<Costs> {
    let mut servers = processor::at(place, || {
        let subjects = [stock, ours].into_iter().chain(go);
        subjects.map(Subject::start).collect::<Result<Vec<_>>>()
    })?;
    let mut costs = [Cost::default(); 3];
    processor::at(Place::Shared, || {
        for server in &mut servers {
            server.await_answer()?;
        }
        for _ in 0..plan.cost_rounds {
            for (server, cost) in servers.iter().zip(&mut costs) {
                *cost += of_calls(server, plan.calls_a_cost)?;
            }
        }
        Ok(())
    })?;
    let [stock, ours, in_go] = costs;
    Ok(Costs {
        go: go.map(|_| in_go),
        stock,
        ours,
    })
}

fn of_calls(server: &Running, calls: usize) -> Result<Cost> {
    let mut caller = server.connect(Method::GetPluginInfo, "localhost")?;
    for _ in 0..WARM_UP {
        caller.call()?;
    }
    Cost::of(server.process(), None, || {
        let start = Instant::now();
        for _ in 0..calls {
            caller.call()?;
        }
        Ok((calls, start.elapsed()))
    })
}
