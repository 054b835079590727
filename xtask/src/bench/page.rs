use std::{
    fmt::{self, Display},
    time::Duration,
};

use super::{
    Plan,
    agent::Agent,
    hanging::Probes,
    instructions::Instructions,
    latency::{Latency, Percentile, Rounds},
    memory::{Memory, Resident},
    picture::{Bar, Panel, Picture, Side},
    row::{Bound, Row, grouped, spread},
    statistics::median_ratio,
};

/// Bytes of a binary and of a server's resident memory. A sidecar in Go has four times as many of either.
const MAX_BYTES: u64 = 5_000_000;

/// How many times as long as with the stock server a call may take.
const BESIDE_STOCK: (&str, f64) = ("ratio at most 1.15", 1.15);

/// The same beside a plugin in Go.
const BESIDE_GO: (&str, f64) = ("ratio at most 0.7", 0.7);

/// `docs/benchmarks.md`. Of pairs, the stock server comes first.
pub(crate) struct Page {
    pub(crate) plan: Plan,
    pub(crate) latency: Latency,
    pub(crate) probes: Probes,
    pub(crate) memory: [Memory; 2],
    pub(crate) sizes: [u64; 2],
    pub(crate) switches: [u64; 2],
    pub(crate) starts: [Duration; 2],
    /// None where valgrind is not installed.
    pub(crate) instructions: Option<Instructions>,
    pub(crate) agent: Agent,
    /// What the repair costs per read, as `csi-endpoint` prints it.
    pub(crate) passthrough: Option<String>,
    pub(crate) machine: String,
    /// Version of the stock server.
    pub(crate) tonic: String,
    /// Versions of Go and its gRPC; none where Go is not installed.
    pub(crate) go: Option<String>,
}

impl Page {
    pub(crate) fn meets_every_bound(&self) -> bool {
        let rows = self.rows().into_iter().chain(self.probe_rows());
        let rows = rows.chain(self.go_rows()).chain(self.agent.rows());
        rows.filter_map(|row| row.bound).all(|bound| bound.met)
    }

    /// The part that is shown after each run.
    pub(crate) fn tables(&self) -> String {
        let [servers, go, probes] = [self.server_table(), self.go_table(), self.probe_table()];
        format!("{servers}\n{go}\n{probes}\n{}", self.agent.table())
    }

    fn server_table(&self) -> String {
        let tonic = format!("tonic {}", self.tonic);
        Row::render([&tonic, "csi-identity"], self.rows())
    }

    fn go_table(&self) -> String {
        Row::render(["plugin in Go", "csi-identity"], self.go_rows())
    }

    fn probe_table(&self) -> String {
        Row::render(["without checks", "while it hangs"], self.probe_rows())
    }

