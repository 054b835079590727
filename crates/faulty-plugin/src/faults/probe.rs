//! Probe: what it answers, and how it bears being asked often.

use std::time::Duration;

use csi_proto::csi::v1::ProbeResponse;
use tonic::Code;

use crate::fault::Fault;
use crate::habits::Waits;
use crate::plugin::Plugin;
use crate::reply::{Ending, Reply};
use crate::rpc::PROBE;

const EXITS: &str = "sidecars that wait for a ready plugin exit at this code";
const CHEAP: &str = "no clause: livenessprobe and sidecars ask at the same time and often";
const READY: &str = "CSI, ProbeResponse.ready is a google.protobuf.BoolValue";
const NO_DETAILS: &str = "CSI, Error Scheme: the details of a status are empty";
const CALM: &str = "CSI, Probe: it says how the plugin is; no call changes that";

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "probe-unimplemented",
        "answers Probe with UNIMPLEMENTED",
        "CSI, Probe: the plugin must implement it",
        |plugin| {
            fails(plugin, Code::Unimplemented, "unknown method Probe");
        },
    ),
    Fault::new(
        "probe-unavailable",
        "answers Probe with UNAVAILABLE",
        EXITS,
        |plugin| {
            fails(plugin, Code::Unavailable, "the array is away");
        },
    ),
    Fault::new(
        "probe-internal",
        "answers Probe with INTERNAL",
        EXITS,
        |plugin| {
            fails(plugin, Code::Internal, "the array is away");
        },
    ),
    Fault::new(
        "probe-deadline-exceeded",
        "answers Probe at once with DEADLINE_EXCEEDED",
        "sidecars ask for ever, as if the plugin were slow",
        |plugin| {
            fails(plugin, Code::DeadlineExceeded, "the array took too long");
        },
    ),
    Fault::new(
        "probe-failed-precondition",
        "answers Probe with FAILED_PRECONDITION, as an unhealthy plugin may",
        EXITS,
        |plugin| {
            fails(plugin, Code::FailedPrecondition, "the array is away");
        },
    ),
    Fault::new(
        "probe-message-empty",
        "answers Probe with FAILED_PRECONDITION and no message",
        "CSI, Error Scheme: a status has a message for people",
        |plugin| {
            fails(plugin, Code::FailedPrecondition, "");
        },
    ),
    Fault::new(
        "probe-details",
        "answers Probe with FAILED_PRECONDITION and details",
        NO_DETAILS,
        |plugin| {
            fails(plugin, Code::FailedPrecondition, "the array is away");
            // A google.rpc.Status with the code, the message and one google.protobuf.Any of the type "x".
            let details = b"CAkSEXRoZSBhcnJheSBpcyBhd2F5GgMKAXg".to_vec();
            plugin.shape(PROBE.path(), |reply| {
                reply.trailers.push(("grpc-status-details-bin", details));
            });
        },
    ),
    Fault::new(
        "probe-never-ready",
        "answers Probe with ready=false for ever",
        "sidecars wait for ever, livenessprobe has the plugin restarted",
        |plugin| {
            plugin.edit(PROBE, |answer| answer.ready = Some(false));
        },
    ),
    Fault::new(
        "probe-flips",
        "is ready at every second Probe only",
        CALM,
        |plugin| {
            plugin.alternate(PROBE, |answer| answer.ready = Some(false));
        },
    ),
    Fault::new(
        "probe-slow-1s",
        "takes 1.2 s for Probe",
        "external-health-monitor waits for 1 s, four other calls included",
        |plugin| {
            plugin.shape(PROBE.path(), |reply| {
                reply.delay = Duration::from_millis(1200);
            });
        },
    ),
    Fault::new(
        "probe-slow-3s",
        "takes 3.5 s for Probe",
        "livenessprobe waits for 3 s and has the plugin restarted",
        |plugin| {
            plugin.shape(PROBE.path(), |reply| {
                reply.delay = Duration::from_millis(3500);
            });
        },
    ),
    Fault::new(
        "probe-hangs",
        "does not answer Probe",
        "livenessprobe has the plugin restarted; sidecars wait for ever",
        |plugin| {
            plugin.shape(PROBE.path(), |reply| reply.delay = super::FOR_EVER);
        },
    ),
    Fault::new(
        "probe-serialised",
        "answers Probes one after the other, each in 600 ms",
        CHEAP,
        |plugin| {
            plugin.habits.waits = Waits::ProbesForProbes;
            plugin.shape(PROBE.path(), |reply| {
                reply.delay = Duration::from_millis(600);
            });
        },
    ),
    Fault::new(
        "probe-blocks-all",
        "answers no call while a Probe of 600 ms is under way",
        CHEAP,
        |plugin| {
            plugin.habits.waits = Waits::AllForAll;
            plugin.shape(PROBE.path(), |reply| {
                reply.delay = Duration::from_millis(600);
            });
        },
    ),
    Fault::new(
        "probe-unready-after-50",
        "is not healthy any more from the 50th Probe on",
        CALM,
        |plugin| {
            plugin.since_call(50, PROBE.path(), |reply| {
                *reply = Reply::status(Code::FailedPrecondition, "too many open files");
            });
        },
    ),
    Fault::new(
        "probe-kills-after-50",
        "ends at the 50th Probe",
        CALM,
        |plugin| {
            plugin.since_call(50, PROBE.path(), |reply| reply.ending = Ending::Stop);
        },
    ),
    Fault::new(
        "probe-bare-bool",
        "sends ready as a bool in place of a message around one",
        READY,
        |plugin| {
            plugin.shape(PROBE.path(), |reply| reply.set_message(vec![0x08, 1]));
        },
    ),
    Fault::new(
        "probe-ready-wrong-inside",
        "sends a ready that has a text in place of a bool",
        READY,
        |plugin| {
            plugin.shape(PROBE.path(), |reply| {
                reply.set_message(b"\x0a\x06\x0a\x04true".to_vec());
            });
        },
    ),
    Fault::new(
        "probe-ready-unset",
        "does not set ready, which means ready",
        "csc fails at it",
        |plugin| {
            plugin.edit(PROBE, |answer: &mut ProbeResponse| answer.ready = None);
        },
    ),
    Fault::new(
        "probe-turns-away",
        "answers a Probe with ABORTED while another one of 150 ms is under way",
        EXITS,
        |plugin| {
            plugin.habits.waits = Waits::TurnsProbesAway;
            plugin.shape(PROBE.path(), |reply| {
                reply.delay = Duration::from_millis(150);
            });
        },
    ),
];

fn fails(plugin: &mut Plugin, code: Code, message: &str) {
    plugin.set(PROBE.path(), Reply::status(code, message));
}
