//! Start and stop; csi-sanity's verdicts.

use std::time::Duration;

use super::broken;
use super::fixtures::{Fixture, fixture};
use super::good::{
    CAPABILITIES, INFO, NODE_INFO, PROBE, bytes, capabilities, error, good, named, node_id, ok,
    probe, set_all,
};
use crate::{Connection, Launch, Observation, ProcessSeen, Profile, Stop};

pub(super) fn all() -> Vec<Fixture> {
    vec![
        fixture(
            "CSI-ID-170",
            |_| {},
            |seen| {
                seen.plugin = crate::Socket::at("/run/csi/csi.sock");
                *process(seen) = ProcessSeen {
                    first: ended(),
                    stop: None,
                    again: None,
                    over_stale: None,
                    kept_socket: None,
                    ..process(seen).clone()
                };
            },
        ),
        fixture(
            "CSI-ID-171",
            |seen| starts_after(seen, 1900),
            |seen| starts_after(seen, 2100),
        ),
        fixture(
            "CSI-ID-172",
            |_| {},
            |seen| {
                let process = process(seen);
                process.stop = Some(Stop::Ignored {
                    after: Duration::from_secs(5),
                });
                process.left_behind = vec!["csi.sock".to_owned()];
            },
        )
        .implied(&["CSI-ID-173"]),
        fixture(
            "CSI-ID-173",
            |_| {},
            |seen| process(seen).left_behind = vec!["csi.sock".to_owned()],
        ),
        fixture(
            "CSI-ID-174",
            |_| {},
            |seen| process(seen).beside = vec!["csi.lock".to_owned()],
        ),
        fixture(
            "CSI-ID-175",
            // It removes its socket however it ends, as abstract ones would.
            |seen| process(seen).over_stale = None,
            |seen| process(seen).over_stale = Some(ended()),
        ),
        fixture(
            "CSI-ID-176",
            |_| {},
            |seen| process(seen).node_info_again = Some(ok(NODE_INFO, &node_id("node-2"))),
        ),
        fixture(
            "CSI-ID-177",
            |seen| process(seen).kept_socket = None,
            |seen| process(seen).kept_socket = Some(false),
        ),
        fixture(
            "CSI-ID-178",
            |_| {},
            |seen| {
                let (after, how) = (Duration::ZERO, "by signal 15".to_owned());
                process(seen).stop = Some(Stop::Ended { after, how });
            },
        ),
        fixture(
            "CSI-ID-179",
            |_| {},
            |seen| process(seen).again = Some(ended()),
        ),
        fixture(
            "CSI-SANITY-1",
            |seen| {
                set_all(
                    seen,
                    ok(CAPABILITIES, &capabilities(&[(1, 1), (1, 1), (2, 2)])),
                );
            },
            |seen| set_all(seen, ok(CAPABILITIES, &capabilities(&[(1, 99)]))),
        ),
        fixture(
            "CSI-SANITY-2",
            // A bare bool is an unknown field to grpc-go, and nothing that csi-sanity looks at.
            |seen| set_all(seen, bytes(PROBE, &[0x08, 0x01])),
            |seen| set_all(seen, error(PROBE, 9, "pool p0 is offline")),
        ),
        fixture(
            "CSI-SANITY-3",
            |seen| set_all(seen, ok(INFO, &named("my_disk..io"))),
            |seen| set_all(seen, ok(INFO, &named("disk.acme.io2"))),
        ),
    ]
}

#[test]
fn csi_sanity_passes_no_test_where_it_cannot_connect() {
    let all = vec!["CSI-SANITY-1", "CSI-SANITY-2", "CSI-SANITY-3"];
    let unconnected: [fn(&mut Observation); 2] = [
        |seen| seen.plugin.connection = Connection::NotHttp2("it answers \"220 smtp\"".to_owned()),
        |seen| process(seen).first = ended(),
    ];
    for change in unconnected {
        let mut seen = good();
        seen.plugin.first.clear();
        seen.plugin.repeated.clear();
        change(&mut seen);
        assert_eq!(broken(&seen, Profile::CsiSanity), (all.clone(), vec![]));
    }
}

#[test]
fn a_restart_is_compared_by_what_is_said_and_not_by_its_bytes() {
    let mut seen = super::good::good();
    let mut turned = super::good::ALL;
    turned.reverse();
    process(&mut seen).capabilities_again = Some(ok(CAPABILITIES, &capabilities(&turned)));
    assert!(probe(None).ready().is_some());
    assert_eq!(
        super::broken(&seen, crate::Profile::Kubernetes),
        (vec![], vec![])
    );
    process(&mut seen).info_again = Some(ok(INFO, &named("other.acme.io")));
    assert_eq!(
        super::broken(&seen, crate::Profile::Kubernetes).0,
        ["CSI-ID-176"]
    );
}

fn process(seen: &mut Observation) -> &mut ProcessSeen {
    seen.process.as_mut().unwrap()
}

fn starts_after(seen: &mut Observation, millis: u64) {
    process(seen).first = Launch::Answers {
        after: Duration::from_millis(millis),
    };
}

fn ended() -> Launch {
    Launch::Ended {
        how: "with status 1".to_owned(),
        output: "address already in use".to_owned(),
    }
}
