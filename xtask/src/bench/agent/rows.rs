//! The section of `docs/benchmarks.md` about the agent.

use std::{
    fmt::{self, Display},
    time::Duration,
};

use super::{
    Agent, Plan, Sides,
    appearing::Appearing,
    deleted::Deleted,
    health::{CONNECTIONS, Footprint, Held, Rate},
    together::Together,
};
use crate::bench::{
    picture::{Bar, Side},
    row::{self, Bound, Row, grouped},
    statistics::{median, median_ratio, percentile},
};

/// A sixth of what the two sidecars hold.
const MAX_MEMORY: u64 = 6_700_000;

/// How much more memory than after the first thousand requests there may be after many of them: a twentieth of
/// [`MAX_MEMORY`], so that what is lost with each request would have to be less than half a byte.
const MAX_GROWTH: u64 = MAX_MEMORY / 20;

/// Of the binary and what is held beside memory.
const MAX_SIZE_RATIO: f64 = 0.2;
const MAX_LATE: Duration = Duration::from_millis(20);
const MAX_EARLY: Duration = Duration::from_millis(10);
const MAX_OUTAGE: Duration = Duration::from_millis(50);
const MAX_DELETED: Duration = Duration::from_secs(2);
const MIN_RATE_RATIO: f64 = 10.0;
const MAX_SWITCHES_RATIO: f64 = 0.5;

/// Of the memory of two processes under the names of the sidecars, and of a plugin with all of it in one process.
const MAX_BY_NAME_RATIO: f64 = 1.0 / 4.0;
const MAX_WITH_PLUGIN_RATIO: f64 = 1.0 / 7.0;

/// So much faster than what is measured has to be the load by itself.
const MIN_LOAD_RATIO: f64 = 2.0;

