//! GetPluginCapabilities: the form of the list, and that it stays the same.

use std::time::Duration;

use csi_proto::csi::v1::PluginCapability;
use tonic::Code;

use crate::fault::Fault;
use crate::plugin::{Plugin, expansion_capability, service_capability};
use crate::reply::Reply;
use crate::rpc::CAPABILITIES;

const SAME: &str =
    "CSI, GetPluginCapabilities: instances of one version have the same capabilities";
const NO_MEANING: &str = "CSI, PluginCapability: it carries no meaning; csi-sanity fails it";
const EXITS: &str = "external-provisioner and external-attacher exit";

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "capabilities-unimplemented",
        "answers GetPluginCapabilities with UNIMPLEMENTED",
        "CSI, GetPluginCapabilities: the plugin must implement it",
        |plugin| {
            plugin.set(
                CAPABILITIES.path(),
                Reply::status(Code::Unimplemented, "unknown method GetPluginCapabilities"),
            );
        },
    ),
    Fault::new(
        "capabilities-internal",
        "answers GetPluginCapabilities with INTERNAL",
        EXITS,
        |plugin| {
            plugin.set(
                CAPABILITIES.path(),
                Reply::status(Code::Internal, "no configuration"),
            );
        },
    ),
    Fault::new(
        "capabilities-slow",
        "takes 1.2 s for GetPluginCapabilities",
        "external-attacher waits for 1 s, ControllerGetCapabilities included",
        |plugin| {
            plugin.shape(CAPABILITIES.path(), |reply| {
                reply.delay = Duration::from_millis(1200);
            });
        },
    ),
    Fault::new(
        "capabilities-hang",
        "does not answer GetPluginCapabilities",
        EXITS,
        |plugin| {
            plugin.shape(CAPABILITIES.path(), |reply| reply.delay = super::FOR_EVER);
        },
    ),
    Fault::new(
        "capability-empty",
        "lists a capability that is neither a service nor an expansion",
        NO_MEANING,
        |plugin| {
            add(plugin, PluginCapability::default());
        },
    ),
    Fault::new(
        "capability-service-unknown",
        "lists the service UNKNOWN (0)",
        NO_MEANING,
        |plugin| {
            add(plugin, service_capability(0));
        },
    ),
    Fault::new(
        "capability-service-99",
        "lists the service 99, which no specification has",
        NO_MEANING,
        |plugin| {
            add(plugin, service_capability(99));
        },
    ),
    Fault::new(
        "capability-expansion-unknown",
        "lists the volume expansion UNKNOWN (0)",
        NO_MEANING,
        |plugin| {
            add(plugin, expansion_capability(0));
        },
    ),
    Fault::new(
        "capability-expansion-99",
        "lists the volume expansion 99, which no specification has",
        NO_MEANING,
        |plugin| {
            add(plugin, expansion_capability(99));
        },
    ),
    Fault::new(
        "capability-duplicate",
        "lists a capability twice",
        "no clause: a set has each member once, so one of the two was meant to be another",
        |plugin| {
            plugin.edit(CAPABILITIES, |answer| {
                let again = answer.capabilities.first().copied();
                answer.capabilities.extend(again);
            });
        },
    ),
    Fault::new(
        "capabilities-order-changes",
        "lists its capabilities in another order at every second call",
        "no clause: who compares answers sees a change where there is none",
        |plugin| {
            plugin.alternate(CAPABILITIES, |answer| answer.capabilities.reverse());
        },
    ),
    Fault::new(
        "capabilities-change",
        "lists one capability fewer at every second call",
        SAME,
        |plugin| {
            plugin.alternate(CAPABILITIES, |answer| answer.capabilities.truncate(1));
        },
    ),
    Fault::new(
        "capabilities-change-late",
        "lists one capability fewer from the 50th call on",
        SAME,
        |plugin| {
            plugin.since_call(50, CAPABILITIES.path(), |reply| {
                let mut answer: csi_proto::csi::v1::GetPluginCapabilitiesResponse = reply.message();
                answer.capabilities.truncate(1);
                *reply = Reply::ok(&answer);
            });
        },
    ),
];

fn add(plugin: &mut Plugin, capability: PluginCapability) {
    plugin.edit(CAPABILITIES, |answer| answer.capabilities.push(capability));
}
