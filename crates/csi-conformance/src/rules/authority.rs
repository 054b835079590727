//! What other clients send as authority.

use csi_endpoint::Authority;

use super::{GRPC_C, OLD_KUBELET, each};
use crate::{Evidence, Observation, Rule, Theme};

const THEME: Theme = Theme::Authority;
const GO: &str = "grpc-go takes any authority; look for a proxy in between";
const RUST: &str = "h2 refuses it before any handler runs: serve with csi_endpoint::serve, or put csi_endpoint::AuthorityRepair around each stream";

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: "kubelet 1.20 to 1.25 (csi_client.go); Nomad to 1.2",
        why: "Such a client sends the path of the socket as :authority. Servers that take it for a host name reset the stream with PROTOCOL_ERROR, and the plugin logs nothing.",
        go: GO,
        rust: RUST,
        implied_by: &["CSI-ID-038", "CSI-ID-067"],
        check: |seen| refused(seen, &Authority::RawPath),
        ..Rule::breaks(
            "CSI-ID-130",
            THEME,
            &[OLD_KUBELET],
            "the socket's path is taken as authority",
        )
    },
    Rule {
        clause: "grpc-go 1.57 and later with a bare path, C-core, grpc-java",
        why: "Clients in Python, C++, Ruby and Java send the path percent-encoded as :authority. Servers that take it for a host name reset the stream with PROTOCOL_ERROR, and the plugin logs nothing.",
        go: GO,
        rust: RUST,
        implied_by: &["CSI-ID-038", "CSI-ID-067"],
        check: |seen| refused(seen, &Authority::EncodedPath),
        ..Rule::breaks(
            "CSI-ID-131",
            THEME,
            &[GRPC_C],
            "the socket's path, percent-encoded, is taken as authority",
        )
    },
    Rule {
        clause: "RFC 9113, 8.3.1",
        why: "A Unix socket has no host name, so some clients send an empty authority.",
        go: GO,
        rust: RUST,
        implied_by: &["CSI-ID-038", "CSI-ID-067"],
        check: |seen| refused(seen, &Authority::Custom(String::new())),
        ..Rule::advice("CSI-ID-132", THEME, "an empty authority is taken")
    },
];

fn refused(seen: &Observation, authority: &Authority) -> Vec<Evidence> {
    each(seen, |socket| {
        let tries = &mut socket.authorities.iter();
        let one = tries.find(|one| one.authority == *authority)?;
        // Whatever else is wrong with the call has rules of its own.
        let is_good = |exchange: &crate::Exchange| exchange.is_answer();
        let plain = socket.call(one.exchange.method).is_some_and(is_good);
        (plain && !is_good(&one.exchange)).then(|| {
            format!(
                "{} by this authority: {}",
                one.exchange.method,
                one.exchange.end.line()
            )
        })
    })
}
