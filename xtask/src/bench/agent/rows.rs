//! The table of the agent beside the sidecars.

mod memory;
mod rates;

use std::time::Duration;

use super::{Agent, Sides, appearing::Appearing, deleted::Deleted};
use crate::bench::{
    row::{Bound, Row},
    statistics::percentile,
};

/// Of the binary and what is held beside memory.
const MAX_SIZE_RATIO: f64 = 0.2;
const MAX_LATE: Duration = Duration::from_millis(20);
const MAX_EARLY: Duration = Duration::from_millis(10);
const MAX_OUTAGE: Duration = Duration::from_millis(50);
const MAX_DELETED: Duration = Duration::from_secs(2);
const MAX_SWITCHES_RATIO: f64 = 0.5;

impl Agent {
    pub(super) fn table(&self) -> String {
        Row::render(["sidecars in Go", "csi-identity agent"], self.rows())
    }

    /// The part that is shown after each run.
    pub(crate) fn tables(&self) -> String {
        [self.table(), self.rate_table(), self.cost_table()].join("\n")
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
        rows.extend(self.by_name_rows());
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

fn megabytes(bytes: u64) -> String {
    format!("{:.2} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests;
