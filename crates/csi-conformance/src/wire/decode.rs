//! Replies as grpc-go's clients read them: a field of the wrong type counts as unknown, the last of several wins.

use std::collections::BTreeMap;

use csi_identity::ObservedCapability;

use super::{Malformed, Value, fields};

/// What GetPluginInfo says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginInfo {
    /// `name`
    pub name: String,
    /// `vendor_version`
    pub vendor_version: String,
    /// `manifest`
    pub manifest: BTreeMap<String, String>,
}

/// The segments of a topology, in the order of the wire.
pub type Segments = Vec<(String, String)>;

/// What NodeGetInfo says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeInfo {
    /// `node_id`
    pub node_id: String,
    /// `max_volumes_per_node`
    pub max_volumes_per_node: i64,
    /// `accessible_topology`
    pub accessible_topology: Option<Segments>,
}

pub(crate) fn plugin_info(bytes: &[u8]) -> Result<PluginInfo, Malformed> {
    let mut info = PluginInfo::default();
    for field in fields(bytes)? {
        match (field.number, field.value) {
            (1, Value::Bytes(text)) => info.name = lossy(text),
            (2, Value::Bytes(text)) => info.vendor_version = lossy(text),
            (3, Value::Bytes(entry)) => info.manifest.extend([text_entry(entry)?]),
            _ => {}
        }
    }
    Ok(info)
}

pub(crate) fn capabilities(bytes: &[u8]) -> Result<Vec<ObservedCapability>, Malformed> {
    let mut all = Vec::new();
    for field in fields(bytes)? {
        let (1, Value::Bytes(capability)) = (field.number, field.value) else {
            continue;
        };
        let mut one = ObservedCapability::Empty;
        for field in fields(capability)? {
            one = match (field.number, field.value) {
                (1, Value::Bytes(service)) => ObservedCapability::Service(number(service)?),
                (2, Value::Bytes(expansion)) => {
                    ObservedCapability::VolumeExpansion(number(expansion)?)
                }
                _ => one,
            };
        }
        all.push(one);
    }
    Ok(all)
}

pub(crate) fn ready(bytes: &[u8]) -> Result<Option<bool>, Malformed> {
    let mut ready = None;
    for field in fields(bytes)? {
        if let (1, Value::Bytes(value)) = (field.number, field.value) {
            ready = Some(varint(value)? != 0);
        }
    }
    Ok(ready)
}

/// The capabilities of the other services; 0 for one without an rpc.
pub(crate) fn rpcs(bytes: &[u8]) -> Result<Vec<i32>, Malformed> {
    let mut all = Vec::new();
    for field in fields(bytes)? {
        let (1, Value::Bytes(capability)) = (field.number, field.value) else {
            continue;
        };
        let mut rpc = 0;
        for field in fields(capability)? {
            if let (1, Value::Bytes(inner)) = (field.number, field.value) {
                rpc = number(inner)?;
            }
        }
        all.push(rpc);
    }
    Ok(all)
}

pub(crate) fn node_info(bytes: &[u8]) -> Result<NodeInfo, Malformed> {
    let mut info = NodeInfo::default();
    for field in fields(bytes)? {
        match (field.number, field.value) {
            (1, Value::Bytes(text)) => info.node_id = lossy(text),
            // Two's complement, as int64 is encoded.
            (2, Value::Varint(number)) => info.max_volumes_per_node = number.cast_signed(),
            (3, Value::Bytes(topology)) => info.accessible_topology = Some(segments(topology)?),
            _ => {}
        }
    }
    Ok(info)
}

fn segments(bytes: &[u8]) -> Result<Segments, Malformed> {
    let mut all = Vec::new();
    for field in fields(bytes)? {
        if let (1, Value::Bytes(entry)) = (field.number, field.value) {
            all.push(text_entry(entry)?);
        }
    }
    Ok(all)
}

fn text_entry(bytes: &[u8]) -> Result<(String, String), Malformed> {
    let (mut key, mut value) = (String::new(), String::new());
    for field in fields(bytes)? {
        match (field.number, field.value) {
            (1, Value::Bytes(text)) => key = lossy(text),
            (2, Value::Bytes(text)) => value = lossy(text),
            _ => {}
        }
    }
    Ok((key, value))
}

/// The enum in a message that holds nothing else; enums are 32 bits wide.
fn number(bytes: &[u8]) -> Result<i32, Malformed> {
    Ok((varint(bytes)? as u32).cast_signed())
}

/// Field 1 of a message that holds nothing else.
fn varint(bytes: &[u8]) -> Result<u64, Malformed> {
    let mut found = 0;
    for field in fields(bytes)? {
        if let (1, Value::Varint(number)) = (field.number, field.value) {
            found = number;
        }
    }
    Ok(found)
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use csi_identity::ObservedCapability;
    use csi_proto::csi::v1 as pb;
    use prost::Message as _;

    use super::{capabilities, node_info, plugin_info, ready, rpcs};

    #[test]
    fn what_prost_writes_is_read() {
        let info = pb::GetPluginInfoResponse {
            name: "disk.acme.io".to_owned(),
            vendor_version: "1.2.3".to_owned(),
            manifest: [("url".to_owned(), "https://acme.io".to_owned())].into(),
        };
        let read = plugin_info(&info.encode_to_vec()).unwrap();
        assert_eq!(
            (&*read.name, &*read.vendor_version),
            ("disk.acme.io", "1.2.3")
        );
        assert_eq!(read.manifest["url"], "https://acme.io");

        let node = pb::NodeGetInfoResponse {
            node_id: "n1".to_owned(),
            max_volumes_per_node: -1,
            accessible_topology: Some(pb::Topology {
                segments: [("zone".to_owned(), "a".to_owned())].into(),
            }),
        };
        let read = node_info(&node.encode_to_vec()).unwrap();
        assert_eq!((&*read.node_id, read.max_volumes_per_node), ("n1", -1));
        assert_eq!(
            read.accessible_topology,
            Some(vec![("zone".to_owned(), "a".to_owned())])
        );

        for value in [None, Some(false), Some(true)] {
            let reply = pb::ProbeResponse { ready: value };
            assert_eq!(ready(&reply.encode_to_vec()), Ok(value));
        }
    }

    #[test]
    fn what_no_decoder_takes_counts_as_unset() {
        // A bare bool in place of a BoolValue.
        assert_eq!(ready(&[0x08, 0x01]), Ok(None));
        assert_eq!(
            capabilities(&[0x0a, 0x00, 0x0a, 0x04, 0x0a, 0x02, 0x08, 0x63]),
            Ok(vec![
                ObservedCapability::Empty,
                ObservedCapability::Service(99)
            ])
        );
        assert_eq!(
            rpcs(&[0x0a, 0x00, 0x0a, 0x04, 0x0a, 0x02, 0x08, 0x09]),
            Ok(vec![0, 9])
        );
    }
}
