//! Authorities, behaviour, and the socket's file.

use std::time::Duration;

use super::fixtures::{Fixture, fixture};
use super::good::{INFO, PROBE, ended, error, good, probe};
use crate::{Break, Deadline, End, Exchange, Method, Observation, SocketFile};

pub(super) fn all() -> Vec<Fixture> {
    vec![
        fixture(
            "CSI-ID-130",
            |seen| refuses(seen, 1),
            |seen| refuses(seen, 0),
        ),
        fixture(
            "CSI-ID-131",
            |seen| refuses(seen, 0),
            |seen| refuses(seen, 1),
        ),
        fixture(
            "CSI-ID-132",
            |seen| refuses(seen, 0),
            |seen| refuses(seen, 2),
        ),
        fixture(
            "CSI-ID-140",
            |_| {},
            |seen| seen.plugin.unknown_fields[2] = error(PROBE, 3, "unknown field"),
        ),
        fixture(
            "CSI-ID-141",
            |_| {},
            |seen| seen.plugin.after_cancel = Some(silent(PROBE)),
        ),
        fixture(
            "CSI-ID-142",
            |_| {},
            |seen| seen.plugin.after_cut = Some(silent(PROBE)),
        ),
        fixture(
            "CSI-ID-143",
            |seen| deadline(seen, 600),
            |seen| deadline(seen, 700),
        ),
        fixture(
            "CSI-ID-144",
            |_| {},
            |seen| seen.plugin.beside_open_call = Some(silent(PROBE)),
        ),
        fixture(
            "CSI-ID-145",
            |seen| seen.plugin.crowd = vec![probe(None); 8],
            |seen| seen.plugin.crowd[7] = error(PROBE, 10, "pending"),
        ),
        fixture(
            "CSI-ID-146",
            |_| {},
            |seen| seen.plugin.metadata = Some(error(INFO, 7, "unknown metadata")),
        ),
        fixture(
            "CSI-ID-147",
            |_| {},
            |seen| seen.plugin.grpc_proto = Some(error(INFO, 12, "unknown content type")),
        ),
        fixture(
            "CSI-ID-150",
            |seen| {
                reflects(
                    seen,
                    &[
                        "csi.v1.Identity",
                        "csi.v1.Controller",
                        "csi.v1.Node",
                        "csi.v1.GroupController",
                    ],
                );
            },
            |seen| {
                reflects(
                    seen,
                    &["csi.v1.Identity", "csi.v1.Controller", "csi.v1.Node"],
                );
            },
        ),
        fixture(
            "CSI-ID-160",
            |_| {},
            |seen| seen.plugin.path = "/run/csi/socket".to_owned(),
        ),
        fixture(
            "CSI-ID-161",
            |seen| file(seen).mode = 0o775,
            |seen| file(seen).mode = 0o777,
        ),
        fixture(
            "CSI-ID-162",
            |seen| file(seen).listener = None,
            |seen| file(seen).listener = Some(1000),
        ),
        fixture(
            "CSI-ID-163",
            |seen| file(seen).directory_mode = 0o1777,
            |seen| file(seen).directory_mode = 0o777,
        ),
        fixture("CSI-ID-164", |seen| long(seen, 99), |seen| long(seen, 100)),
        fixture(
            "CSI-ID-165",
            |seen| {
                file(seen).beside = vec!["csi.lock".to_owned()];
                file(seen).directory_mode = 0o1777;
            },
            |seen| file(seen).beside = vec!["csi.lock".to_owned()],
        ),
        fixture("CSI-ID-166", |_| {}, |seen| file(seen).is_link = true),
        fixture(
            "CSI-ID-167",
            |seen| seen.plugin.path = "/run/.csi/csi.sock".to_owned(),
            |seen| seen.plugin.path = "/run/csi/.csi.sock".to_owned(),
        ),
    ]
}

/// One of the three other authorities is refused.
fn refuses(seen: &mut Observation, at: usize) {
    let how = Break::Reset("PROTOCOL_ERROR".to_owned());
    seen.plugin.authorities[at].exchange = ended(INFO, End::Broken { reply: None, how });
}

fn silent(method: Method) -> Exchange {
    let after = Duration::from_secs(5);
    ended(method, End::Silent { after })
}

/// A deadline of 200 ms, and an end after this many.
fn deadline(seen: &mut Observation, millis: u64) {
    let mut exchange = probe(Some(true));
    exchange.took = Duration::from_millis(millis);
    let granted = Duration::from_millis(150);
    seen.plugin.deadline = Some(Deadline { granted, exchange });
}

fn reflects(seen: &mut Observation, services: &[&str]) {
    seen.plugin.reflected = Some(services.iter().map(ToString::to_string).collect());
}

fn file(seen: &mut Observation) -> &mut SocketFile {
    seen.plugin.file.as_mut().unwrap()
}

fn long(seen: &mut Observation, len: usize) {
    seen.plugin.path = format!("/{}.sock", "d".repeat(len - 6));
    assert_eq!(seen.plugin.path.len(), len);
    assert_eq!(good().plugin.path.len(), 17);
}
