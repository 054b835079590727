//! The three calls; name, version and manifest.

use csi_proto::csi::v1 as pb;

use std::time::Duration;

use super::fixtures::{Fixture, fixture};
use super::good::{
    CAPABILITIES, INFO, PROBE, apart, ended, error, info, named, ok, set, set_all, set_repeated,
    unimplemented, version,
};
use crate::{Break, Connection, Controller, End, Method, Observation};

pub(super) fn all() -> Vec<Fixture> {
    vec![
        fixture(
            "CSI-ID-001",
            |seen| set_all(seen, error(INFO, 13, "no name")),
            |seen| set_all(seen, unimplemented(INFO)),
        ),
        fixture(
            "CSI-ID-002",
            |seen| set_all(seen, error(CAPABILITIES, 13, "no list")),
            |seen| set_all(seen, unimplemented(CAPABILITIES)),
        ),
        fixture(
            "CSI-ID-003",
            |seen| set_all(seen, error(PROBE, 13, "no pool")),
            |seen| set_all(seen, unimplemented(PROBE)),
        ),
        fixture(
            "CSI-ID-004",
            |_| {},
            |seen| set_all(seen, error(INFO, 13, "no name")),
        ),
        fixture(
            "CSI-ID-005",
            |_| {},
            |seen| set_all(seen, error(CAPABILITIES, 14, "no list")),
        ),
        fixture(
            "CSI-ID-006",
            |seen| slow(seen, INFO, 900),
            |seen| {
                let after = Duration::from_secs(5);
                let mut silent = ended(INFO, End::Silent { after });
                silent.took = after;
                seen.plugin.repeated.remove(&INFO);
                set_all(seen, silent);
            },
        )
        .implied(&["CSI-ID-071"]),
        fixture(
            "CSI-ID-007",
            |_| {},
            |seen| {
                let mut socket = crate::Socket::at("/run/csi/csi.sock");
                socket.connection = Connection::NotHttp2("it answers \"220 smtp\"".to_owned());
                seen.plugin = socket;
            },
        ),
        fixture(
            "CSI-ID-008",
            |seen| set_all(seen, error(CAPABILITIES, 14, "the connection was lost")),
            |seen| {
                let how = Break::Reset("INTERNAL_ERROR".to_owned());
                set_all(seen, ended(CAPABILITIES, End::Broken { reply: None, how }));
            },
        ),
        fixture("CSI-ID-010", |seen| name(seen, "ab"), |seen| name(seen, "")),
        fixture(
            "CSI-ID-011",
            |seen| name(seen, &format!("a.{}", "b".repeat(61))),
            |seen| name(seen, &format!("a.{}", "b".repeat(62))),
        ),
        fixture(
            "CSI-ID-012",
            |seen| name(seen, "my-disk.acme.io"),
            |seen| name(seen, "my_disk.acme.io"),
        ),
        fixture(
            "CSI-ID-013",
            |seen| name(seen, "a-b.io"),
            |seen| name(seen, "a-.io"),
        ),
        fixture(
            "CSI-ID-014",
            |seen| name(seen, "disk.acme.io"),
            |seen| name(seen, "Disk.acme.io"),
        ),
        fixture(
            "CSI-ID-015",
            |seen| name(seen, "disk.io"),
            |seen| name(seen, "disk"),
        ),
        fixture(
            "CSI-ID-016",
            |seen| name(seen, "disk.acme.io"),
            |seen| name(seen, "disk.example.com"),
        ),
        fixture(
            "CSI-ID-017",
            |seen| name(seen, "acme.io"),
            |seen| name(seen, "acme.io2"),
        ),
        fixture(
            "CSI-ID-018",
            |seen| name(seen, "a1.acme.io"),
            |seen| name(seen, "a.1acme.io"),
        ),
        fixture(
            "CSI-ID-019",
            |seen| set_all(seen, ok(INFO, &version("0.0.1"))),
            |seen| set_all(seen, ok(INFO, &version(""))),
        ),
        fixture(
            "CSI-ID-020",
            |seen| {
                set_all(
                    seen,
                    ok(INFO, &version(&format!("1.0.0-{}", "a".repeat(122)))),
                );
            },
            |seen| {
                set_all(
                    seen,
                    ok(INFO, &version(&format!("1.0.0-{}", "a".repeat(123)))),
                );
            },
        ),
        fixture(
            "CSI-ID-021",
            |seen| set_all(seen, ok(INFO, &version("1.2.3-rc.1+abc"))),
            |seen| set_all(seen, ok(INFO, &version("v1.2"))),
        ),
        fixture(
            "CSI-ID-022",
            |seen| manifest(seen, "key", 4093),
            |seen| manifest(seen, "key", 4094),
        ),
        fixture(
            "CSI-ID-023",
            |seen| manifest(seen, "k", 0),
            |seen| manifest(seen, "", 1),
        ),
        fixture(
            "CSI-ID-024",
            |seen| name(seen, &format!("{}.acme.io", "a".repeat(31))),
            |seen| name(seen, &format!("{}.acme.io", "a".repeat(32))),
        ),
        fixture(
            "CSI-ID-025",
            |_| {},
            |seen| {
                let ends = vec![
                    (ok(INFO, &info()), vec![1, 2]),
                    (ok(INFO, &named("disk2.acme.io")), vec![3]),
                ];
                set_repeated(&mut seen.plugin, INFO, ends);
            },
        ),
        fixture(
            "CSI-ID-026",
            |seen| {
                // A map has no order on the wire.
                let mut two = info();
                two.manifest.insert("a".to_owned(), "b".to_owned());
                let one = ok(INFO, &two);
                set_all(seen, one.clone());
                set_repeated(&mut seen.plugin, INFO, vec![(one, vec![1])]);
            },
            |seen| {
                let ends = vec![
                    (ok(INFO, &info()), vec![1]),
                    (ok(INFO, &version("1.2.4")), vec![2]),
                ];
                set_repeated(&mut seen.plugin, INFO, ends);
            },
        ),
        fixture(
            "CSI-ID-027",
            |seen| *seen = apart(),
            |seen| {
                *seen = apart();
                if let Controller::Other(other) = &mut seen.controller {
                    set(other, ok(INFO, &named("controller.acme.io")));
                }
            },
        ),
    ]
}

fn name(seen: &mut Observation, name: &str) {
    set_all(seen, ok(INFO, &named(name)));
}

fn manifest(seen: &mut Observation, key: &str, size: usize) {
    let info = pb::GetPluginInfoResponse {
        manifest: [(key.to_owned(), "v".repeat(size))].into(),
        ..info()
    };
    set_all(seen, ok(INFO, &info));
}

/// All calls of a method take so many milliseconds.
pub(super) fn slow(seen: &mut Observation, method: Method, millis: u64) {
    let mut exchange = seen.plugin.first[&method].clone();
    exchange.took = Duration::from_millis(millis);
    set(&mut seen.plugin, exchange);
}
