//! Bytes as other implementations write and read them.

use csi_proto::csi::v1::{
    GetCapacityResponse, GetPluginCapabilitiesResponse, GetPluginInfoResponse, PluginCapability,
    ProbeResponse, Snapshot, Topology, plugin_capability,
};
use prost::Message;

#[test]
fn readiness_is_a_wrapped_bool_so_that_unset_and_false_differ() {
    for (ready, bytes) in [
        (None, [].as_slice()),
        (Some(false), [0x0a, 0x00].as_slice()),
        (Some(true), [0x0a, 0x02, 0x08, 0x01].as_slice()),
    ] {
        let response = ProbeResponse { ready };
        assert_eq!(response.encode_to_vec(), bytes);
        assert_eq!(ProbeResponse::decode(bytes), Ok(response));
    }
    // An encoder may write the false in full.
    assert_eq!(
        ProbeResponse::decode([0x0a, 0x02, 0x08, 0x00].as_slice()),
        Ok(ProbeResponse { ready: Some(false) })
    );
}

#[test]
fn volume_sizes_are_wrapped_numbers() {
    let response = GetCapacityResponse {
        available_capacity: 1,
        maximum_volume_size: Some(0),
        minimum_volume_size: None,
    };
    assert_eq!(response.encode_to_vec(), [0x08, 0x01, 0x12, 0x00]);
}

#[test]
fn moments_are_timestamps() {
    let creation_time = Some(prost_types::Timestamp {
        seconds: 5,
        nanos: 0,
    });
    assert_eq!(
        Snapshot {
            creation_time,
            ..Default::default()
        }
        .encode_to_vec(),
        [0x22, 0x02, 0x08, 0x05]
    );
}

#[test]
fn manifest_and_topology_are_in_the_order_of_their_keys() {
    let pairs =
        [("b", "2"), ("c", "3"), ("a", "1")].map(|(key, value)| (key.to_owned(), value.to_owned()));
    let entry = |field: u8, key: u8, value: u8| [field << 3 | 2, 6, 0x0a, 1, key, 0x12, 1, value];
    let entries = |field| {
        [
            entry(field, b'a', b'1'),
            entry(field, b'b', b'2'),
            entry(field, b'c', b'3'),
        ]
        .concat()
    };

    let info = GetPluginInfoResponse {
        manifest: pairs.clone().into(),
        ..Default::default()
    };
    assert_eq!(info.encode_to_vec(), entries(3));
    assert_eq!(
        Topology {
            segments: pairs.into()
        }
        .encode_to_vec(),
        entries(1)
    );
}

#[test]
fn a_field_from_a_later_version_does_no_harm() {
    let mut bytes = ProbeResponse { ready: Some(true) }.encode_to_vec();
    // Field 99, a text, as a future version might add it.
    bytes.extend([0x9a, 0x06, 0x03, b'n', b'e', b'w']);
    assert_eq!(
        ProbeResponse::decode(bytes.as_slice()),
        Ok(ProbeResponse { ready: Some(true) })
    );
}

#[test]
fn a_capability_from_a_later_version_is_kept_as_its_number() {
    // capabilities[0].service.type = 7
    let bytes = [0x0a, 0x04, 0x0a, 0x02, 0x08, 0x07];
    let response = GetPluginCapabilitiesResponse::decode(bytes.as_slice()).unwrap();
    let service = plugin_capability::Service { r#type: 7 };
    assert_eq!(
        response.capabilities,
        [PluginCapability {
            r#type: Some(plugin_capability::Type::Service(service))
        }]
    );
    assert_eq!(
        plugin_capability::service::Type::try_from(7),
        Err(prost::UnknownEnumValue(7))
    );
    assert_eq!(response.encode_to_vec(), bytes);
}

#[test]
fn a_kind_of_capability_from_a_later_version_is_an_empty_one() {
    // capabilities[0] has only field 3, which does not exist yet.
    let response =
        GetPluginCapabilitiesResponse::decode([0x0a, 0x02, 0x1a, 0x00].as_slice()).unwrap();
    assert_eq!(response.capabilities, [PluginCapability { r#type: None }]);
}
