//! What holds for every text, and for every configuration.

use std::fmt::Write as _;

use csi_identity::{Manifest, MaxVolumes, NodeInfo, OfferedService, PluginInfo};
use csi_identity_config::{Configuration, EXAMPLE};
use proptest::prelude::*;

use super::read;

/// Fragments that YAML and the keys are made of, so that chance comes far into the reader.
fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        Just("plugin_info"),
        Just("plugin_capabilities"),
        Just("capabilities"),
        Just("checks"),
        Just("node"),
        Just("name"),
        Just("tcp"),
        Just("exec"),
        Just("socket"),
        Just("mode"),
        Just("probe"),
        Just("segments"),
        Just(": "),
        Just("- "),
        Just("\n"),
        Just("\n  "),
        Just("\n    "),
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(", "),
        Just("\""),
        Just("'"),
        Just("&a "),
        Just("*a"),
        Just("!t "),
        Just("|"),
        Just(">"),
        Just("? "),
        Just("# "),
        Just("---"),
        Just("\\"),
        Just("\t"),
        Just("\r"),
        Just("ä"),
        Just("1.10"),
        Just("0660"),
        Just("true"),
        Just("~"),
        Just("5s"),
        Just("/x"),
        Just("a:1"),
        Just("<<"),
        Just("\u{feff}"),
        Just("\0"),
    ];
    proptest::collection::vec(fragment, 0..60).prop_map(|fragments| fragments.concat())
}

/// Every error is on one line and stands in the text.
fn check_errors(text: &str) -> Result<(), TestCaseError> {
    let Err(errors) = Configuration::from_text(text, "csi.yaml") else {
        return Ok(());
    };
    prop_assert!(errors.iter().count() > 0);
    let lines = text.split('\n').flat_map(|line| line.split('\r')).count();
    for error in &errors {
        let shown = error.to_string();
        prop_assert!(!shown.contains(char::is_control), "{:?}", shown);
        prop_assert!(shown.contains(": found "), "{}", shown);
        let position = error.position();
        prop_assert!((1..=lines).contains(&position.line), "{}", shown);
        prop_assert!((1..=text.len() + 1).contains(&position.column), "{}", shown);
    }
    Ok(())
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>) {
        let _ = Configuration::from_bytes(&bytes, "csi.yaml");
    }

    #[test]
    fn every_error_is_one_line_and_stands_in_the_text(text in prop_oneof![fragments(), any::<String>()]) {
        check_errors(&text)?;
    }

    #[test]
    fn a_changed_example_makes_no_panic(at in 0..EXAMPLE.len(), length in 0..40_usize, by in fragments()) {
        let mut text = EXAMPLE.to_owned();
        let start = text.floor_char_boundary(at);
        let end = text.floor_char_boundary((at + length).min(text.len()));
        text.replace_range(start..end.max(start), &by);
        check_errors(&text)?;
    }

    #[test]
    fn what_is_written_is_read_back(
        name in "[a-z0-9]{1,20}(\\.[a-z0-9]{1,20}){0,1}",
        version in "[^\\pC]{1,30}",
        manifest in proptest::collection::btree_map("[^\\pC]{1,10}", "[^\\x00]{0,20}", 0..5),
        node_id in proptest::option::of("[^\\x00]{1,40}"),
        max_volumes in 0..i64::MAX,
        services in proptest::sample::subsequence(&OfferedService::ALL[..], 0..=5),
    ) {
        let expected = Configuration {
            plugin_info: Some(PluginInfo {
                name: name.parse().unwrap(),
                vendor_version: version.parse().unwrap(),
                manifest: Manifest::try_from(manifest).unwrap(),
            }),
            offered: services.iter().copied().collect(),
            node: node_id.as_deref().map(|node_id| NodeInfo {
                max_volumes_per_node: MaxVolumes::try_from(max_volumes).unwrap(),
                ..NodeInfo::new(node_id.parse().unwrap())
            }),
            ..Configuration::default()
        };
        prop_assert_eq!(read(&written(&expected)), expected);
    }
}

/// The configuration, with every text in JSON.
fn written(configuration: &Configuration) -> String {
    let info = configuration.plugin_info.as_ref().unwrap();
    let manifest: Vec<_> = info
        .manifest
        .iter()
        .map(|(key, value)| format!("{}: {}", json(key), json(value)))
        .collect();
    let services: Vec<_> = configuration
        .offered
        .iter()
        .map(|service| format!("{{\"service\": {{\"type\": \"{service}\"}}}}"))
        .collect();
    let mut text = format!(
        "plugin_info:\n  name: {}\n  vendor_version: {}\n  manifest: {{{}}}\nplugin_capabilities:\n  capabilities: [{}]\n",
        json(info.name.as_str()),
        json(info.vendor_version.as_ref()),
        manifest.join(", "),
        services.join(", "),
    );
    if let Some(node) = &configuration.node {
        let id = json(node.node_id.as_str());
        let max = node.max_volumes_per_node;
        writeln!(text, "node: {{node_id: {id}, max_volumes_per_node: {max}}}").unwrap();
    }
    text
}

fn json(text: &str) -> String {
    let mut escaped = String::new();
    for character in serde_json::to_string(text).unwrap().chars() {
        match character {
            // JSON lets these stand; YAML does not.
            '\u{7f}'..='\u{9f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                write!(escaped, "\\u{:04x}", u32::from(character)).unwrap();
            }
            other => escaped.push(other),
        }
    }
    escaped
}
