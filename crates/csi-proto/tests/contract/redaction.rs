//! No message prints the secrets it holds.

use std::collections::{BTreeMap, HashMap};

use csi_proto::csi::v1;

use crate::{facts::Facts, schema::TABLE};

/// A message's debug output, plain and indented, when it holds `secrets`.
type Print = fn(HashMap<String, String>) -> [String; 2];

macro_rules! holders {
    ($($message:ident),* $(,)?) => {
        BTreeMap::from([$((
            concat!("csi.v1.", stringify!($message)),
            (|secrets| {
                let message = v1::$message { secrets, ..Default::default() };
                [format!("{message:?}"), format!("{message:#?}")]
            }) as Print,
        )),*])
    };
}

fn holders() -> BTreeMap<&'static str, Print> {
    holders![
        ControllerExpandVolumeRequest,
        ControllerModifyVolumeRequest,
        ControllerPublishVolumeRequest,
        ControllerUnpublishVolumeRequest,
        CreateSnapshotRequest,
        CreateVolumeGroupSnapshotRequest,
        CreateVolumeRequest,
        DeleteSnapshotRequest,
        DeleteVolumeGroupSnapshotRequest,
        DeleteVolumeRequest,
        GetMetadataAllocatedRequest,
        GetMetadataDeltaRequest,
        GetSnapshotRequest,
        GetVolumeGroupSnapshotRequest,
        ListSnapshotsRequest,
        NodeExpandVolumeRequest,
        NodePublishVolumeRequest,
        NodeStageVolumeRequest,
        ValidateVolumeCapabilitiesRequest,
    ]
}

#[test]
fn every_message_with_a_secret_is_covered() {
    let covered = holders().into_keys().collect();
    assert_eq!(Facts::from_table(TABLE).secret_holders(), covered);
}

#[test]
fn neither_keys_nor_values_of_secrets_are_shown() {
    let entry = |n: u8| (format!("key-{n}"), format!("value-{n}"));
    for (name, print) in holders() {
        for (count, shown) in [
            (0, "{redacted, 0 keys}"),
            (1, "{redacted, 1 key}"),
            (2, "{redacted, 2 keys}"),
        ] {
            for text in print((0..count).map(entry).collect()) {
                assert!(
                    text.contains(&format!("secrets: {shown}")),
                    "{name}: {text}"
                );
                assert!(
                    !text.contains("key-") && !text.contains("value-"),
                    "{name}: {text}"
                );
            }
        }
    }
}

#[test]
fn everything_else_is_shown() {
    let request = v1::DeleteVolumeRequest {
        volume_id: "volume-1".to_owned(),
        secrets: [("key".to_owned(), "value".to_owned())].into(),
    };
    let wrapped = Some(&request);
    let expected =
        r#"Some(DeleteVolumeRequest { volume_id: "volume-1", secrets: {redacted, 1 key} })"#;
    assert_eq!(format!("{wrapped:?}"), expected);
}

/// The hand-made `Debug` is to forget no field that the derived one would have shown.
#[test]
fn fields_are_shown_in_the_order_of_the_wire() {
    assert_eq!(
        format!("{:?}", v1::NodePublishVolumeRequest::default()),
        "NodePublishVolumeRequest { volume_id: \"\", publish_context: {}, staging_target_path: \"\", target_path: \"\", \
         volume_capability: None, readonly: false, secrets: {redacted, 0 keys}, volume_context: {} }"
    );
}
