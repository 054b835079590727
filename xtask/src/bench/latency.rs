use std::{
    fmt::{self, Display},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use super::{
    Plan,
    processor::{self, Place},
    statistics::{median, percentile},
    subject::{Running, Subject},
};
use crate::http2::{Caller, Method};

/// Calls of each new connection that are not counted: tables and caches fill.
pub(crate) const WARM_UP: usize = 200;

/// How long GetPluginInfo takes, in each of the rounds.
#[derive(Debug)]
pub(crate) struct Latency {
    /// The stock server, called with the authority `localhost`.
    pub(crate) stock: Rounds,
    /// A plugin in Go, called likewise; none where Go is not installed.
    pub(crate) go: Option<Rounds>,
    /// Ours, called likewise: the connection is passed through.
    pub(crate) passed_through: Rounds,
    /// Ours, called with the path of the socket as the authority, which has to be repaired.
    pub(crate) repaired: Rounds,
}

/// One way of calling, in every round.
#[derive(Debug, Default)]
pub(crate) struct Rounds(Vec<Round>);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Percentile {
    P50,
    P99,
}

impl Rounds {
    pub(crate) fn push(&mut self, round: Round) {
        self.0.push(round);
    }

    /// Median over the rounds, in microseconds.
    pub(crate) fn micros(&self, percentile: Percentile) -> f64 {
        median(self.0.iter().map(|round| round.micros(percentile)))
    }

    /// The lowest and the highest round, in microseconds.
    pub(crate) fn range(&self, percentile: Percentile) -> (f64, f64) {
        let values = self.0.iter().map(|round| round.micros(percentile));
        values.fold((f64::INFINITY, 0.0), |(low, high), value| {
            (value.min(low), value.max(high))
        })
    }

    /// Median over the rounds of how many times as long it took as `base` in the same round.
    pub(crate) fn ratio(&self, base: &Self, percentile: Percentile) -> f64 {
        let pairs = self.0.iter().zip(&base.0);
        median(pairs.map(|(round, base)| round.micros(percentile) / base.micros(percentile)))
    }
}

impl FromIterator<Round> for Rounds {
    fn from_iter<T: IntoIterator<Item = Round>>(rounds: T) -> Self {
        Self(rounds.into_iter().collect())
    }
}

impl Round {
    /// So many calls, one after another.
    pub(crate) fn of(mut caller: Caller, calls: usize) -> Result<Self> {
        for _ in 0..WARM_UP {
            caller.call()?;
        }
        let mut times = Vec::with_capacity(calls);
        for _ in 0..calls {
            let start = Instant::now();
            caller.call()?;
            times.push(start.elapsed());
        }
        Ok(Self {
            p50: percentile(&mut times, 50),
            p99: percentile(&mut times, 99),
        })
    }

    fn micros(&self, percentile: Percentile) -> f64 {
        let time = match percentile {
            Percentile::P50 => self.p50,
            Percentile::P99 => self.p99,
        };
        time.as_secs_f64() * 1e6
    }
}

impl Display for Percentile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::P50 => "p50",
            Self::P99 => "p99",
        })
    }
}

/// Measures all of them side by side: in each round all of them, and each of them first, second and so on in turn. The servers
/// run at `place`, and the caller on the processor that measurements share.
pub(crate) fn measure(
    [stock, ours]: [&Subject; 2],
    go: Option<&Subject>,
    plan: Plan,
    place: Place,
) -> Result<Latency> {
    let (stock, ours, go) = processor::at(place, || {
        Ok((
            stock.start()?,
            ours.start()?,
            go.map(Subject::start).transpose()?,
        ))
    })?;
    processor::at(Place::Shared, || call_by_turns(stock, ours, go, plan))
}

fn call_by_turns(
    mut stock: Running,
    mut ours: Running,
    mut go: Option<Running>,
    plan: Plan,
) -> Result<Latency> {
    for server in [&mut stock, &mut ours].into_iter().chain(&mut go) {
        server.await_answer()?;
    }
    let path = ours.socket().to_owned();
    require_refusal(&stock)?;
    let mut variants = vec![
        (&stock, "localhost"),
        (&ours, "localhost"),
        (&ours, path.as_str()),
    ];
    variants.extend(go.iter().map(|go| (go, "localhost")));
    let mut rounds: [Rounds; 4] = Default::default();
    for turn in 0..plan.rounds {
        for place in 0..variants.len() {
            let which = (turn + place) % variants.len();
            let (server, authority) = variants[which];
            let caller = server.connect(Method::GetPluginInfo, authority);
            let round = caller.and_then(|caller| Round::of(caller, plan.calls_a_round));
            let round = round.with_context(|| format!("round {turn}, authority {authority}"))?;
            rounds[which].push(round);
        }
    }
    let [stock, passed_through, repaired, in_go] = rounds;
    Ok(Latency {
        stock,
        go: go.map(|_| in_go),
        passed_through,
        repaired,
    })
}

/// A base line that took the path as an authority would be no stock server.
fn require_refusal(stock: &Running) -> Result<()> {
    match stock.connect(Method::GetPluginInfo, stock.socket())?.call() {
        Ok(()) => bail!("the stock server takes a path as the authority, so it is no base line"),
        Err(error) => {
            let error = error.to_string();
            ensure!(
                error == "the server reset the request with PROTOCOL_ERROR",
                "the stock server: {error}"
            );
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_within_a_round() {
        let rounds = |p50s: [u64; 3]| {
            let p50s = p50s.into_iter().map(Duration::from_micros);
            Rounds::from_iter(p50s.map(|p50| Round { p50, p99: 2 * p50 }))
        };
        // The second round was slow for both.
        let (base, other) = (rounds([10, 40, 10]), rounds([15, 60, 15]));
        assert_eq!(other.ratio(&base, Percentile::P50), 1.5);
        assert_eq!(other.micros(Percentile::P99), 30.0);
        assert_eq!(other.range(Percentile::P50), (15.0, 60.0));
    }
}
