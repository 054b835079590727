use std::{
    fmt::{self, Display},
    time::Duration,
};

use super::{
    Plan,
    agent::Agent,
    hanging::Probes,
    latency::{Latency, Percentile, Rounds},
    memory::{Memory, Resident},
    row::{Bound, Row, grouped},
};

/// Bytes of a binary and of a server's resident memory. A sidecar in Go has four times as many of either.
const MAX_BYTES: u64 = 5_000_000;

/// How many times as long as with the stock server a call may take.
const MAX_RATIO: f64 = 1.15;

/// `docs/benchmarks.md`. Of pairs, the stock server comes first.
pub(crate) struct Page {
    pub(crate) plan: Plan,
    pub(crate) latency: Latency,
    pub(crate) probes: Probes,
    pub(crate) memory: [Memory; 2],
    pub(crate) sizes: [u64; 2],
    pub(crate) switches: [u64; 2],
    pub(crate) starts: [Duration; 2],
    pub(crate) agent: Agent,
    /// What the repair costs per read, as `csi-endpoint` prints it.
    pub(crate) passthrough: Option<String>,
    pub(crate) machine: String,
    /// Version of the stock server.
    pub(crate) tonic: String,
}

impl Page {
    pub(crate) fn meets_every_bound(&self) -> bool {
        let rows = self.rows().into_iter().chain(self.probe_rows());
        let rows = rows.chain(self.agent.rows());
        rows.filter_map(|row| row.bound).all(|bound| bound.met)
    }

    /// The part that is shown after each run.
    pub(crate) fn tables(&self) -> String {
        let [servers, probes] = [self.server_table(), self.probe_table()];
        format!("{servers}\n{probes}\n{}", self.agent.table())
    }

    fn server_table(&self) -> String {
        let tonic = format!("tonic {}", self.tonic);
        Row::render([&tonic, "csi-identity"], self.rows())
    }

    fn probe_table(&self) -> String {
        Row::render(["without checks", "while it hangs"], self.probe_rows())
    }

    fn rows(&self) -> Vec<Row> {
        let Latency {
            stock,
            passed_through,
            repaired,
        } = &self.latency;
        let mut rows = Vec::new();
        for percentile in [Percentile::P50, Percentile::P99] {
            let what = "GetPluginInfo, authority `localhost`";
            rows.push(Row::of_times(what, [stock, passed_through], percentile));
        }
        for percentile in [Percentile::P50, Percentile::P99] {
            rows.push(Row {
                what: format!("GetPluginInfo, authority is the socket's path, {percentile}"),
                base: "refused".to_owned(),
                ours: micros(repaired, percentile),
                ratio: Some(repaired.ratio(stock, percentile)),
                bound: None,
            });
        }
        rows.extend(self.memory_rows());
        rows.push(Row::of_bytes(
            "binary, stripped".to_owned(),
            self.sizes,
            true,
        ));
        let [stock, ours] = self.switches.map(|count| count.to_string());
        rows.push(Row {
            what: format!(
                "voluntary context switches in {} s, one silent client",
                self.plan.idle.as_secs()
            ),
            base: stock,
            ours,
            ratio: None,
            bound: None,
        });
        let [stock, ours] = self
            .starts
            .map(|time| format!("{:.1} ms", time.as_secs_f64() * 1e3));
        rows.push(Row {
            what: "start of the process to first answer".to_owned(),
            base: stock,
            ours,
            ratio: Some(self.starts[1].div_duration_f64(self.starts[0])),
            bound: None,
        });
        rows
    }

    fn probe_rows(&self) -> impl Iterator<Item = Row> {
        let Plan {
            rounds,
            probes_a_round,
            ..
        } = self.plan;
        let what = format!(
            "{} Probes while a check hangs",
            grouped(rounds * probes_a_round)
        );
        let Probes { unchecked, hanging } = &self.probes;
        [Percentile::P50, Percentile::P99]
            .into_iter()
            .map(move |percentile| Row::of_times(&what, [unchecked, hanging], percentile))
    }

