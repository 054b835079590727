mod validator;

use serde_json::{Value, json};

use super::{described, schema};
use crate::outline::{Key, Section, Shape};
use crate::section::CONFIGURATION;
use crate::tree::{self, Content, Meaning, Node, Scalar};
use crate::{Configuration, EXAMPLE};
use validator::is_valid;

/// What other readers of YAML 1.2 hand to a schema.
fn as_json(node: &Node) -> Value {
    match &node.content {
        Content::Scalar(Scalar { text, meaning }) => match meaning {
            Meaning::Text | Meaning::OldBoolean | Meaning::Merge => json!(text),
            Meaning::Nothing => Value::Null,
            Meaning::Boolean(boolean) => json!(boolean),
            Meaning::Number => text
                .parse::<i64>()
                .map(Value::from)
                .or_else(|_| text.parse::<f64>().map(Value::from))
                .unwrap_or(Value::Null),
        },
        Content::List(items) => items.iter().map(|item| as_json(item)).collect(),
        Content::Mapping(entries) => entries
            .iter()
            .map(|entry| (entry.key.clone(), as_json(&entry.value)))
            .collect(),
    }
}

/// Whether the schema lets a text through.
fn lets_through(text: &str) -> bool {
    is_valid(&schema(), &as_json(&tree::parse(text).unwrap()))
}

#[test]
fn the_example_and_every_form_of_a_value_are_valid() {
    for text in [
        EXAMPLE,
        "{}",
        "probe: {ready: false}",
        r#"plugin_info: {"name": "csi.huawei.storage", "vendor_version": "2.1.0", "manifest": {"url": "u"}}"#,
        "plugin_capabilities: {capabilities: [NODE_SERVICE, {volume_accessibility_constraints: {required: false}}]}",
        "checks: [{name: a, tcp: {address: a:1}}, {name: b, mount: /x}, {name: c, grpc: /a.sock}, {name: d, http: http://a}]",
        r#"socket: {mode: "0o660"}"#,
    ] {
        assert!(Configuration::from_text(text, "csi.yaml").is_ok(), "{text}");
        assert!(lets_through(text), "{text}");
    }
}

#[test]
fn what_has_the_wrong_form_is_not_valid() {
    for text in [
        "[]",
        "colour: red",
        "endpoint: csi.sock",
        "plugin_info: {name: a.b}",
        "plugin_info: {name: a.b, vendor_version: 1.10}",
        "plugin_info: {name: a.b, vendor_version: '1', manifest: {port: 8080}}",
        "plugin_capabilities: {capabilities: [{service: {type: UNKNOWN}}]}",
        "plugin_capabilities: {capabilities: [{}]}",
        "plugin_capabilities: {capabilities: [{service: {type: NODE_SERVICE}, volume_expansion: {type: ONLINE}}]}",
        "node: {node_id: 0123}",
        "node: {node_id: n, max_volumes_per_node: -1}",
        "node: {node_id: n, accessible_topology: {segments: {}}}",
        "checks: [{name: a}]",
        "checks: [{tcp: a:1}]",
        "checks: [{name: a, tcp: a:1, path: /x}]",
        "checks: [{name: a, exec: pg_isready}]",
        "checks: [{name: a, exec: []}]",
        "checks: [{name: a, path: /x, interval: 5}]",
        "checks: [{name: a, path: /x, interval: 5 s}]",
        "checks: [{name: a, path: /x, failure_threshold: 0}]",
        "{checks: [], probe: {ready: true}}",
        "probe: {ready: yes}",
        "while_starting: starting",
        "socket: {mode: 0660}",
        r#"socket: {mode: "1777"}"#,
        "socket: {group: csi}",
        "socket: {allow_uids: []}",
    ] {
        assert!(
            Configuration::from_text(text, "csi.yaml").is_err(),
            "{text}"
        );
        assert!(!lets_through(text), "{text}");
    }
}

/// Every key of a section and of those inside it.
fn keys(section: &'static Section, found: &mut Vec<&'static Key>) {
    fn inside(shape: &'static Shape, found: &mut Vec<&'static Key>) {
        match shape {
            Shape::Section(section) => keys(section, found),
            Shape::List(item, _) => inside(item, found),
            Shape::Either(shapes) => shapes.iter().for_each(|shape| inside(shape, found)),
            _ => {}
        }
    }
    for key in section.keys {
        found.push(key);
        inside(&key.shape, found);
    }
}

fn all_keys() -> Vec<&'static Key> {
    let mut found = Vec::new();
    keys(&CONFIGURATION, &mut found);
    assert!(found.len() > 30, "{found:?}");
    found
}

#[test]
fn the_example_shows_every_key() {
    for Key { name, .. } in all_keys() {
        // The example prefers the short form of tcp.
        let shown = EXAMPLE.contains(&format!("{name}:"));
        assert!(shown || *name == "address", "{name}");
    }
}

#[test]
fn what_messages_give_as_an_example_is_valid() {
    for key in all_keys() {
        let value = as_json(&tree::parse(key.example).unwrap());
        assert!(
            is_valid(&described(key), &value),
            "{}: {}",
            key.name,
            key.example
        );
    }
}

#[test]
fn without_any_one_line_of_the_example_what_the_reader_accepts_is_valid() {
    let lines: Vec<_> = EXAMPLE.lines().collect();
    let mut accepted = 0;
    for without in 0..lines.len() {
        let mut lines = lines.clone();
        lines.remove(without);
        let text = lines.join("\n");
        if Configuration::from_text(&text, "csi.yaml").is_ok() {
            accepted += 1;
            assert!(lets_through(&text), "{text}");
        }
    }
    assert!(accepted > lines.len() / 2, "{accepted} of {}", lines.len());
}
