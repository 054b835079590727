use std::fmt::{self, Display};

use super::or_absent;
use crate::bench::{
    agent::{
        Agent,
        rates::{Each, MANY, MIN_LOAD_RATIO, Rates, Setup, TOGETHER},
    },
    cost::Cost,
    processor::Place,
    row::{Bound, Row, grouped, spread},
    statistics::median_ratio,
};
use crate::table;

const MIN_RATE_RATIO: f64 = 10.0;

impl Agent {
    /// Those with a bound: where nothing but what is done decides, and where the kernel has most to do.
    pub(super) fn rate_rows(&self) -> Vec<Row> {
        let rates = self.rates.iter();
        let bounded = rates.filter(|rates| [TOGETHER, MANY].contains(&rates.setup));
        bounded.flat_map(Rates::rows).collect()
    }

    /// What decides, processor by processor.
    pub(in crate::bench::agent) fn rate_table(&self) -> String {
        let header = [
            "connections, and where it runs",
            "sidecar in Go",
            "axum + tonic",
            "csi-identity agent",
            "agent to Go",
            "axum + tonic to Go",
            "a server that does nothing",
        ];
        let rows = self.rates.iter().map(|rates| {
            let ratio = |answered: &[f64]| {
                let ratio = rates.go().map(|go| median_ratio(answered, &go));
                ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default()
            };
            let stock = rates.each(|rate| rate.answered.stock);
            let ours = rates.each(|rate| rate.answered.ours);
            [
                rates.setup.to_string(),
                or_absent(rates.go().as_deref(), a_second),
                a_second(&stock),
                a_second(&ours),
                ratio(&ours),
                ratio(&stock),
                a_second(&rates.each(|rate| rate.nothing)),
            ]
        });
        table::render(header.map(str::to_owned), rows)
    }

    /// What a request costs on one processor.
    pub(in crate::bench::agent) fn cost_table(&self) -> String {
        let header = [
            "µs a request",
            "sidecar in Go",
            "axum + tonic",
            "csi-identity agent",
        ];
        let Some(Rates { cost, .. }) = self.together() else {
            return String::new();
        };
        type Part = fn(&Cost) -> f64;
        let parts: [(&str, Part); 6] = [
            ("from one answer to the next", |cost| {
                cost.micros(cost.whole)
            }),
            ("of which whoever answers, outside of the kernel", |cost| {
                cost.micros(cost.called.own)
            }),
            ("whoever answers, in the kernel", |cost| {
                cost.micros(cost.called.kernel)
            }),
            ("the plugin", |cost| cost.micros(cost.behind.whole())),
            ("the load", |cost| cost.micros(cost.caller.whole())),
            ("times that whoever answers goes to sleep", |cost| {
                cost.sleeps as f64 / cost.calls as f64
            }),
        ];
        let rows = parts.into_iter().map(|(what, part)| {
            let text = |cost: &Cost| format!("{:.1}", part(cost));
            let Each { go, stock, ours } = cost;
            [
                what.to_owned(),
                or_absent(go.as_ref(), text),
                text(stock),
                text(ours),
            ]
        });
        table::render(header.map(str::to_owned), rows)
    }

    /// How many times as many as in Go there would be if the agent did all it does outside of the kernel in no time.
    pub(in crate::bench::agent) fn ratio_of_the_kernel_alone(&self) -> Option<f64> {
        let Each { go, ours, .. } = self.together()?.cost;
        let go = go?;
        Some(go.micros(go.whole) / ours.micros(ours.whole.saturating_sub(ours.called.own)))
    }

    fn together(&self) -> Option<&Rates> {
        self.rates.iter().find(|rates| rates.setup == TOGETHER)
    }
}

impl Rates {
    fn rows(&self) -> Vec<Row> {
        let where_at = match self.setup {
            TOGETHER => "1 connection, all on one processor".to_owned(),
            Setup { connections, .. } => format!("{connections} connections"),
        };
        let go = self.go();
        let ours = self.each(|rate| rate.answered.ours);
        let ratio = go.as_ref().map(|go| median_ratio(&ours, go));
        let nothing = self.each(|rate| rate.nothing);
        vec![
            Row {
                what: format!("/healthz a second, {where_at}"),
                base: or_absent(go.as_deref(), a_second),
                ours: a_second(&ours),
                ratio,
                bound: ratio.map(|ratio| Bound {
                    text: "ratio at least 10",
                    met: ratio >= MIN_RATE_RATIO,
                }),
            },
            Row {
                what: format!("the load on a server that does nothing, {where_at}"),
                base: String::new(),
                ours: a_second(&nothing),
                ratio: Some(median_ratio(&nothing, &ours)),
                bound: self.load_ratio().map(|ratio| Bound {
                    text: "ratio at least 2",
                    met: ratio >= MIN_LOAD_RATIO,
                }),
            },
        ]
    }
}

impl Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = match (self.load, self.answering, self.plugin) {
            (Place::Anywhere, ..) => "wherever the kernel puts it",
            (Place::Apart, ..) => "the load on a processor of its own",
            (_, _, Place::Apart) => "the plugin on a processor of its own",
            _ => "all on one processor",
        };
        write!(f, "{}, {places}", self.connections)
    }
}

/// Requests, with the slowest and the fastest round.
fn a_second(rates: &[f64]) -> String {
    spread(rates, "", |rate| grouped(rate.round() as usize))
}
