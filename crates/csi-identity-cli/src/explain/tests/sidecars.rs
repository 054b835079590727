//! The sidecars that make, attach and resize volumes.

use csi_identity::ObservedCapability;

use super::{
    assert_cases, error, named, ok, slowly, unavailable, unimplemented, with_controller, without,
};

#[test]
fn the_provisioner_needs_a_controller_that_creates_volumes() {
    assert_cases(
        "external-provisioner",
        &[
            (|_| {}, "goes on", "provisions volumes"),
            (
                |seen| seen.controller = unimplemented(),
                "does not apply",
                "no csi.v1.Controller on this socket, CONTROLLER_SERVICE declared: its place is beside the socket that serves Controller; here it would exit",
            ),
            (
                |seen| {
                    seen.controller = unimplemented();
                    without(seen, 1);
                },
                "does not apply",
                "no csi.v1.Controller on this socket: deployed all the same, it exits, for it always asks ControllerGetCapabilities",
            ),
            (
                |seen| with_controller(seen, &[2]),
                "does not apply",
                "CONTROLLER_SERVICE declared, no controller CREATE_DELETE_VOLUME: nothing to provision; deployed all the same, every claim fails with an event",
            ),
            (
                |seen| seen.probe = ok(Some(false)),
                "waits",
                "Probe answers ready=false: asks again every second, without limit",
            ),
            (
                |seen| slowly(&mut seen.probe, 10000),
                "waits",
                "Probe takes longer than 10s: asks again every second, without limit",
            ),
            (
                |seen| seen.probe = error(4, "DEADLINE_EXCEEDED"),
                "waits",
                "Probe answers DEADLINE_EXCEEDED: asks again every second, without limit",
            ),
            (
                |seen| seen.probe = unavailable(),
                "exits",
                "Probe answers UNAVAILABLE: exits with 1",
            ),
            (
                |seen| seen.probe = unimplemented(),
                "exits",
                "Probe answers UNIMPLEMENTED: exits with 1",
            ),
            (
                |seen| slowly(&mut seen.info, 10000),
                "exits",
                "GetPluginInfo takes longer than 10s: exits",
            ),
            (
                |seen| seen.info = unavailable(),
                "exits",
                "GetPluginInfo answers UNAVAILABLE: exits",
            ),
            (
                |seen| seen.info = named(""),
                "exits",
                "the name is empty: exits",
            ),
            (
                |seen| slowly(&mut seen.capabilities, 10000),
                "exits",
                "GetPluginCapabilities takes longer than 10s: exits",
            ),
            (
                |seen| seen.capabilities = unavailable(),
                "exits",
                "GetPluginCapabilities answers UNAVAILABLE: exits",
            ),
            (
                |seen| slowly(&mut seen.controller, 10000),
                "exits",
                "ControllerGetCapabilities takes longer than 10s: exits",
            ),
            (
                |seen| seen.controller = unavailable(),
                "exits",
                "ControllerGetCapabilities answers UNAVAILABLE: exits",
            ),
            (
                |seen| without(seen, 1),
                "refuses",
                "no CONTROLLER_SERVICE declared: every claim fails with an event, though a controller is here",
            ),
            (
                |seen| seen.node_info = ok(Default::default()),
                "refuses",
                "VOLUME_ACCESSIBILITY_CONSTRAINTS declared, NodeGetInfo has no topology: claims fail with \"no topology key found\" (delayed binding), \"no available topology found\" (immediate)",
            ),
            (
                |seen| without(seen, 2),
                "goes on",
                "no VOLUME_ACCESSIBILITY_CONSTRAINTS declared, NodeGetInfo has a topology: provisions volumes without regard to topology (no requirement to CreateVolume, no node affinity of the volume), so pods may land where it is not",
            ),
        ],
    );
}

#[test]
fn the_attacher_publishes_only_what_is_declared() {
    assert_cases(
        "external-attacher",
        &[
            (
                |_| {},
                "goes on",
                "attaches volumes with ControllerPublishVolume",
            ),
            (
                |seen| seen.controller = unimplemented(),
                "does not apply",
                "no csi.v1.Controller on this socket, CONTROLLER_SERVICE declared: its place is beside the socket that serves Controller; here it would exit",
            ),
            (
                |seen| {
                    seen.controller = unimplemented();
                    without(seen, 1);
                },
                "does not apply",
                "no csi.v1.Controller on this socket, no CONTROLLER_SERVICE declared: deployed all the same, it marks volumes attached without publishing them",
            ),
            (
                |seen| {
                    seen.controller = unimplemented();
                    seen.capabilities = unimplemented();
                },
                "does not apply",
                "no csi.v1.Controller on this socket: deployed all the same, it exits with 1",
            ),
            (
                |seen| seen.probe = ok(Some(false)),
                "waits",
                "Probe answers ready=false: asks again every second, without limit",
            ),
            (
                |seen| slowly(&mut seen.probe, 15000),
                "waits",
                "Probe takes longer than 15s: asks again every second, without limit",
            ),
            (
                |seen| seen.probe = error(4, "DEADLINE_EXCEEDED"),
                "waits",
                "Probe answers DEADLINE_EXCEEDED: asks again every second, without limit",
            ),
            (
                |seen| seen.probe = unavailable(),
                "exits",
                "Probe answers UNAVAILABLE: exits with 1",
            ),
            (
                |seen| seen.probe = unimplemented(),
                "exits",
                "Probe answers UNIMPLEMENTED: exits with 1",
            ),
            (
                |seen| slowly(&mut seen.info, 1000),
                "exits",
                "GetPluginInfo takes longer than 1s: exits with 1",
            ),
            (
                |seen| seen.info = unavailable(),
                "exits",
                "GetPluginInfo answers UNAVAILABLE: exits with 1",
            ),
            (
                |seen| seen.info = named(""),
                "exits",
                "the name is empty: exits with 1",
            ),
            (
                |seen| slowly(&mut seen.capabilities, 1000),
                "exits",
                "GetPluginCapabilities takes longer than 1s: exits with 1",
            ),
            (
                |seen| seen.capabilities = unavailable(),
                "exits",
                "GetPluginCapabilities answers UNAVAILABLE: exits with 1",
            ),
            (
                |seen| without(seen, 1),
                "refuses",
                "no CONTROLLER_SERVICE declared, controller PUBLISH_UNPUBLISH_VOLUME: marks volumes attached without publishing them, and the mount on the node fails (inferred)",
            ),
            (
                |seen| {
                    without(seen, 1);
                    with_controller(seen, &[1]);
                },
                "goes on",
                "no CONTROLLER_SERVICE declared: marks volumes attached without publishing them",
            ),
            (
                |seen| {
                    slowly(&mut seen.capabilities, 500);
                    slowly(&mut seen.controller, 500);
                },
                "exits",
                "GetPluginCapabilities + ControllerGetCapabilities take longer than 1s: exits with 1",
            ),
            (
                |seen| seen.controller = unavailable(),
                "exits",
                "ControllerGetCapabilities answers UNAVAILABLE: exits with 1",
            ),
            (
                |seen| with_controller(seen, &[1]),
                "goes on",
                "no controller PUBLISH_UNPUBLISH_VOLUME: marks volumes attached without publishing them",
            ),
        ],
    );
}

