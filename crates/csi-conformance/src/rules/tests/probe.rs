//! Probe, and how long the calls take.

use std::time::Duration;

use super::fixtures::{Fixture, fixture};
use super::good::{
    CAPABILITIES, CONTROLLER, INFO, PROBE, bytes, error, info, ok, probe, rpcs, set, set_all,
    set_repeated,
};
use super::identity::slow;
use crate::{Exchange, Observation};

pub(super) fn all() -> Vec<Fixture> {
    vec![
        fixture(
            "CSI-ID-060",
            |seen| set_all(seen, error(PROBE, 9, "pool p0 is offline")),
            |seen| set_all(seen, error(PROBE, 14, "pool p0 is offline")),
        ),
        fixture(
            "CSI-ID-061",
            |seen| set_all(seen, probe(Some(false))),
            |seen| set_all(seen, error(PROBE, 9, "pool p0 is offline")),
        ),
        fixture(
            "CSI-ID-062",
            |seen| waits(seen, Some(true)),
            |seen| waits(seen, Some(false)),
        ),
        fixture(
            "CSI-ID-063",
            |seen| set_all(seen, probe(Some(true))),
            |seen| set_all(seen, probe(None)),
        ),
        fixture(
            "CSI-ID-064",
            |seen| slow(seen, PROBE, 2900),
            |seen| slow(seen, PROBE, 3100),
        ),
        fixture(
            "CSI-ID-065",
            |seen| slow(seen, PROBE, 900),
            |seen| slow(seen, PROBE, 1100),
        ),
        fixture(
            "CSI-ID-066",
            // It became ready, once.
            |seen| {
                probes(
                    seen,
                    vec![
                        (probe(Some(false)), vec![1, 2]),
                        (probe(Some(true)), (3..=100).collect()),
                    ],
                );
            },
            |seen| {
                probes(
                    seen,
                    vec![
                        (probe(Some(false)), vec![2, 4]),
                        (probe(Some(true)), vec![1, 3, 5]),
                    ],
                );
            },
        ),
        fixture(
            "CSI-ID-067",
            |seen| {
                probes(
                    seen,
                    vec![
                        (probe(None), vec![1]),
                        (probe(Some(true)), (2..=100).collect()),
                    ],
                );
            },
            |seen| {
                probes(
                    seen,
                    vec![
                        (probe(Some(true)), (1..50).collect()),
                        (probe(Some(false)), (50..=100).collect()),
                    ],
                );
            },
        ),
        fixture(
            "CSI-ID-068",
            |seen| set_all(seen, bytes(PROBE, &[0x0a, 0x02, 0x08, 0x01])),
            |seen| set_all(seen, bytes(PROBE, &[0x08, 0x01])),
        )
        .implied(&["CSI-ID-063"]),
        fixture(
            "CSI-ID-069",
            |seen| crowds(seen, 440),
            |seen| crowds(seen, 441),
        ),
        fixture(
            "CSI-ID-070",
            |seen| beside(seen, 90),
            |seen| beside(seen, 490),
        ),
        fixture(
            "CSI-ID-071",
            |seen| slow(seen, INFO, 900),
            |seen| slow(seen, INFO, 1100),
        ),
        fixture(
            "CSI-ID-072",
            |seen| {
                slow(seen, CAPABILITIES, 400);
                slow(seen, CONTROLLER, 400);
            },
            |seen| {
                slow(seen, CAPABILITIES, 600);
                slow(seen, CONTROLLER, 600);
            },
        ),
        fixture(
            "CSI-ID-073",
            |seen| slow(seen, CONTROLLER, 400),
            |seen| {
                set(&mut seen.plugin, rpcs(CONTROLLER, &[1, 9, 11]));
                slow(seen, CONTROLLER, 400);
            },
        ),
        fixture(
            "CSI-ID-074",
            |seen| slow(seen, CAPABILITIES, 900),
            |seen| {
                // Where there is no controller, external-attacher asks no more than this.
                seen.controller = crate::Controller::NotTold;
                set(&mut seen.plugin, super::good::unimplemented(CONTROLLER));
                slow(seen, CAPABILITIES, 1100);
            },
        ),
    ]
}

fn probes(seen: &mut Observation, ends: Vec<(Exchange, Vec<u32>)>) {
    set_repeated(&mut seen.plugin, PROBE, ends);
}

/// It says ready=false, and later something else or the same.
fn waits(seen: &mut Observation, later: Option<bool>) {
    set_all(seen, probe(Some(false)));
    seen.plugin.waited = Some((Duration::from_secs(2), probe(later)));
}

/// A Probe takes 90 ms, the slowest of eight at once this long.
fn crowds(seen: &mut Observation, millis: u64) {
    slow(seen, PROBE, 110);
    seen.plugin.crowd[7].took = Duration::from_millis(millis);
}

/// GetPluginInfo takes this long beside a Probe of 500 ms.
fn beside(seen: &mut Observation, millis: u64) {
    let mut call = ok(INFO, &info());
    call.took = Duration::from_millis(millis);
    seen.plugin.beside_slow_probe = Some((call, Duration::from_millis(500)));
}
