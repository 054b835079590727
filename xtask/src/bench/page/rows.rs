use super::Page;
use crate::bench::{
    Plan,
    cost::{Cost, Costs},
    hanging::Probes,
    latency::{Latency, Percentile, Rounds},
    memory::{Memory, Resident},
    row::{Bound, Row, grouped, spread},
    statistics::median_ratio,
};
use crate::table;

/// Bytes of a binary and of a server's resident memory. A sidecar in Go has four times as many of either.
const MAX_BYTES: u64 = 5_000_000;

/// How many times as long as with the stock server a call may take.
const BESIDE_STOCK: (&str, f64) = ("ratio at most 1.15", 1.15);

/// The same beside a plugin in Go.
const BESIDE_GO: (&str, f64) = ("ratio at most 0.7", 0.7);

impl Page {
    pub(super) fn rows(&self) -> Vec<Row> {
        let Latency {
            stock,
            passed_through,
            repaired,
            ..
        } = &self.together.latency;
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
        let apart = self.apart.iter();
        rows.extend(apart.flat_map(|calls| {
            let Latency {
                stock,
                passed_through,
                ..
            } = &calls.latency;
            [Percentile::P50, Percentile::P99].map(|percentile| {
                let what = "GetPluginInfo, authority `localhost`, on two processors";
                Row::of_times(what, [stock, passed_through], percentile, None)
            })
        }));
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

    pub(super) fn instructions_row(&self) -> Row {
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
    pub(super) fn go_rows(&self) -> Vec<Row> {
        let places = [
            ("on one processor", Some(&self.together)),
            ("on two processors", self.apart.as_ref()),
        ];
        let times = places.into_iter().flat_map(|(place, calls)| {
            [Percentile::P50, Percentile::P99]
                .into_iter()
                .filter_map(move |percentile| {
                    let Latency {
                        go, passed_through, ..
                    } = &calls?.latency;
                    let what = format!("GetPluginInfo, {place}");
                    Some(match go {
                        Some(go) => {
                            Row::of_times(&what, [go, passed_through], percentile, Some(BESIDE_GO))
                        }
                        None => Row {
                            what: format!("{what}, {percentile}"),
                            base: "Go is not installed".to_owned(),
                            ours: micros(passed_through, percentile),
                            ratio: None,
                            bound: None,
                        },
                    })
                })
        });
        times.chain(self.agent.with_plugin_rows()).collect()
    }

    pub(super) fn probe_rows(&self) -> impl Iterator<Item = Row> {
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

    /// Where the time of a call goes.
    pub(super) fn cost_table(&self) -> String {
        let tonic = format!("tonic {}", self.tonic);
        let header = ["µs a call", "plugin in Go", &tonic, "csi-identity"];
        type Part = fn(&Cost) -> f64;
        let parts: [(&str, Part); 5] = [
            ("from one answer to the next", |cost| {
                cost.micros(cost.whole)
            }),
            ("the server, outside of the kernel", |cost| {
                cost.micros(cost.called.own)
            }),
            ("the server, in the kernel", |cost| {
                cost.micros(cost.called.kernel)
            }),
            ("the caller", |cost| cost.micros(cost.caller.whole())),
            ("times that the server goes to sleep", |cost| {
                cost.sleeps as f64 / cost.calls as f64
            }),
        ];
        let places = [
            ("one processor", Some(&self.together)),
            ("two processors", self.apart.as_ref()),
        ];
        let rows = places.into_iter().flat_map(|(place, calls)| {
            let costs = calls.map(|calls| &calls.costs);
            costs
                .into_iter()
                .flat_map(move |Costs { go, stock, ours }| {
                    parts.into_iter().map(move |(what, part)| {
                        let text = |cost: &Cost| format!("{:.1}", part(cost));
                        let go = go.as_ref().map(text);
                        [
                            format!("{place}: {what}"),
                            go.unwrap_or_else(|| "Go is not installed".to_owned()),
                            text(stock),
                            text(ours),
                        ]
                    })
                })
        });
        table::render(header.map(str::to_owned), rows)
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

fn micros(rounds: &Rounds, percentile: Percentile) -> String {
    let (low, high) = rounds.range(percentile);
    let median = rounds.micros(percentile);
    format!("{median:.1} µs ({low:.1} to {high:.1})")
}
