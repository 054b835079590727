//! The keys of a configuration, a file for each section.

mod checks;
mod node;
mod plugin_capabilities;
mod plugin_info;
mod readiness;
mod socket;

use crate::configuration::{Configuration, SocketSettings};
use crate::error::{Flaws, Problem};
use crate::fields::Fields;
use crate::outline::{Key, Section, Shape};
use crate::tree::Node;
use crate::value::Value;

pub(crate) const CONFIGURATION: Section = Section {
    not_both: Some((&checks::CHECKS, &readiness::PROBE)),
    ..Section::new(
        "the configuration",
        &[
            &ENDPOINT,
            &plugin_info::PLUGIN_INFO,
            &plugin_capabilities::PLUGIN_CAPABILITIES,
            &node::NODE,
            &checks::CHECKS,
            &readiness::STARTUP_TIMEOUT,
            &readiness::WHILE_STARTING,
            &readiness::PROBE,
            &readiness::GATE_ON_READINESS,
            &socket::SOCKET,
        ],
    )
};

const ENDPOINT: Key = Key::optional(
    "endpoint",
    Shape::TextLike("^(unix:(//)?)?/"),
    "unix:///run/csi/csi.sock",
    "The socket to serve on: unix:///abs, unix:/abs or /abs.",
);

/// The whole file is the value of no key.
const ROOT: Key = Key::required(
    "the configuration",
    Shape::Section(&CONFIGURATION),
    "endpoint: unix:///run/csi/csi.sock",
    "The configuration of csi-identity serve.",
);

/// What the tree of a file means.
pub(crate) fn read(root: &Node, flaws: &mut Flaws) -> Option<Configuration> {
    let value = Value {
        key: &ROOT,
        node: root,
    };
    if !value.is_mapping() {
        let problem = Problem::NotKeys {
            found: root.found(),
            example: ROOT.example,
        };
        flaws.add(root.at, problem);
        return None;
    }
    let fields = Fields::of(&CONFIGURATION, value, flaws)?;
    let capabilities = fields.optional(
        &plugin_capabilities::PLUGIN_CAPABILITIES,
        flaws,
        plugin_capabilities::read,
    );
    let (offered, expansion) = capabilities.unwrap_or_default();
    let readiness = readiness::policy(&fields, flaws);
    let fixed_probe = fields.optional(&readiness::PROBE, flaws, readiness::probe);
    readiness::check_fixed(fixed_probe, &readiness, &fields, flaws);
    Some(Configuration {
        endpoint: fields.optional(&ENDPOINT, flaws, Value::parse),
        plugin_info: fields.optional(&plugin_info::PLUGIN_INFO, flaws, plugin_info::read),
        offered,
        expansion,
        node: fields.optional(&node::NODE, flaws, node::read),
        checks: fields
            .optional(&checks::CHECKS, flaws, checks::read)
            .unwrap_or_default(),
        readiness,
        fixed_probe,
        gate_on_readiness: fields
            .optional(&readiness::GATE_ON_READINESS, flaws, Value::boolean)
            .unwrap_or_default(),
        socket: fields
            .optional(&socket::SOCKET, flaws, socket::read)
            .unwrap_or_else(SocketSettings::default),
    })
}
