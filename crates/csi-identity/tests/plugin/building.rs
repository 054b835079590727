//! What makes a plugin, and what does not.

use csi_identity::proto::csi::v1::controller_server::{Controller, ControllerServer};
use csi_identity::proto::csi::v1::group_controller_server::{
    GroupController, GroupControllerServer,
};
use csi_identity::proto::csi::v1::identity_server::IdentityServer;
use csi_identity::proto::csi::v1::node_server::{Node, NodeServer};
use csi_identity::proto::csi::v1::snapshot_metadata_server::{
    SnapshotMetadata, SnapshotMetadataServer,
};
use csi_identity::{
    BuildError, Declared, ExpandVolume, IdentityService, NodeInfo, OfferedService, Plugin,
    PluginBuilder, ReadinessHandle, VolumeExpansion,
};

pub(crate) struct Everything;

#[tonic::async_trait]
impl Controller for Everything {}
#[tonic::async_trait]
impl Node for Everything {}
#[tonic::async_trait]
impl GroupController for Everything {}
#[tonic::async_trait]
impl SnapshotMetadata for Everything {}

fn builder() -> PluginBuilder<Declared> {
    Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
}

fn node() -> NodeInfo {
    NodeInfo::new("node-1".parse().unwrap())
}

fn capabilities(builder: PluginBuilder<Declared>) -> String {
    builder
        .build()
        .unwrap()
        .identity()
        .unwrap()
        .capabilities
        .to_string()
}

#[test]
fn capabilities_are_derived_from_the_services_registered() {
    assert_eq!(
        capabilities(builder().service(NodeServer::new(Everything))),
        "none"
    );
    assert_eq!(
        capabilities(builder().service(ControllerServer::new(Everything))),
        "CONTROLLER_SERVICE"
    );
    let all = builder()
        .service(SnapshotMetadataServer::new(Everything))
        .service(GroupControllerServer::new(Everything))
        .service(ControllerServer::new(Everything));
    assert_eq!(
        capabilities(all),
        "CONTROLLER_SERVICE, GROUP_CONTROLLER_SERVICE, SNAPSHOT_METADATA_SERVICE"
    );
}

#[test]
fn an_intercepted_service_counts_like_the_service() {
    let intercepted = ControllerServer::with_interceptor(Everything, Ok);
    assert_eq!(
        capabilities(builder().service(intercepted)),
        "CONTROLLER_SERVICE"
    );
}

#[test]
fn what_is_served_elsewhere_is_reported_here() {
    let elsewhere = builder()
        .served_elsewhere([OfferedService::ControllerService])
        .node_info(node());
    assert_eq!(capabilities(elsewhere), "CONTROLLER_SERVICE");
}

#[test]
fn what_does_not_go_together_is_an_error_that_says_so() {
    let identity = Plugin::builder("a.b".parse().unwrap(), "1".parse().unwrap())
        .build()
        .unwrap();
    let identity = std::sync::Arc::new(identity.identity().unwrap().clone());
    let identity = IdentityService::new(identity, ReadinessHandle::default());
    let constraints = [OfferedService::VolumeAccessibilityConstraints];
    let cases = [
        (
            builder()
                .service(ControllerServer::new(Everything))
                .service(ControllerServer::new(Everything)),
            "service csi.v1.Controller is registered twice; register it once",
        ),
        (
            builder().service(IdentityServer::new(identity)),
            "service csi.v1.Identity is served by the plugin anyway; do not register it",
        ),
        (
            builder()
                .service(NodeServer::new(Everything))
                .node_info(node()),
            "node information and a csi.v1.Node service exclude each other; answer NodeGetInfo in the service",
        ),
        (
            builder().served_elsewhere(constraints).node_info(node()),
            "VOLUME_ACCESSIBILITY_CONSTRAINTS is offered and the Node service is served here, but the node has no \
             topology; give it an accessible_topology or drop the constraints",
        ),
    ];
    for (builder, message) in cases {
        assert_eq!(builder.build().unwrap_err().to_string(), message);
    }
}

#[test]
fn the_first_of_several_mistakes_is_reported() {
    let twice = builder()
        .service(ControllerServer::new(Everything))
        .service(ControllerServer::new(Everything))
        .service(NodeServer::new(Everything))
        .service(NodeServer::new(Everything));
    let name = "csi.v1.Controller";
    assert_eq!(
        twice.build().unwrap_err(),
        BuildError::DuplicateService { name }
    );
}

#[test]
fn a_node_service_of_ones_own_may_have_a_topology() {
    let constraints = [OfferedService::VolumeAccessibilityConstraints];
    let own = builder()
        .served_elsewhere(constraints)
        .service(NodeServer::new(Everything));
    assert_eq!(capabilities(own), "VOLUME_ACCESSIBILITY_CONSTRAINTS");
}

#[test]
fn advice_comes_from_name_version_and_node() {
    let plugin = Plugin::builder("Disk.acme.io".parse().unwrap(), "v1".parse().unwrap())
        .node_info(NodeInfo::new("n".repeat(130).parse().unwrap()))
        .build()
        .unwrap();
    let advice: Vec<_> = plugin.advice().iter().map(ToString::to_string).collect();
    assert_eq!(
        advice,
        [
            "the name has upper-case letters: Kubernetes refuses it for a CSIDriver object, and Lease names made \
             from it are invalid; use disk.acme.io",
            "the version is no semantic version; write 1.0.0",
            "gocsi's validator refuses the version: it takes three numbers, with or without v before and -text after",
            "the node id has 130 bytes: the specification recommends at most 128, the limit before CSI 1.4",
        ]
    );

    let sound = builder().node_info(node()).build().unwrap();
    assert_eq!(sound.advice(), []);
}

#[test]
fn advice_on_expansion_goes_by_the_services_that_can_expand() {
    let expands = |controller, node| ExpandVolume { controller, node };
    let unstated =
        "EXPAND_VOLUME is offered, but no volume expansion is stated; state online or offline";
    let impossible = "volume expansion ONLINE needs EXPAND_VOLUME of the Controller or Node service, and neither can have it";
    for (expand_volume, modes, expected) in [
        (expands(true, false), &[][..], &[unstated][..]),
        (expands(false, true), &[VolumeExpansion::Online], &[]),
        (
            expands(false, false),
            &[VolumeExpansion::Online],
            &[impossible],
        ),
    ] {
        let plugin = builder()
            .served_elsewhere([OfferedService::ControllerService])
            .expansion(modes.iter().copied())
            .expand_volume(expand_volume)
            .build()
            .unwrap();
        let advice: Vec<_> = plugin.advice().iter().map(ToString::to_string).collect();
        assert_eq!(advice, expected, "{expand_volume:?} {modes:?}");
    }
}
