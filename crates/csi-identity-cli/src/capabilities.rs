use std::borrow::Cow;
use std::io::{self, Write};

use csi_identity::{ObservedCapability, PluginClient, ServiceCapability, VolumeExpansion};
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::output::{verdict, write_answer};
use crate::verdict::Verdict;

/// Ask a plugin what it can do (GetPluginCapabilities).
///
/// A value that nobody knows is shown as UNKNOWN(7), in JSON as its number.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  csi-identity capabilities -e unix:///run/csi/csi.sock -o json

Exit codes:
  0  the plugin said what it can do
  1  it answered with an error
  2  could not find out")]
pub(crate) struct Capabilities {
    #[command(flatten)]
    ask: Ask,
}

impl Capabilities {
    pub(crate) async fn run(self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Self { ask } = self;
        let answer = ask.call(PluginClient::plugin_capabilities).await?;
        let answer = write_answer(
            out,
            ask.output,
            answer,
            |out, list| write_text(out, list),
            |list| to_json(list),
        )?;
        Ok(verdict(answer.as_ref()))
    }
}

fn write_text(out: &mut impl Write, capabilities: &[ObservedCapability]) -> io::Result<()> {
    if capabilities.is_empty() {
        writeln!(out, "none")?;
    }
    for capability in capabilities {
        // Without the kind that the library puts before an expansion's name: here it has a column of its own.
        let (name, kind) = match *capability {
            ObservedCapability::Service(number) => {
                let known = ServiceCapability::from_number(number);
                let name = value_name(known.map(ServiceCapability::wire_name), number);
                (name, "service")
            }
            ObservedCapability::VolumeExpansion(number) => {
                let known = VolumeExpansion::from_number(number);
                let name = value_name(known.map(VolumeExpansion::wire_name), number);
                (name, "volume_expansion")
            }
            ObservedCapability::Empty => ("EMPTY".into(), "neither service nor volume_expansion"),
        };
        writeln!(out, "{name:<32} {kind}")?;
    }
    Ok(())
}

/// The name of an enum value, UNKNOWN and the number where it has none.
fn value_name(known: Option<&'static str>, number: i32) -> Cow<'static, str> {
    match (known, number) {
        (Some(name), _) => name.into(),
        (None, 0) => "UNKNOWN".into(),
        (None, number) => format!("UNKNOWN({number})").into(),
    }
}

/// The field names of the wire.
pub(crate) fn to_json(capabilities: &[ObservedCapability]) -> Value {
    let named =
        |name: Option<&str>, number: i32| name.map_or_else(|| json!(number), |name| json!(name));
    let capability = |capability: &ObservedCapability| match *capability {
        ObservedCapability::Service(number) => {
            let name = ServiceCapability::from_number(number).map(ServiceCapability::wire_name);
            json!({ "service": { "type": named(name, number) } })
        }
        ObservedCapability::VolumeExpansion(number) => {
            let name = VolumeExpansion::from_number(number).map(VolumeExpansion::wire_name);
            json!({ "volume_expansion": { "type": named(name, number) } })
        }
        ObservedCapability::Empty => json!({}),
    };
    json!({ "capabilities": capabilities.iter().map(capability).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_the_field_names_of_the_wire_and_numbers_where_nobody_has_a_name() {
        let capabilities = [
            ObservedCapability::Service(1),
            ObservedCapability::Service(7),
            ObservedCapability::VolumeExpansion(1),
            ObservedCapability::Empty,
        ];
        let expected = json!({ "capabilities": [
            { "service": { "type": "CONTROLLER_SERVICE" } },
            { "service": { "type": 7 } },
            { "volume_expansion": { "type": "ONLINE" } },
            {},
        ] });
        assert_eq!(to_json(&capabilities), expected);
    }

    #[test]
    fn text_names_every_kind() {
        let mut out = Vec::new();
        let capabilities = [
            ObservedCapability::Service(2),
            ObservedCapability::Service(7),
            ObservedCapability::VolumeExpansion(2),
            ObservedCapability::VolumeExpansion(0),
            ObservedCapability::Empty,
        ];
        write_text(&mut out, &capabilities).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "VOLUME_ACCESSIBILITY_CONSTRAINTS service\n\
             UNKNOWN(7)                       service\n\
             OFFLINE                          volume_expansion\n\
             UNKNOWN                          volume_expansion\n\
             EMPTY                            neither service nor volume_expansion\n"
        );
    }
}
