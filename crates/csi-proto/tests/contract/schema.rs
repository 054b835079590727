//! The descriptors say what the table says, no less and no more.

use csi_proto::{
    FILE_DESCRIPTOR_SET,
    csi::v1::{
        controller_server, group_controller_server, identity_server, node_server,
        snapshot_metadata_server,
    },
    pluginregistration::v1::registration_server,
};

use crate::facts::Facts;

/// Written from the published interfaces, independently of `proto`.
pub(crate) const TABLE: &str = include_str!("../schema.tsv");

#[test]
fn descriptors_and_table_say_the_same() {
    let differences =
        Facts::from_descriptors(FILE_DESCRIPTOR_SET).differences(&Facts::from_table(TABLE));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn servers_are_found_by_the_names_in_the_table() {
    let servers = [
        controller_server::SERVICE_NAME,
        group_controller_server::SERVICE_NAME,
        identity_server::SERVICE_NAME,
        node_server::SERVICE_NAME,
        snapshot_metadata_server::SERVICE_NAME,
        registration_server::SERVICE_NAME,
    ];
    assert_eq!(Facts::from_table(TABLE).names("service"), servers.into());
}

/// Each row is changed in one column, or removed, or added: no difference may pass unseen.
#[test]
fn any_other_table_is_told_apart() {
    let cases: [(&str, &str, &[&str]); 13] = [
        (
            "field\tcsi.v1.ProbeResponse.ready\t1\t",
            "field\tcsi.v1.ProbeResponse.ready\t2\t",
            &["field csi.v1.ProbeResponse.ready: number is 1, the table says 2"],
        ),
        (
            "ready\t1\t-\tgoogle.protobuf.BoolValue\t",
            "ready\t1\t-\tbool\t",
            &[
                "field csi.v1.ProbeResponse.ready: type is google.protobuf.BoolValue, the table says bool",
            ],
        ),
        (
            "PluginCapability.service\t1\toneof type\t",
            "PluginCapability.service\t1\t-\t",
            &["field csi.v1.PluginCapability.service: label is oneof type, the table says -"],
        ),
        (
            "csi.v1.Topology.segments\t1\t-\tmap<string, string>\t",
            "csi.v1.Topology.segments\t1\t-\tmap<string, int64>\t",
            &[
                "field csi.v1.Topology.segments: type is map<string, string>, the table says map<string, int64>",
            ],
        ),
        (
            "DeleteVolumeRequest.secrets\t2\t-\tmap<string, string>\tsecret\n",
            "DeleteVolumeRequest.secrets\t2\t-\tmap<string, string>\t-\n",
            &["field csi.v1.DeleteVolumeRequest.secrets: mark is secret, the table says -"],
        ),
        (
            "Service.Type.GROUP_CONTROLLER_SERVICE\t3\t",
            "Service.Type.GROUP_CONTROLLER_SERVICE\t4\t",
            &[
                "value csi.v1.PluginCapability.Service.Type.GROUP_CONTROLLER_SERVICE: number is 3, the table says 4",
            ],
        ),
        (
            "value\tcsi.v1.VolumeUsage.Unit.INODES\t2\t-\t-\t-\n",
            "",
            &["value csi.v1.VolumeUsage.Unit.INODES is not in the table"],
        ),
        (
            "message\tcsi.v1.ProbeRequest\t-\t-\t-\t-\n",
            "message\tcsi.v1.PingRequest\t-\t-\t-\t-\n",
            &[
                "message csi.v1.PingRequest is only in the table",
                "message csi.v1.ProbeRequest is not in the table",
            ],
        ),
        (
            "csi.v1.NodeGetInfoResponse.node_id\t",
            "csi.v1.NodeGetInfoResponse.node_name\t",
            &[
                "field csi.v1.NodeGetInfoResponse.node_id is not in the table",
                "field csi.v1.NodeGetInfoResponse.node_name is only in the table",
            ],
        ),
        (
            "csi.v1.ProbeRequest -> csi.v1.ProbeResponse",
            "csi.v1.ProbeRequest -> csi.v1.ProbeRequest",
            &[
                "rpc csi.v1.Identity.Probe: type is csi.v1.ProbeRequest -> csi.v1.ProbeResponse, \
               the table says csi.v1.ProbeRequest -> csi.v1.ProbeRequest",
            ],
        ),
        (
            "rpc\tcsi.v1.SnapshotMetadata.GetMetadataDelta\t-\tserver stream\t",
            "rpc\tcsi.v1.SnapshotMetadata.GetMetadataDelta\t-\t-\t",
            &[
                "rpc csi.v1.SnapshotMetadata.GetMetadataDelta: label is server stream, the table says -",
            ],
        ),
        (
            "pluginregistration.PluginInfo.supported_versions\t4\trepeated\t",
            "pluginregistration.PluginInfo.supported_versions\t4\t-\t",
            &[
                "field pluginregistration.PluginInfo.supported_versions: label is repeated, the table says -",
            ],
        ),
        (
            "file\tpluginregistration/v1/api.proto\t-\tproto3\tpluginregistration\t",
            "file\tpluginregistration/v1/api.proto\t-\tproto3\tpluginregistration.v1\t",
            &[
                "file pluginregistration/v1/api.proto: type is pluginregistration, the table says pluginregistration.v1",
            ],
        ),
    ];
    let descriptors = Facts::from_descriptors(FILE_DESCRIPTOR_SET);
    for (from, to, expected) in cases {
        assert_eq!(
            TABLE.matches(from).count(),
            1,
            "{from:?} has to pick one row"
        );
        let other = Facts::from_table(&TABLE.replace(from, to));
        assert_eq!(descriptors.differences(&other), expected);
    }
}
