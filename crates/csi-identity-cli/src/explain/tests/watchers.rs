//! The sidecars of snapshots and of health.

use super::{
    assert_cases, error, named, ok, slowly, unavailable, unimplemented, with_controller, without,
};

#[test]
fn the_snapshotter_asks_for_the_name_before_it_asks_for_readiness() {
    assert_cases(
        "external-snapshotter",
        &[
            (
                |_| {},
                "goes on",
                "takes snapshots; never reads GetPluginCapabilities",
            ),
            (
                |seen| seen.capabilities = unavailable(),
                "goes on",
                "takes snapshots; never reads GetPluginCapabilities",
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
                |seen| with_controller(seen, &[1]),
                "does not apply",
                "no controller CREATE_DELETE_SNAPSHOT: no snapshots to take; deployed all the same, it exits with 1",
            ),
            (
                |seen| slowly(&mut seen.info, 60000),
                "exits",
                "GetPluginInfo takes longer than 60s: exits with 1, before it asks whether the plugin is ready",
            ),
            (
                |seen| seen.info = unavailable(),
                "exits",
                "GetPluginInfo answers UNAVAILABLE: exits with 1, before it asks whether the plugin is ready",
            ),
            (
                |seen| seen.info = named(""),
                "exits",
                "the name is empty: exits with 1",
            ),
            (
                |seen| seen.probe = ok(Some(false)),
                "waits",
                "Probe answers ready=false: asks again every second, without limit",
            ),
            (
                |seen| slowly(&mut seen.probe, 60000),
                "waits",
                "Probe takes longer than 60s: asks again every second, without limit",
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
                |seen| slowly(&mut seen.controller, 60000),
                "exits",
                "ControllerGetCapabilities takes longer than 60s: exits with 1",
            ),
            (
                |seen| seen.controller = unavailable(),
                "exits",
                "ControllerGetCapabilities answers UNAVAILABLE: exits with 1",
            ),
        ],
    );
}

#[test]
fn the_health_monitor_has_one_second_for_five_calls() {
    assert_cases(
        "external-health-monitor",
        &[
            (|_| {}, "goes on", "watches the health of volumes"),
            (
                |seen| slowly(&mut seen.controller, 330),
                "goes on",
                "watches the health of volumes",
            ),
            (
                |seen| slowly(&mut seen.controller, 340),
                "exits",
                "GetPluginInfo + GetPluginCapabilities + ControllerGetCapabilities take longer than 1s: exits with 1",
            ),
            (
                |seen| seen.info = unavailable(),
                "exits",
                "GetPluginInfo answers UNAVAILABLE: exits with 1",
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
                |seen| with_controller(seen, &[3]),
                "does not apply",
                "no controller VOLUME_CONDITION: no health of volumes to ask for; deployed all the same, it exits with 1",
            ),
            (
                |seen| with_controller(seen, &[11]),
                "does not apply",
                "no controller LIST_VOLUMES, no controller GET_VOLUME: no health of volumes to ask for; deployed all the same, it exits with 1",
            ),
            (
                |seen| with_controller(seen, &[11, 12]),
                "goes on",
                "watches the health of volumes",
            ),
            (
                |seen| seen.info = named(""),
                "exits",
                "the name is empty: exits with 1",
            ),
            (
                |seen| without(seen, 1),
                "exits",
                "no CONTROLLER_SERVICE declared: exits with 1",
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
        ],
    );
}

#[test]
fn snapshot_metadata_needs_its_capability() {
    assert_cases(
        "external-snapshot-metadata",
        &[
            (
                |_| {},
                "goes on",
                "passes the streams of SnapshotMetadata on, whether or not this socket serves them",
            ),
            (
                |seen| without(seen, 4),
                "does not apply",
                "no SNAPSHOT_METADATA_SERVICE declared: deployed all the same, it does not start",
            ),
            (
                |seen| slowly(&mut seen.info, 60000),
                "exits",
                "GetPluginInfo takes longer than 60s: exits, before it asks whether the plugin is ready",
            ),
            (
                |seen| seen.info = unavailable(),
                "exits",
                "GetPluginInfo answers UNAVAILABLE: exits, before it asks whether the plugin is ready",
            ),
            (
                |seen| seen.info = named(""),
                "exits",
                "the name is empty: exits",
            ),
            (
                |seen| seen.probe = ok(Some(false)),
                "waits",
                "Probe answers ready=false: asks again every second, without limit",
            ),
            (
                |seen| slowly(&mut seen.probe, 60000),
                "waits",
                "Probe takes longer than 60s: asks again every second, without limit",
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
                |seen| slowly(&mut seen.capabilities, 60000),
                "exits",
                "GetPluginCapabilities takes longer than 60s: exits",
            ),
            (
                |seen| seen.capabilities = unavailable(),
                "exits",
                "GetPluginCapabilities answers UNAVAILABLE: exits",
            ),
        ],
    );
}
