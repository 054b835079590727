use super::{megabytes, or_absent};
use crate::bench::{
    agent::{
        Agent, Sides,
        health::{Footprint, Held},
        together::Together,
    },
    picture::{Bar, Side},
    row::{self, Bound, Row, grouped},
    statistics::{median, median_ratio},
};

/// A sixth of what the two sidecars hold.
const MAX_MEMORY: u64 = 6_700_000;

/// How much more memory than after the first thousand requests there may be after many of them: a twentieth of
/// [`MAX_MEMORY`], so that what is lost with each request would have to be less than half a byte.
const MAX_GROWTH: u64 = MAX_MEMORY / 20;

/// Of the memory of two processes under the names of the sidecars, and of a plugin with all of it in one process.
const MAX_BY_NAME_RATIO: f64 = 1.0 / 4.0;
const MAX_WITH_PLUGIN_RATIO: f64 = 1.0 / 7.0;

impl Agent {
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

    /// Of two processes under the names of the sidecars.
    pub(super) fn by_name_rows(&self) -> [Row; 2] {
        self.together_rows(
            &self.by_name,
            "resident memory under the sidecars' names",
            ("ratio at most 1/4", MAX_BY_NAME_RATIO),
        )
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

    pub(super) fn held_rows(&self) -> Vec<Row> {
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
}

fn bytes(counts: &[u64]) -> Vec<f64> {
    counts.iter().map(|&count| count as f64).collect()
}
