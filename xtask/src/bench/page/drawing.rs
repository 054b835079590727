use super::Page;
use crate::bench::{
    latency::{Latency, Percentile},
    picture::{Bar, Panel, Picture, Side},
};

impl Page {
    /// `docs/benchmarks.svg`.
    pub(crate) fn picture(&self) -> Picture {
        let Latency {
            stock,
            go,
            passed_through,
            repaired,
        } = &self.together.latency;
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
}