    fn memory_rows(&self) -> impl Iterator<Item = Row> {
        type Moment = fn(&Memory) -> Resident;
        let calls = grouped(self.plan.calls_before_memory);
        let connections = grouped(self.plan.open_connections);
        let moments: [(String, Moment, bool); 3] = [
            (
                "after the first call".to_owned(),
                |memory| memory.after_first_call,
                true,
            ),
            (
                format!("after {calls} calls"),
                |memory| memory.after_many_calls,
                true,
            ),
            (
                format!("with {connections} open connections"),
                |memory| memory.with_open_connections,
                false,
            ),
        ];
        moments.into_iter().flat_map(|(when, moment, bounded)| {
            let resident = self.memory.each_ref().map(moment);
            let all = resident.map(|resident| resident.all);
            let own = resident.map(|resident| resident.own);
            [
                Row::of_bytes(format!("resident memory {when}"), all, bounded),
                Row::of_bytes(format!("of which its own, {when}"), own, false),
            ]
        })
    }
}

impl Row {
    /// The median is what has a bound.
    fn of_times(what: &str, [base, ours]: [&Rounds; 2], percentile: Percentile) -> Self {
        let ratio = ours.ratio(base, percentile);
        Self {
            what: format!("{what}, {percentile}"),
            base: micros(base, percentile),
            ours: micros(ours, percentile),
            ratio: Some(ratio),
            bound: (percentile == Percentile::P50).then_some(Bound {
                text: "ratio at most 1.15",
                met: ratio <= MAX_RATIO,
            }),
        }
    }

    fn of_bytes(what: String, bytes: [u64; 2], bounded: bool) -> Self {
        let [stock, ours] = bytes.map(|bytes| bytes as f64 / 1e6);
        Self {
            what,
            base: format!("{stock:.2} MB"),
            ours: format!("{ours:.2} MB"),
            ratio: Some(ours / stock),
            bound: bounded.then_some(Bound {
                text: "at most 5 MB",
                met: bytes[1] <= MAX_BYTES,
            }),
        }
    }
}

impl Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            plan,
            machine,
            tonic,
            passthrough,
            ..
        } = self;
        let Plan {
            rounds,
            calls_a_round,
            probes_a_round: probes,
            starts,
            ..
        } = plan;
        let calls = grouped(*calls_a_round);
        write!(
            f,
            "\
# Benchmarks

`csi-identity serve` beside an ordinary tonic {tonic} server with the same answers (`interop/stock-tonic`), both with one
thread and from the release profile, measured in one run.

Machine: {machine}.

{}
One caller calls GetPluginInfo over one connection, one call after another: {rounds} rounds of {calls} calls for each
column, in changing order. Times are medians over the rounds, with the lowest and the highest round; a ratio is the median
of the ratios within each round, always to the stock server with the authority `localhost`. The caller sends prepared
bytes, costs every server the same, and compares each answer. It shares one processor with the server, since the kernel's
choice where to run them would move the times more than anything that is measured here.

With the authority `localhost` a connection passes through csi-identity untouched; with the path of the socket, as a
kubelet sends it, every request is repaired.

Resident memory is `VmRSS`, its own is `RssAnon`; open connections have made one call each. The time of a start is the
median of {starts}. 1 MB is 1,000,000 bytes.

## Probe while a check hangs

csi-identity alone, without checks and with one: an `exec` check that passed once, so that the plugin is ready, and from then
on hangs until it is killed after a second and begun again. {rounds} rounds of {probes} calls, in changing order.

{}
{}
## What the repair costs per read

The same bytes, read (a) bare, (b) through the repair on a connection that needs none, (c) through the repair at work. After
the first HEADERS, (b) costs one branch.

```text
{}```

## How to repeat

`cargo xtask bench --write` measures for about four minutes and writes this page; it ends with exit code 1 if a bound is
not met. `cargo xtask bench --quick` gives a first idea. Nothing else should keep the machine busy.
",
            self.server_table(),
            self.probe_table(),
            self.agent,
            passthrough.as_deref().unwrap_or_default()
        )
    }
}

fn micros(rounds: &Rounds, percentile: Percentile) -> String {
    let (low, high) = rounds.range(percentile);
    let median = rounds.micros(percentile);
    format!("{median:.1} µs ({low:.1} to {high:.1})")
}

#[cfg(test)]
mod tests;
