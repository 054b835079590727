//! Faults that one or two calls show.

use std::collections::BTreeMap;

use crate::call::{Ask, Client};
use crate::plugin::Served;

mod capabilities;
mod info;
mod node;
mod probe;
mod reality;
mod wire;

/// A fault, a call, and what the first and each further call is answered with.
type Row = (&'static str, &'static str, &'static [&'static str]);

pub(crate) const TABLES: [&[Row]; 6] = [
    info::TABLE,
    capabilities::TABLE,
    reality::TABLE,
    probe::TABLE,
    node::TABLE,
    wire::TABLE,
];

const INFO: &str = "Identity/GetPluginInfo";
const CAPABILITIES: &str = "Identity/GetPluginCapabilities";
const PROBE: &str = "Identity/Probe";
const NODE_INFO: &str = "Node/NodeGetInfo";
const NODE_CAPABILITIES: &str = "Node/NodeGetCapabilities";
const CONTROLLER_CAPABILITIES: &str = "Controller/ControllerGetCapabilities";
const GROUP_CONTROLLER_CAPABILITIES: &str = "GroupController/GroupControllerGetCapabilities";

/// What the good plugin answers.
pub(crate) const GOOD: [(&str, &str); 5] = [
    (INFO, "disk.faultless.dev 1.2.3, manifest of 6"),
    (
        CAPABILITIES,
        "VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE",
    ),
    (PROBE, "ready=true"),
    (NODE_INFO, "node-1 16 [faultless.dev/rack=rack-1]"),
    (NODE_CAPABILITIES, "[1, 3]"),
];

#[tokio::test]
async fn each_fault_shows_in_its_calls_and_in_no_other() {
    let mut faults = BTreeMap::<_, Vec<_>>::new();
    for &(fault, call, expected) in TABLES.into_iter().flatten() {
        faults.entry(fault).or_default().push((call, expected));
    }
    for (fault, rows) in faults {
        let plugin = Served::faulty(fault);
        for (call, expected) in &rows {
            let client = Client::connect(plugin.socket()).await;
            for text in *expected {
                assert_eq!(
                    client.call(Ask::of(call)).await.to_string(),
                    *text,
                    "{fault}: {call}"
                );
            }
        }
        let others = GOOD
            .into_iter()
            .filter(|(call, _)| !rows.iter().any(|row| row.0 == *call));
        let client = Client::connect(plugin.socket()).await;
        for (call, good) in others {
            for _ in 0..2 {
                assert_eq!(
                    client.call(Ask::of(call)).await.to_string(),
                    good,
                    "{fault}: {call}"
                );
            }
        }
    }
}