impl Agent {
    pub(crate) fn table(&self) -> String {
        Row::render(["sidecars in Go", "csi-identity agent"], self.rows())
    }

    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut rows = vec![
            appearing(
                "plugin appears to GetInfo answered",
                &self.late,
                "at most 20 ms",
                MAX_LATE,
            ),
            appearing(
                "start of the process to GetInfo answered",
                &self.early,
                "at most 10 ms",
                MAX_EARLY,
            ),
        ];
        rows.push(self.deleted_row());
        rows.extend(self.held_rows());
        rows.extend(self.together_rows(
            &self.by_name,
            "resident memory under the sidecars' names",
            ("ratio at most 1/4", MAX_BY_NAME_RATIO),
        ));
        rows.extend(self.rate_rows());
        rows.extend(self.outage_rows());
        let Sides { go, ours } = &self.switches;
        let seconds = self.plan.idle.as_secs();
        rows.push(Row {
            what: format!("voluntary context switches in {seconds} s, registered and idle"),
            base: or_absent(*go, |count| count.to_string()),
            ours: ours.to_string(),
            ratio: go.map(|go| *ours as f64 / go as f64),
            bound: go.map(|go| Bound {
                text: "ratio at most 0.5",
                met: *ours as f64 <= MAX_SWITCHES_RATIO * go as f64,
            }),
        });
        let Sides { go, ours } = &self.sizes;
        rows.push(Row {
            what: "binaries, stripped".to_owned(),
            base: or_absent(*go, megabytes),
            ours: megabytes(*ours),
            ratio: go.map(|go| *ours as f64 / go as f64),
            bound: go.map(|go| Bound {
                text: "ratio at most 0.2",
                met: *ours as f64 <= MAX_SIZE_RATIO * go as f64,
            }),
        });
        rows
    }

    /// Of a plugin of ours with registration and health in its process, beside three processes in Go.
    pub(crate) fn with_plugin_rows(&self) -> [Row; 2] {
        self.together_rows(
            &self.with_plugin,
            "resident memory with registration and health",
            ("ratio at most 1/7", MAX_WITH_PLUGIN_RATIO),
        )
    }

    /// What the picture shows of memory.
    pub(crate) fn memory_bars(&self) -> Vec<Bar> {
        let middle = |together: &Together| median(bytes(&together.after_few));
        let agent = self.held.ours.after_few.memory as f64;
        let bars = [
            (
                "plugin and sidecars in Go, 3 processes",
                Side::Other,
                self.with_plugin.go.as_ref().map(middle),
            ),
            (
                "csi-identity serve --register, 1 process",
                Side::Ours,
                Some(middle(&self.with_plugin.ours)),
            ),
            (
                "sidecars in Go, 2 processes",
                Side::Other,
                self.by_name.go.as_ref().map(middle),
            ),
            (
                "csi-identity by their names, 2 processes",
                Side::Ours,
                Some(middle(&self.by_name.ours)),
            ),
            ("csi-identity agent, 1 process", Side::Ours, Some(agent)),
        ];
        let bars = bars.into_iter().filter_map(|(what, side, value)| {
            let value = value? / 1e6;
            Some(Bar {
                what: what.to_owned(),
                side,
                value,
                up_to: None,
                shown: format!("{value:.1} MB"),
            })
        });
        bars.collect()
    }

    /// How many requests have been answered when memory is looked at for the second time.
    pub(crate) fn few_requests(&self) -> String {
        grouped(self.plan.few_requests)
    }

    fn deleted_row(&self) -> Row {
        let Sides { go, ours } = &self.deleted;
        let watch = self.plan.watch.as_secs();
        let text =
            |Deleted(times): &Deleted| match times.iter().copied().collect::<Option<Vec<_>>>() {
                Some(times) => spread(&times),
                None => format!("not within {watch} s"),
            };
        let in_time = |time: &Option<Duration>| time.is_some_and(|time| time <= MAX_DELETED);
        Row {
            what: "registration socket deleted to GetInfo answered".to_owned(),
            base: or_absent(go.as_ref(), text),
            ours: text(ours),
            ratio: None,
            bound: Some(Bound {
                text: "none over 2 s",
                met: ours.0.iter().all(in_time),
            }),
        }
    }

    fn together_rows(
        &self,
        sides: &Sides<Together>,
        what: &str,
        (text, limit): (&'static str, f64),
    ) -> [Row; 2] {
        type Moment = fn(&Together) -> &Vec<u64>;
        let row = |when: &str, moment: Moment| {
            let go = sides.go.as_ref().map(|together| bytes(moment(together)));
            let ours = bytes(moment(&sides.ours));
            let ratio = go.as_ref().map(|go| median_ratio(&ours, go));
            let text_of =
                |bytes: &[f64]| row::spread(bytes, " MB", |bytes| format!("{:.2}", bytes / 1e6));
            Row {
                what: format!("{what}, {when}"),
                base: or_absent(go.as_deref(), text_of),
                ours: text_of(&ours),
                ratio,
                bound: ratio.map(|ratio| Bound {
                    text,
                    met: ratio <= limit,
                }),
            }
        };
        let few = format!("after {} requests", self.few_requests());
        [
            row("after the start", |together| &together.at_start),
            row(&few, |together| &together.after_few),
        ]
    }

    fn held_rows(&self) -> Vec<Row> {
        type Moment = fn(&Held) -> Footprint;
        let Sides { go, ours } = &self.held;
        let memory = |what: &str, moment: Moment| {
            let go = go.as_ref().map(|held| moment(held).memory);
            let ours = moment(ours).memory;
            Row {
                what: format!("resident memory {what}"),
                base: or_absent(go, megabytes),
                ours: megabytes(ours),
                ratio: go.map(|go| ours as f64 / go as f64),
                bound: Some(Bound {
                    text: "at most 6.7 MB",
                    met: ours <= MAX_MEMORY,
                }),
            }
        };
        let growth = |held: &Held| held.after_many.memory.saturating_sub(held.after_few.memory);
        let others = |held: &Held| {
            let [few, many] = [held.after_few, held.after_many]
                .map(|held| format!("{} and {}", held.descriptors, held.threads));
            format!("{few}, then {many}")
        };
        let few = grouped(self.plan.few_requests);
        let many = grouped(self.plan.many_requests);
        vec![
            memory("after the start", |held| held.at_start),
            memory(&format!("after {few} requests"), |held| held.after_few),
            memory(
                &format!(
                    "after {many} requests (Go: {})",
                    grouped(self.plan.many_go_requests)
                ),
                |held| held.after_many,
            ),
            Row {
                what: "of which since the first of these two".to_owned(),
                base: or_absent(go.as_ref().map(growth), megabytes),
                ours: megabytes(growth(ours)),
                ratio: None,
                bound: Some(Bound {
                    text: "at most 0.335 MB",
                    met: growth(ours) <= MAX_GROWTH,
                }),
            },
            Row {
                what: "file descriptors and threads at these two".to_owned(),
                base: or_absent(go.as_ref(), others),
                ours: others(ours),
                ratio: None,
                bound: Some(Bound {
                    text: "the same",
                    met: (ours.after_few.descriptors, ours.after_few.threads)
                        == (ours.after_many.descriptors, ours.after_many.threads),
                }),
            },
        ]
    }

    fn rate_rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for (at, connections) in CONNECTIONS.into_iter().enumerate() {
            let rounds: Vec<Rate> = self.rates.0.iter().map(|round| round[at]).collect();
            let over = |value: fn(&Rate) -> Option<f64>| {
                let values: Option<Vec<f64>> = rounds.iter().map(value).collect();
                values
            };
            let go = over(|rate| rate.go);
            let ratio = over(|rate| Some(rate.ours / rate.go?)).map(median);
            let ours = over(|rate| Some(rate.ours)).unwrap_or_default();
            let load = over(|rate| Some(rate.nothing / rate.ours)).map(median);
            let nothing = over(|rate| Some(rate.nothing)).unwrap_or_default();
            let over = format!(
                "{connections} connection{}",
                if connections == 1 { "" } else { "s" }
            );
            rows.push(Row {
                what: format!("/healthz a second, {over}"),
                base: or_absent(go, per_second),
                ours: per_second(ours),
                ratio,
                bound: ratio.map(|ratio| Bound {
                    text: "ratio at least 10",
                    met: ratio >= MIN_RATE_RATIO,
                }),
            });
            rows.push(Row {
                what: format!("the load on a server that does nothing, {over}"),
                base: String::new(),
                ours: per_second(nothing),
                ratio: load,
                // With many the load is near its own limit, and ours may do more than is seen.
                bound: load.filter(|_| connections == 1).map(|ratio| Bound {
                    text: "ratio at least 2",
                    met: ratio >= MIN_LOAD_RATIO,
                }),
            });
        }
        rows
    }

    fn outage_rows(&self) -> [Row; 2] {
        let Sides { go, ours } = &self.outages;
        let row = |what: &str, go: Option<&Vec<Duration>>, ours: &Vec<Duration>| Row {
            what: what.to_owned(),
            base: or_absent(go, |times| spread(times)),
            ours: spread(ours),
            ratio: go.map(|go| middle(ours).div_duration_f64(middle(go))),
            bound: Some(Bound {
                text: "none over 50 ms",
                met: ours.iter().all(|&time| time <= MAX_OUTAGE),
            }),
        };
        [
            row(
                "plugin killed to /healthz 500",
                go.as_ref().map(|outages| &outages.begun),
                &ours.begun,
            ),
            row(
                "next plugin takes connections to /healthz 200",
                go.as_ref().map(|outages| &outages.over),
                &ours.over,
            ),
        ]
    }
}

