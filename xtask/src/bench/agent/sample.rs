//! Figures that meet every bound, just.

use std::time::Duration;

use super::{
    Agent, Plan, Sides,
    appearing::Appearing,
    deleted::Deleted,
    health::{Footprint, Held},
    outage::Outages,
    rates::{Each, MANY, Rate, Rates, SETUPS, Setup},
    together::Together,
};
use crate::bench::{cost::Cost, processor_time::ProcessorTime};

impl Agent {
    /// What could have been measured.
    pub(crate) fn sample() -> Self {
        let millis = |times: &[u64]| {
            times
                .iter()
                .map(|&time| Duration::from_millis(time))
                .collect()
        };
        let footprint = |memory, descriptors, threads| Footprint {
            memory,
            descriptors,
            threads,
        };
        // The second start took more of everything.
        let twice = |[at_start, after_few]: [u64; 2]| Together {
            at_start: vec![at_start, 2 * at_start, at_start],
            after_few: vec![after_few, 2 * after_few, after_few],
        };
        let together = |go, ours| Sides {
            go: Some(twice(go)),
            ours: twice(ours),
        };
        Self {
            plan: Plan::FULL,
            sizes: Sides {
                go: Some(40_000_000),
                ours: 8_000_000,
            },
            late: Sides {
                go: Some(Appearing(millis(&[1_000, 500, 600]))),
                ours: Appearing(millis(&[30, 20, 10])),
            },
            early: Sides {
                go: Some(Appearing(millis(&[20, 20, 20]))),
                ours: Appearing(millis(&[10, 10, 50])),
            },
            held: Sides {
                go: Some(Held {
                    at_start: footprint(40_000_000, 20, 12),
                    after_few: footprint(44_000_000, 20, 14),
                    after_many: footprint(50_000_000, 21, 15),
                }),
                ours: Held {
                    at_start: footprint(6_000_000, 17, 1),
                    after_few: footprint(6_365_000, 17, 1),
                    after_many: footprint(6_700_000, 17, 1),
                },
            },
            rates: SETUPS.into_iter().map(rates).collect(),
            outages: Sides {
                go: Some(Outages {
                    begun: millis(&[3_000]),
                    over: millis(&[4]),
                }),
                ours: Outages {
                    begun: millis(&[1, 50, 2]),
                    over: millis(&[1, 1, 50]),
                },
            },
            deleted: Sides {
                go: Some(Deleted(vec![None])),
                ours: Deleted(vec![
                    Some(Duration::from_millis(3)),
                    Some(Duration::from_secs(2)),
                    Some(Duration::from_millis(1)),
                ]),
            },
            by_name: together([40_000_000, 44_000_000], [10_000_000, 11_000_000]),
            with_plugin: together([56_000_000, 63_000_000], [8_000_000, 9_000_000]),
            switches: Sides {
                go: Some(40),
                ours: 20,
            },
        }
    }

    /// The same where Go is not installed.
    pub(crate) fn without_go(&mut self) {
        self.sizes.go = None;
        self.late.go = None;
        self.early.go = None;
        self.held.go = None;
        self.outages.go = None;
        self.deleted.go = None;
        self.by_name.go = None;
        self.with_plugin.go = None;
        self.switches.go = None;
        for rates in &mut self.rates {
            rates.cost.go = None;
            for rate in &mut rates.rounds {
                rate.answered.go = None;
            }
        }
    }
}

fn rates(setup: Setup) -> Rates {
    let [go, stock, ours, nothing] = match setup {
        MANY => [2_000.0, 20_000.0, 30_000.0, 60_000.0],
        _ => [1_000.0, 8_000.0, 10_000.0, 20_000.0],
    };
    let rate = |part: f64| Rate {
        answered: Each {
            go: Some(go / part),
            stock: stock / part,
            ours: ours / part,
        },
        nothing: nothing / part,
    };
    let cost = |whole, kernel, own| Cost {
        calls: 1_000,
        whole: Duration::from_millis(whole),
        called: ProcessorTime {
            kernel: Duration::from_millis(kernel),
            own: Duration::from_millis(own),
        },
        behind: ProcessorTime {
            kernel: Duration::from_millis(10),
            own: Duration::from_millis(5),
        },
        caller: ProcessorTime {
            kernel: Duration::from_millis(7),
            own: Duration::from_millis(1),
        },
        sleeps: 1_500,
    };
    Rates {
        setup,
        // In the second round, the machine was slow for everybody.
        rounds: [1.0, 2.0, 1.0].map(rate).to_vec(),
        cost: Each {
            go: Some(cost(1_000, 200, 700)),
            stock: cost(125, 40, 62),
            ours: cost(100, 40, 37),
        },
    }
}
