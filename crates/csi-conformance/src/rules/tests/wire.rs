//! Statuses, and what goes over the wire.

use std::time::Duration;

use super::fixtures::{Fixture, fixture};
use super::good::{
    CAPABILITIES, CONTROLLER, INFO, NODE_INFO, PROBE, answered, bytes, ended, error, info, list,
    node_info, ok, reply, set, set_all,
};
use crate::observation::framed;
use crate::observe::SECRET;
use crate::{Break, End, Exchange, Method, Observation, Reply};

pub(super) fn all() -> Vec<Fixture> {
    vec![
        fixture(
            "CSI-ID-095",
            |seen| set_all(seen, error(PROBE, 9, "pool p0 is offline")),
            |seen| set_all(seen, error(PROBE, 9, "")),
        )
        .beside(&["CSI-ID-061"]),
        fixture(
            "CSI-ID-096",
            |seen| set_all(seen, error(PROBE, 9, "pool p0 is offline")),
            |seen| {
                let mut exchange = error(PROBE, 9, "pool p0 is offline");
                let details = (
                    "grpc-status-details-bin".to_owned(),
                    "CAkSBG5vbmU".to_owned(),
                );
                if let End::Answered(reply) = &mut exchange.end {
                    reply.headers.push(details);
                }
                set_all(seen, exchange);
            },
        )
        .beside(&["CSI-ID-061"]),
        fixture(
            "CSI-ID-097",
            |seen| set(&mut seen.plugin, error(CONTROLLER, 16, "who are you")),
            |seen| set(&mut seen.plugin, error(CONTROLLER, 17, "who are you")),
        )
        .beside(&["CSI-ID-052"]),
        fixture(
            "CSI-ID-098",
            |seen| seen.plugin.with_secret = Some(error(VALIDATE, 3, "volume_id is empty")),
            |seen| {
                let message = format!("bad request: password={SECRET}");
                seen.plugin.with_secret = Some(error(VALIDATE, 3, &message));
            },
        ),
        fixture(
            "CSI-ID-099",
            |seen| {
                set(
                    &mut seen.plugin,
                    error(NODE_INFO, 14, "the backend is late"),
                );
            },
            |seen| {
                set(
                    &mut seen.plugin,
                    error(NODE_INFO, 4, "context deadline exceeded"),
                );
            },
        )
        .beside(&["CSI-ID-089"]),
        fixture(
            "CSI-ID-110",
            |seen| set_all(seen, bytes(PROBE, &[0x0a, 0x02, 0x08, 0x01])),
            |seen| set_all(seen, bytes(PROBE, &[0x0a, 0x02, 0x08])),
        ),
        fixture(
            "CSI-ID-111",
            |_| {},
            |seen| {
                let mut info = node_info();
                info.max_volumes_per_node = 0;
                // max_volumes_per_node as a text.
                set_all(seen, with_bytes(&ok(NODE_INFO, &info), &[0x12, 0x01, b'5']));
            },
        ),
        fixture(
            "CSI-ID-112",
            |_| {},
            |seen| {
                set_all(
                    seen,
                    bytes(
                        INFO,
                        &[
                            0x0a, 0x03, b'a', 0xff, b'b', 0x12, 0x05, b'1', b'.', b'0', b'.', b'0',
                        ],
                    ),
                );
            },
        )
        .implied(&["CSI-ID-012"]),
        fixture(
            "CSI-ID-113",
            |_| {},
            |seen| set_all(seen, with_bytes(&ok(INFO, &info()), &[0x48, 0x01])),
        ),
        fixture(
            "CSI-ID-114",
            |_| {},
            |seen| {
                spoil(seen, |reply| {
                    reply.http_status = 503;
                    reply.headers = list(&[("content-type", "text/plain")]);
                    reply.trailers = None;
                });
            },
        )
        .implied(&["CSI-ID-115", "CSI-ID-116"]),
        fixture(
            "CSI-ID-115",
            |seen| {
                spoil(seen, |reply| {
                    reply.headers = list(&[("content-type", "application/grpc+proto")]);
                });
            },
            |seen| {
                spoil(seen, |reply| {
                    reply.headers = list(&[("content-type", "application/json")]);
                });
            },
        ),
        fixture(
            "CSI-ID-116",
            |_| {},
            |seen| spoil(seen, |reply| reply.trailers = Some(Vec::new())),
        ),
        fixture(
            "CSI-ID-117",
            |_| {},
            |seen| spoil(seen, |reply| reply.body.extend(framed(&[]))),
        ),
        fixture(
            "CSI-ID-118",
            |seen| {
                spoil(seen, |reply| {
                    reply
                        .headers
                        .push(("grpc-encoding".to_owned(), "identity".to_owned()));
                });
            },
            |seen| spoil(seen, |reply| reply.body[0] = 1),
        ),
        fixture(
            "CSI-ID-119",
            |_| {},
            |seen| {
                spoil(seen, |reply| {
                    reply.body.pop();
                });
            },
        )
        .implied(&["CSI-ID-117"]),
        fixture(
            "CSI-ID-120",
            |_| {},
            |seen| {
                let how = Break::TooMuch;
                let mut exchange = ended(CAPABILITIES, End::Broken { reply: None, how });
                // So much takes its time.
                exchange.took = Duration::from_secs(2);
                set_all(seen, exchange);
            },
        )
        .implied(&["CSI-ID-008", "CSI-ID-074"]),
        fixture(
            "CSI-ID-121",
            |seen| header(seen, 8000),
            |seen| header(seen, 8192),
        ),
        fixture(
            "CSI-ID-122",
            |_| {},
            |seen| {
                set_all(
                    seen,
                    with_bytes(
                        &ok(INFO, &info()),
                        &[0x12, 0x05, b'1', b'.', b'2', b'.', b'3'],
                    ),
                );
            },
        ),
        fixture(
            "CSI-ID-123",
            |seen| set_all(seen, error(PROBE, 9, "pool %C3%A4")),
            |seen| set_all(seen, error(PROBE, 9, "pool \u{e4}")),
        )
        .beside(&["CSI-ID-061"]),
        fixture("CSI-ID-124", |_| {}, |seen| seen.plugin.connections = 2),
    ]
}

const VALIDATE: Method = Method::new("csi.v1.Controller", "ValidateVolumeCapabilities");

/// The same message, and more behind it.
fn with_bytes(exchange: &Exchange, more: &[u8]) -> Exchange {
    let message = exchange.message().unwrap();
    bytes(exchange.method, &[message, more].concat())
}

/// Changes what GetPluginCapabilities replies.
fn spoil(seen: &mut Observation, spoil: fn(&mut Reply)) {
    let message = seen.plugin.first[&CAPABILITIES].message().unwrap();
    let mut reply = reply(&framed(message));
    spoil(&mut reply);
    set_all(seen, answered(CAPABILITIES, reply));
}

fn header(seen: &mut Observation, size: usize) {
    let mut reply = reply(&framed(seen.plugin.first[&INFO].message().unwrap()));
    reply.headers.push(("x-build".to_owned(), "b".repeat(size)));
    set_all(seen, answered(INFO, reply));
}
