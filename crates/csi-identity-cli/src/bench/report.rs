use std::io::{self, Write};
use std::time::Duration;

use csi_identity::endpoint::Endpoint;
use serde_json::{Map, Value, json};

use super::load::Measured;
use super::rpc::Choice;
use super::tally::Tally;
use crate::output::printable;

/// What is shown of a run.
#[derive(Debug)]
pub(super) struct Report<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) choice: Choice,
    pub(super) concurrency: u16,
    pub(super) connections: u16,
    pub(super) timeout: Duration,
    pub(super) measured: &'a Measured,
}

/// A latency, as people and programs call it.
struct Latency {
    title: &'static str,
    field: &'static str,
    of: fn(&Tally) -> Option<Duration>,
}

const LATENCIES: [Latency; 6] = [
    Latency {
        title: "p50 ms",
        field: "p50_seconds",
        of: |tally| tally.quantile(0.5),
    },
    Latency {
        title: "p90 ms",
        field: "p90_seconds",
        of: |tally| tally.quantile(0.9),
    },
    Latency {
        title: "p99 ms",
        field: "p99_seconds",
        of: |tally| tally.quantile(0.99),
    },
    Latency {
        title: "p99.9 ms",
        field: "p99_9_seconds",
        of: |tally| tally.quantile(0.999),
    },
    Latency {
        title: "max ms",
        field: "max_seconds",
        of: Tally::longest,
    },
    Latency {
        title: "mean ms",
        field: "mean_seconds",
        of: Tally::mean,
    },
];

impl Report<'_> {
    pub(super) fn write_text(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let Measured {
            rpcs,
            warm_up_calls,
            first_error,
            time,
            cut_short,
        } = self.measured;
        let cut = if *cut_short { " (cut short)" } else { "" };
        writeln!(
            out,
            "{} for {:.3} s{cut}, {} on {}, after {} of warm-up",
            self.endpoint,
            time.as_secs_f64(),
            count(self.concurrency.into(), "call in flight", "calls in flight"),
            count(self.connections.into(), "connection", "connections"),
            count(*warm_up_calls, "call", "calls"),
        )?;
        let total = self.measured.total()?;
        let mut rows: Vec<_> = rpcs
            .iter()
            .map(|(rpc, tally)| (rpc.name(), tally))
            .collect();
        if rows.len() > 1 {
            rows.push(("all", &total));
        }
        writeln!(out)?;
        write!(out, "{:<21} {:>10} {:>10}", "", "calls", "answered/s")?;
        for Latency { title, .. } in LATENCIES {
            write!(out, " {title:>9}")?;
        }
        writeln!(out)?;
        for (name, tally) in &rows {
            self.write_row(out, name, tally)?;
        }
        writeln!(out)?;
        for (name, tally) in &rows {
            let outcomes: Vec<_> = tally
                .outcomes()
                .map(|(outcome, calls)| format!("{} {calls}", outcome.name()))
                .collect();
            writeln!(out, "{name:<21} {}", outcomes.join(", "))?;
        }
        if let Some((rpc, error)) = first_error {
            let error = printable(&error.to_string());
            writeln!(out, "\nfirst error, of {}: {error}", rpc.name())?;
        }
        Ok(())
    }

    fn write_row(&self, out: &mut impl Write, name: &str, tally: &Tally) -> io::Result<()> {
        let rate = self.answered_per_second(tally);
        write!(out, "{name:<21} {:>10} {rate:>10.1}", tally.calls())?;
        for Latency { of, .. } in LATENCIES {
            let text = match of(tally) {
                Some(latency) => format!("{:.3}", latency.as_secs_f64() * 1e3),
                None => "-".to_owned(),
            };
            write!(out, " {text:>9}")?;
        }
        writeln!(out)
    }

    pub(super) fn to_json(&self) -> anyhow::Result<Value> {
        let measured = self.measured;
        let rpcs: Map<_, _> = measured
            .rpcs
            .iter()
            .map(|(rpc, tally)| (rpc.name().to_owned(), self.tally_to_json(tally)))
            .collect();
        let first_error = measured
            .first_error
            .as_ref()
            .map(|(rpc, error)| json!({ "rpc": rpc.name(), "message": error.to_string() }));
        Ok(json!({
            "endpoint": self.endpoint.to_string(),
            "rpc": self.choice.name(),
            "concurrency": self.concurrency,
            "connections": self.connections,
            "timeout_seconds": self.timeout.as_secs_f64(),
            "warm_up_calls": measured.warm_up_calls,
            "measured_seconds": measured.time.as_secs_f64(),
            "cut_short": measured.cut_short,
            "total": self.tally_to_json(&measured.total()?),
            "rpcs": rpcs,
            "first_error": first_error,
        }))
    }

    fn tally_to_json(&self, tally: &Tally) -> Value {
        let outcomes: Map<_, _> = tally
            .outcomes()
            .map(|(outcome, calls)| (outcome.name().to_owned(), calls.into()))
            .collect();
        let mut object = json!({
            "calls": tally.calls(),
            "failed_calls": tally.failed_calls(),
            "answered_calls_per_second": self.answered_per_second(tally),
            "outcomes": outcomes,
        });
        for Latency { field, of, .. } in LATENCIES {
            object[field] = of(tally).map(|latency| latency.as_secs_f64()).into();
        }
        object
    }

    fn answered_per_second(&self, tally: &Tally) -> f64 {
        // Where there are calls, there was time in which they began.
        tally.answered_calls() as f64 / self.measured.time.as_secs_f64()
    }
}

fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