#[test]
fn the_resizer_needs_someone_who_expands_or_modifies() {
    assert_cases(
        "external-resizer",
        &[
            (
                |_| {},
                "goes on",
                "controller EXPAND_VOLUME: expands volumes with ControllerExpandVolume",
            ),
            (
                |seen| seen.controller = unimplemented(),
                "does not apply",
                "no csi.v1.Controller on this socket, CONTROLLER_SERVICE declared: its place is beside the socket that serves Controller; here it would exit",
            ),
            (
                |seen| {
                    seen.controller = unimplemented();
                    without(seen, 1);
                },
                "does not apply",
                "no csi.v1.Controller on this socket: deployed all the same, it exits with 1",
            ),
            (
                |seen| {
                    seen.capabilities = ok(vec![ObservedCapability::Service(1)]);
                    with_controller(seen, &[1]);
                    seen.node = unimplemented();
                },
                "does not apply",
                "no volume expansion declared, no controller EXPAND_VOLUME, no controller MODIFY_VOLUME, no node EXPAND_VOLUME: nothing to resize or modify; deployed all the same, it exits",
            ),
            (
                |seen| seen.probe = ok(Some(false)),
                "waits",
                "Probe answers ready=false: asks again every second, without limit",
            ),
            (
                |seen| slowly(&mut seen.probe, 10000),
                "waits",
                "Probe takes longer than 10s: asks again every second, without limit",
            ),
            (
                |seen| seen.probe = error(4, "DEADLINE_EXCEEDED"),
                "waits",
                "Probe answers DEADLINE_EXCEEDED: asks again every second, without limit",
            ),
            (
                |seen| seen.probe = unavailable(),
                "exits",
                "Probe answers UNAVAILABLE: exits with 1",
            ),
            (
                |seen| seen.probe = unimplemented(),
                "exits",
                "Probe answers UNIMPLEMENTED: exits with 1",
            ),
            (
                |seen| slowly(&mut seen.info, 10000),
                "exits",
                "GetPluginInfo takes longer than 10s: exits with 1",
            ),
            (
                |seen| seen.info = unavailable(),
                "exits",
                "GetPluginInfo answers UNAVAILABLE: exits with 1",
            ),
            (
                |seen| seen.info = named(""),
                "exits",
                "the name is empty: exits with 1",
            ),
            (
                |seen| slowly(&mut seen.capabilities, 10000),
                "exits",
                "GetPluginCapabilities takes longer than 10s: exits with 1",
            ),
            (
                |seen| seen.capabilities = unavailable(),
                "exits",
                "GetPluginCapabilities answers UNAVAILABLE: exits with 1",
            ),
            (
                |seen| without(seen, 1),
                "exits",
                "no CONTROLLER_SERVICE declared: exits with 1",
            ),
            (
                |seen| slowly(&mut seen.controller, 10000),
                "exits",
                "ControllerGetCapabilities takes longer than 10s: exits with 1",
            ),
            (
                |seen| seen.controller = unavailable(),
                "exits",
                "ControllerGetCapabilities answers UNAVAILABLE: exits with 1",
            ),
            (
                |seen| {
                    with_controller(seen, &[1]);
                    seen.node = unavailable();
                },
                "exits",
                "NodeGetCapabilities answers UNAVAILABLE: exits (inferred)",
            ),
            (
                |seen| with_controller(seen, &[1]),
                "goes on",
                "node EXPAND_VOLUME: leaves the work to the node, and only marks volumes as to be expanded there",
            ),
            (
                |seen| {
                    with_controller(seen, &[1]);
                    seen.node = ok(vec![]);
                },
                "exits",
                "no controller MODIFY_VOLUME: exits, for nothing here expands or modifies volumes",
            ),
            (
                |seen| {
                    with_controller(seen, &[14]);
                    seen.node = ok(vec![]);
                },
                "goes on",
                "modifies volumes with ControllerModifyVolume",
            ),
        ],
    );
}
