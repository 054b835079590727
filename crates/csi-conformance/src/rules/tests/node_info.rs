//! NodeGetInfo.

use super::fixtures::{Fixture, fixture};
use super::good::{NODE_INFO, error, node_id, node_info, ok, segments, set, set_all, set_repeated};
use crate::Observation;

pub(super) fn all() -> Vec<Fixture> {
    vec![
        fixture("CSI-ID-080", |seen| id(seen, "n"), |seen| id(seen, "")),
        fixture(
            "CSI-ID-081",
            |seen| id(seen, &"n".repeat(256)),
            |seen| id(seen, &"n".repeat(257)),
        ),
        fixture(
            "CSI-ID-082",
            |seen| id(seen, &"n".repeat(128)),
            |seen| id(seen, &"n".repeat(129)),
        ),
        fixture(
            "CSI-ID-083",
            |seen| max_volumes(seen, 0),
            |seen| max_volumes(seen, -1),
        ),
        fixture(
            "CSI-ID-084",
            |seen| topology(seen, &[("acme.io/zone", "a"), ("acme.io/rack", "r-1")]),
            |seen| topology(seen, &[("acme.io/zone", "-a")]),
        ),
        fixture(
            "CSI-ID-085",
            |seen| topology(seen, &[("acme.io/zone", "a"), ("acme.io/rack", "a")]),
            |seen| topology(seen, &[("acme.io/zone", "a"), ("disk.acme.io/rack", "a")]),
        ),
        fixture(
            "CSI-ID-086",
            |seen| topology(seen, &[("acme.io/zone", "a"), ("acme.io/zone2", "b")]),
            |seen| topology(seen, &[("acme.io/zone", "a"), ("acme.io/Zone", "b")]),
        ),
        fixture(
            "CSI-ID-087",
            |seen| topology(seen, &[("topology.kubernetes.io/zone", "a")]),
            |seen| topology(seen, &[("topology.kubernetes.io/rack", "a")]),
        ),
        fixture(
            "CSI-ID-088",
            |seen| {
                let more = max(17);
                let ends = vec![(ok(NODE_INFO, &node_info()), vec![1]), (more, vec![2])];
                set_repeated(&mut seen.plugin, NODE_INFO, ends);
            },
            |seen| {
                let other = ok(NODE_INFO, &node_id("node-2"));
                let ends = vec![(ok(NODE_INFO, &node_info()), vec![1]), (other, vec![2])];
                set_repeated(&mut seen.plugin, NODE_INFO, ends);
            },
        ),
        fixture(
            "CSI-ID-089",
            |_| {},
            |seen| {
                set(
                    &mut seen.plugin,
                    error(NODE_INFO, 13, "no metadata service"),
                );
            },
        ),
        fixture(
            "CSI-ID-090",
            |seen| super::identity::slow(seen, NODE_INFO, 900),
            |seen| super::identity::slow(seen, NODE_INFO, 1100),
        ),
    ]
}

fn id(seen: &mut Observation, id: &str) {
    set_all(seen, ok(NODE_INFO, &node_id(id)));
}

fn topology(seen: &mut Observation, all: &[(&str, &str)]) {
    set_all(seen, ok(NODE_INFO, &segments(all)));
}

fn max_volumes(seen: &mut Observation, number: i64) {
    set_all(seen, max(number));
}

fn max(number: i64) -> crate::Exchange {
    let mut info = node_info();
    info.max_volumes_per_node = number;
    ok(NODE_INFO, &info)
}
