//! Capabilities, and what is served of them.

use super::fixtures::{Fixture, fixture};
use super::good::{
    ALL, CAPABILITIES, CONTROLLER, GROUP, METADATA, NODE, NODE_INFO, apart, capabilities, error,
    ok, rpcs, segments, set, set_all, set_repeated, unimplemented,
};
use crate::{Controller, Method, Observation, Promised};

pub(super) fn all() -> Vec<Fixture> {
    vec![
        fixture("CSI-ID-030", |_| {}, |seen| declares(seen, &with((0, 0)))),
        fixture("CSI-ID-031", |_| {}, |seen| declares(seen, &with((1, 0)))),
        fixture("CSI-ID-032", |_| {}, |seen| declares(seen, &with((1, 99)))),
        fixture("CSI-ID-033", |_| {}, |seen| declares(seen, &with((1, 1)))),
        fixture(
            "CSI-ID-034",
            |_| {},
            |seen| {
                let mut turned = ALL;
                turned.reverse();
                varies(seen, &turned);
            },
        ),
        fixture(
            "CSI-ID-035",
            |seen| varies(seen, &ALL),
            |seen| varies(seen, &ALL[..4]),
        ),
        fixture(
            "CSI-ID-036",
            |seen| *seen = apart(),
            |seen| {
                *seen = apart();
                seen.process = None;
                set(&mut seen.plugin, ok(CAPABILITIES, &capabilities(&ALL[1..])));
            },
        ),
        fixture(
            "CSI-ID-037",
            |seen| set(&mut seen.plugin, rpcs(NODE, &[3, 6])),
            |seen| set(&mut seen.plugin, rpcs(NODE, &[3, 7])),
        ),
        fixture(
            "CSI-ID-038",
            |_| {},
            |seen| {
                let good = ok(CAPABILITIES, &capabilities(&ALL));
                let bad = error(CAPABILITIES, 14, "busy");
                set_repeated(
                    &mut seen.plugin,
                    CAPABILITIES,
                    vec![(good, vec![1, 3]), (bad, vec![2])],
                );
            },
        ),
        fixture(
            "CSI-ID-040",
            |seen| {
                // Nobody said where the controller is.
                set(&mut seen.plugin, unimplemented(CONTROLLER));
                seen.controller = Controller::NotTold;
            },
            |seen| set(&mut seen.plugin, unimplemented(CONTROLLER)),
        ),
        fixture(
            "CSI-ID-041",
            |seen| {
                // A stub without any capability.
                declares(seen, &ALL[1..]);
                set(&mut seen.plugin, rpcs(CONTROLLER, &[]));
            },
            |seen| declares(seen, &ALL[1..]),
        ),
        fixture(
            "CSI-ID-042",
            |seen| *seen = apart(),
            |seen| set(&mut seen.plugin, unimplemented(GROUP)),
        ),
        fixture(
            "CSI-ID-043",
            |_| {},
            |seen| declares(seen, &without((1, 3))),
        ),
        fixture(
            "CSI-ID-044",
            |seen| *seen = apart(),
            |seen| set(&mut seen.plugin, unimplemented(METADATA)),
        ),
        fixture(
            "CSI-ID-045",
            |seen| {
                declares(seen, &without((1, 4)));
                set(&mut seen.plugin, error(METADATA, 16, "who are you"));
            },
            |seen| declares(seen, &without((1, 4))),
        ),
        fixture(
            "CSI-ID-046",
            |seen| {
                declares(seen, &without((1, 2)));
                set_all(seen, ok(NODE_INFO, &segments(&[])));
            },
            |seen| declares(seen, &without((1, 2))),
        ),
        fixture(
            "CSI-ID-047",
            |_| {},
            |seen| set_all(seen, ok(NODE_INFO, &segments(&[]))),
        ),
        fixture(
            "CSI-ID-048",
            |seen| set(&mut seen.plugin, rpcs(CONTROLLER, &[1])),
            |seen| {
                set(&mut seen.plugin, rpcs(CONTROLLER, &[1]));
                set(&mut seen.plugin, rpcs(NODE, &[1]));
            },
        ),
        fixture(
            "CSI-ID-049",
            |seen| {
                let mut all = without((2, 1));
                all.push((2, 2));
                declares(seen, &all);
            },
            |seen| {
                let mut all = without((2, 1));
                all.push((2, 2));
                declares(seen, &all);
                // The node alone is not enough.
                set(&mut seen.plugin, rpcs(CONTROLLER, &[1]));
            },
        ),
        fixture("CSI-ID-050", |_| {}, |seen| declares(seen, &with((2, 2)))),
        fixture(
            "CSI-ID-051",
            |_| {},
            |seen| declares(seen, &without((2, 1))),
        ),
        fixture(
            "CSI-ID-052",
            |seen| *seen = apart(),
            |seen| set(&mut seen.plugin, error(CONTROLLER, 13, "no backend")),
        ),
        fixture(
            "CSI-ID-053",
            |seen| promises(seen, error(EXPAND, 3, "volume_id is empty")),
            |seen| promises(seen, unimplemented(EXPAND)),
        ),
        fixture(
            "CSI-ID-054",
            |seen| {
                seen.plugin.repeated.remove(&NODE_INFO);
                set(&mut seen.plugin, unimplemented(NODE_INFO));
                set(&mut seen.plugin, unimplemented(NODE));
            },
            |seen| {
                seen.plugin.repeated.remove(&NODE_INFO);
                set(&mut seen.plugin, unimplemented(NODE_INFO));
            },
        ),
        fixture(
            "CSI-ID-055",
            |_| {},
            |seen| set(&mut seen.plugin, unimplemented(NODE)),
        ),
        fixture(
            "CSI-ID-056",
            |seen| *seen = apart(),
            |seen| set(&mut seen.plugin, error(GROUP, 13, "no backend")),
        ),
    ]
}

const EXPAND: Method = Method::new("csi.v1.Controller", "ControllerExpandVolume");

fn declares(seen: &mut Observation, all: &[(u8, i32)]) {
    set_all(seen, ok(CAPABILITIES, &capabilities(all)));
}

fn varies(seen: &mut Observation, other: &[(u8, i32)]) {
    let one = ok(CAPABILITIES, &capabilities(&ALL));
    let other = ok(CAPABILITIES, &capabilities(other));
    set_repeated(
        &mut seen.plugin,
        CAPABILITIES,
        vec![(one, vec![1]), (other, vec![2])],
    );
}

fn with(one: (u8, i32)) -> Vec<(u8, i32)> {
    ALL.into_iter().chain([one]).collect()
}

fn without(one: (u8, i32)) -> Vec<(u8, i32)> {
    ALL.into_iter().filter(|&other| other != one).collect()
}

fn promises(seen: &mut Observation, exchange: crate::Exchange) {
    let capability = "EXPAND_VOLUME";
    seen.plugin.promised = vec![Promised {
        capability,
        exchange,
    }];
}