    fn rows(&self) -> Vec<Row> {
        let Latency {
            stock,
            passed_through,
            repaired,
            ..
        } = &self.latency;
        let mut rows = Vec::new();
        for percentile in [Percentile::P50, Percentile::P99] {
            let what = "GetPluginInfo, authority `localhost`";
            let bound = Some(BESIDE_STOCK);
            rows.push(Row::of_times(
                what,
                [stock, passed_through],
                percentile,
                bound,
            ));
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
        rows.push(self.instructions_row());
        rows
    }

    fn instructions_row(&self) -> Row {
        let counted = self.instructions.as_ref();
        let text = |counts: &[f64]| spread(counts, "", |count| grouped(count.round() as usize));
        let [base, ours] = counted.map_or_else(
            || ["valgrind is not installed", ""].map(str::to_owned),
            |counted| [text(&counted.stock), text(&counted.ours)],
        );
        Row {
            what: "instructions of a GetPluginInfo, outside of the kernel".to_owned(),
            base,
            ours,
            ratio: counted.map(|counted| median_ratio(&counted.ours, &counted.stock)),
            bound: None,
        }
    }

    /// Beside a plugin in Go.
    fn go_rows(&self) -> Vec<Row> {
        let Latency {
            go, passed_through, ..
        } = &self.latency;
        let what = "GetPluginInfo, authority `localhost`";
        let times = [Percentile::P50, Percentile::P99].map(|percentile| match go {
            Some(go) => Row::of_times(what, [go, passed_through], percentile, Some(BESIDE_GO)),
            None => Row {
                what: format!("{what}, {percentile}"),
                base: "Go is not installed".to_owned(),
                ours: micros(passed_through, percentile),
                ratio: None,
                bound: None,
            },
        });
        times
            .into_iter()
            .chain(self.agent.with_plugin_rows())
            .collect()
    }

    /// `docs/benchmarks.svg`.
    pub(crate) fn picture(&self) -> Picture {
        let Latency {
            stock,
            go,
            passed_through,
            repaired,
        } = &self.latency;
        let bars = [
            ("plugin in Go (grpc-go)", Side::Other, go.as_ref()),
            ("plugin in Rust (tonic)", Side::Other, Some(stock)),
            ("csi-identity serve", Side::Ours, Some(passed_through)),
            (
                "the same, called as a kubelet calls",
                Side::Ours,
                Some(repaired),
            ),
        ];
        let bars = bars.into_iter().filter_map(|(what, side, rounds)| {
            let [p50, p99] = [Percentile::P50, Percentile::P99].map(|at| Some(rounds?.micros(at)));
            let (value, up_to) = (p50?, p99?);
            Some(Bar {
                what: what.to_owned(),
                side,
                value,
                up_to: Some(up_to),
                shown: format!("{value:.1} µs, p99 {up_to:.1} µs"),
            })
        });
        let latency = Panel {
            title: "GetPluginInfo, one caller: median, and a thin line to the 99th percentile"
                .to_owned(),
            bars: bars.collect(),
        };
        let memory = Panel {
            title: format!(
                "Resident memory, registered, after {} health requests",
                self.agent.few_requests()
            ),
            bars: self.agent.memory_bars(),
        };
        Picture {
            title: "Latency and memory of csi-identity beside plugins and sidecars without it"
                .to_owned(),
            panels: vec![latency, memory],
        }
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
            .map(move |percentile| {
                // The median is what has a bound.
                let bound = (percentile == Percentile::P50).then_some(BESIDE_STOCK);
                Row::of_times(&what, [unchecked, hanging], percentile, bound)
            })
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
    fn of_times(
        what: &str,
        [base, ours]: [&Rounds; 2],
        percentile: Percentile,
        bound: Option<(&'static str, f64)>,
    ) -> Self {
        let ratio = ours.ratio(base, percentile);
        Self {
            what: format!("{what}, {percentile}"),
            base: micros(base, percentile),
            ours: micros(ours, percentile),
            ratio: Some(ratio),
            bound: bound.map(|(text, limit)| Bound {
                text,
                met: ratio <= limit,
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
            counts,
            calls_a_count,
            ..
        } = plan;
        let calls = grouped(*calls_a_round);
        let [counted, twice] = [1, 2].map(|times| grouped(times * calls_a_count));
        let go = self.go.as_deref().unwrap_or("Go is not installed");
        write!(
            f,
            "\
# Benchmarks

`csi-identity serve` beside an ordinary tonic {tonic} server with the same answers (`interop/stock-tonic`), both with one
thread and from the release profile; then beside a plugin and sidecars in Go. All of it is measured in one run.

Machine: {machine}, {go}.

![Latency and memory](benchmarks.svg)

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

Instructions are counted by callgrind, {counts} times: how many more {twice} calls cost the process than {counted}, for each call. What
the kernel does for a call is not in it.

## Beside a plugin in Go

`csi-identity serve` beside a plugin in Go (`interop/sidecars/plugin`): Identity and NodeGetInfo with fixed answers, by grpc-go,
with the logging that plugins use. It takes the place of csi-driver-host-path, whose module the module proxy does not serve, and has
much less in it. Times are from the same rounds as those above.

{}
Memory is that of the plugin and both sidecars in Go together, three processes, and of one process of ours, `serve --register
--http-endpoint`, which does all of it; started, registered and asked as below.

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

`interop/bench` builds everything, measures for about three minutes and writes this page and its picture; it ends with exit code 1
if a bound is not met. `interop/bench --quick` gives a first idea and writes nothing. Nothing else should keep the machine busy.
Without Go or valgrind it says what is missing then.
",
            self.server_table(),
            self.go_table(),
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