fn appearing(what: &str, sides: &Sides<Appearing>, text: &'static str, limit: Duration) -> Row {
    let Sides {
        go,
        ours: Appearing(ours),
    } = sides;
    let go = go.as_ref().map(|Appearing(times)| times);
    Row {
        what: what.to_owned(),
        base: or_absent(go, |times| spread(times)),
        ours: spread(ours),
        ratio: go.map(|go| middle(ours).div_duration_f64(middle(go))),
        bound: Some(Bound {
            text,
            met: middle(ours) <= limit,
        }),
    }
}

fn or_absent<T>(go: Option<T>, text: impl FnOnce(T) -> String) -> String {
    go.map_or_else(|| "Go is not installed".to_owned(), text)
}

fn middle(times: &[Duration]) -> Duration {
    percentile(&mut times.to_vec(), 50)
}

/// The median, the lowest and the highest.
fn spread(times: &[Duration]) -> String {
    let mut times = times.to_vec();
    let [median, low, high] =
        [50, 0, 100].map(|percent| percentile(&mut times, percent).as_secs_f64() * 1e3);
    format!("{median:.1} ms ({low:.1} to {high:.1})")
}

fn bytes(counts: &[u64]) -> Vec<f64> {
    counts.iter().map(|&count| count as f64).collect()
}

fn per_second(rates: Vec<f64>) -> String {
    grouped(median(rates).round() as usize)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.2} MB", bytes as f64 / 1e6)
}

impl Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan {
            starts,
            go_starts,
            rounds,
            round,
            outages,
            go_outages,
            deletions,
            watch,
            memory_starts,
            idle,
            ..
        } = self.plan;
        let (round, idle, watch) = (round.as_secs_f64(), idle.as_secs(), watch.as_secs());
        write!(
            f,
            "\
## The agent beside the sidecars

`csi-identity agent` beside two programs in Go that do per plugin, per kubelet and per request what node-driver-registrar and
livenessprobe do, with the library and the logging those use (`interop/sidecars`); they have less else in them than the
originals. Of memory, descriptors, threads, switches and binaries the sum of the two is shown. All stand beside the same
plugin, a stock tonic server, and all may use every processor.

{}
- A kubelet that calls GetInfo, and sends the path of the socket as the authority, is tried every 50 µs. A plugin appears when
  its socket, which takes connections already, gets its name: {starts} times, spread over a second; in Go {go_starts} times.
- A registration socket is deleted {deletions} times, and a kubelet looks every 0.2 ms whether it is there again, for {watch} s at most; the
  registrar in Go, which binds once as the original does, runs on without it.
- Memory is `VmRSS` while a kubelet has the plugin registered, requests come over {} connections that stay open, and what is
  held is looked at when they are closed.
- The sidecars' names are those of links to csi-identity, which then takes their flags and does one's work in each process. Both
  sides are started {memory_starts} times by turns, and the sum of the two processes is shown.
- Rates are medians over {rounds} rounds of {round} s by turns, and ratios medians of those within a round. One thread asks,
  and has one request under way on each connection. Against a server of one thread that does nothing it has to be twice as
  fast as with the agent over one connection, or it would be what is measured; over {} it is near its own limit, and the
  agent may do more than is seen. Over one connection it is mostly the kernel that works, waking three processes up in turn,
  and the ratio moves with where it lets them run.
- A plugin is killed {outages} times (in Go {go_outages}) while `/healthz` is asked again and again: until it says 500, in our case
  with the reason; then from the moment at which another plugin takes connections on the path, until it says 200.
- Switches are counted over {idle} s in all threads.

Times are medians, with the lowest and the highest.

",
            self.table(),
            CONNECTIONS[1],
            CONNECTIONS[1],
        )
    }
}

#[cfg(test)]
mod tests;
