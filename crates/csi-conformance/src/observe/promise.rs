//! The RPCs that capabilities promise, called with an empty request.
//!
//! All of them need at least one field, so nothing can come of it but INVALID_ARGUMENT; lists and capacity can be answered.

use csi_endpoint::Channel;

use super::Visit;
use crate::{Method, Promised, Socket};

/// What stands in place of a secret; to be looked for in errors.
pub(crate) const SECRET: &str = "csi-identity-verify-secret";

/// A capability, by number and name, and the RPCs it promises.
type Promise = (i32, &'static str, &'static [&'static str]);

/// What a service lists its capabilities with, and what they promise.
const ALL: [(Method, &[Promise]); 3] = [
    (
        Method::CONTROLLER_GET_CAPABILITIES,
        &[
            (
                1,
                "CREATE_DELETE_VOLUME",
                &["CreateVolume", "DeleteVolume", "ValidateVolumeCapabilities"],
            ),
            (
                2,
                "PUBLISH_UNPUBLISH_VOLUME",
                &["ControllerPublishVolume", "ControllerUnpublishVolume"],
            ),
            (3, "LIST_VOLUMES", &["ListVolumes"]),
            (4, "GET_CAPACITY", &["GetCapacity"]),
            (
                5,
                "CREATE_DELETE_SNAPSHOT",
                &["CreateSnapshot", "DeleteSnapshot"],
            ),
            (6, "LIST_SNAPSHOTS", &["ListSnapshots"]),
            (9, "EXPAND_VOLUME", &["ControllerExpandVolume"]),
            (12, "GET_VOLUME", &["ControllerGetVolume"]),
            (14, "MODIFY_VOLUME", &["ControllerModifyVolume"]),
            (15, "GET_SNAPSHOT", &["GetSnapshot"]),
        ],
    ),
    (
        Method::GROUP_CONTROLLER_GET_CAPABILITIES,
        &[(
            1,
            "CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT",
            &[
                "CreateVolumeGroupSnapshot",
                "DeleteVolumeGroupSnapshot",
                "GetVolumeGroupSnapshot",
            ],
        )],
    ),
    (
        Method::NODE_GET_CAPABILITIES,
        &[
            (
                1,
                "STAGE_UNSTAGE_VOLUME",
                &["NodeStageVolume", "NodeUnstageVolume"],
            ),
            (2, "GET_VOLUME_STATS", &["NodeGetVolumeStats"]),
            (3, "EXPAND_VOLUME", &["NodeExpandVolume"]),
        ],
    ),
];

pub(super) async fn promised(visit: &mut Visit<'_>, channel: &Channel, seen: &mut Socket) {
    (visit.progress)("what capabilities promise");
    for (list, promises) in ALL {
        let Some(listed) = seen.rpcs(list) else {
            continue;
        };
        for (_, capability, names) in promises.iter().filter(|one| listed.contains(&one.0)) {
            for name in *names {
                let method = Method::new(list.service(), name);
                if visit.budget.allows("what capabilities promise") {
                    let exchange = visit.call(method).make(channel, &visit.tally).await;
                    seen.promised.push(Promised {
                        capability,
                        exchange,
                    });
                }
            }
        }
    }
    with_secret(visit, channel, seen).await;
}

/// The one call that has secrets and changes nothing; without a volume's id there is nothing to validate either.
async fn with_secret(visit: &mut Visit<'_>, channel: &Channel, seen: &mut Socket) {
    let controller = Method::CONTROLLER_GET_CAPABILITIES;
    if seen.rpcs(controller).is_none() || !visit.budget.allows("a secret") {
        return;
    }
    let method = Method::new(controller.service(), "ValidateVolumeCapabilities");
    let call = visit.call(method).message(secret_request());
    seen.with_secret = Some(call.make(channel, &visit.tally).await);
}

/// `secrets` of ValidateVolumeCapabilitiesRequest, field 5, a map of texts.
fn secret_request() -> Vec<u8> {
    let text = |tag: u8, text: &str| {
        // Both texts are shorter than 128 bytes, which one byte can say.
        let mut field = vec![tag, text.len() as u8];
        field.extend(text.as_bytes());
        field
    };
    let entry = [text(0x0a, "password"), text(0x12, SECRET)].concat();
    let mut request = vec![0x2a, entry.len() as u8];
    request.extend(entry);
    request
}

#[cfg(test)]
mod tests {
    use csi_proto::csi::v1::ValidateVolumeCapabilitiesRequest;
    use prost::Message as _;

    use super::{SECRET, secret_request};

    #[test]
    fn the_request_has_a_secret_and_nothing_else() {
        let decoded = ValidateVolumeCapabilitiesRequest::decode(&*secret_request()).unwrap();
        let expected = ValidateVolumeCapabilitiesRequest {
            secrets: [("password".to_owned(), SECRET.to_owned())].into(),
            ..Default::default()
        };
        assert_eq!(decoded, expected);
    }
}
