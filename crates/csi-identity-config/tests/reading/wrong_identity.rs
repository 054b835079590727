//! What is said of the plugin and its node, wrongly.

use super::assert_wrong;

#[test]
fn what_is_said_wrongly_of_the_plugin_is_told_with_the_remedy() {
    assert_wrong(&[
        (
            "plugin_info:\n  name: foo/bar\n  vendor_version: \"1.0\"",
            &[
                "csi.yaml:2:9: found a bad name: plugin name has '/' at byte 3; allowed are ASCII letters, digits, '-' and '.'",
            ],
        ),
        (
            "plugin_info:\n  name: disk.acme.io\n  vendor_version: 1.10",
            &[
                r#"csi.yaml:3:19: found the number 1.10 for vendor_version; it is text, so quote it: "1.10""#,
            ],
        ),
        (
            "plugin_info:\n  name: yes\n  vendor_version: v1",
            &[r#"csi.yaml:2:9: found the bare word yes for name; it is text, so quote it: "yes""#],
        ),
        (
            "plugin_info:\n  name: [a]\n  vendor_version: {}",
            &[
                "csi.yaml:2:9: found a list for name; write text, as in name: disk.example.org",
                r#"csi.yaml:3:19: found a mapping for vendor_version; write text, as in vendor_version: "1.2.3""#,
            ],
        ),
        (
            "plugin_info:\n  name:\n  vendor_version: ~",
            &[
                "csi.yaml:2:7: found nothing for name; write text, as in name: disk.example.org",
                r#"csi.yaml:3:19: found null for vendor_version; write text, as in vendor_version: "1.2.3""#,
            ],
        ),
        (
            r#"plugin_info: {name: a.b, vendor_version: "", manifest: {"": x}}"#,
            &[
                "csi.yaml:1:42: found a bad vendor_version: vendor version is empty; give one such as 1.0.0",
                "csi.yaml:1:56: found a bad manifest: manifest has an entry without a key; name it or leave it out",
            ],
        ),
        (
            r#"plugin_info: {name: a.b, vendor_version: "1", manifest: {port: 8080, tls: true, x: 0x1F}}"#,
            &[
                r#"csi.yaml:1:64: found the number 8080 for manifest; it is text, so quote it: "8080""#,
                r#"csi.yaml:1:75: found the boolean true for manifest; it is text, so quote it: "true""#,
                r#"csi.yaml:1:84: found the number 0x1F for manifest; it is text, so quote it: "0x1F""#,
            ],
        ),
        (
            r#"plugin_info: {name: a.b, vendor_version: "1", manifest: [a]}"#,
            &[
                r#"csi.yaml:1:57: found a list for manifest; write a mapping, as in manifest: {url: "https://disk.example.org"}"#,
            ],
        ),
        (
            "plugin_info:\n  nmae: a.b",
            &[
                r#"csi.yaml:2:3: found the unknown key "nmae" in plugin_info; did you mean name?"#,
                r#"csi.yaml:2:3: found no vendor_version in plugin_info; add it, as in vendor_version: "1.2.3""#,
            ],
        ),
        (
            r#"plugin_info: {name: a.b, vendor_version: "1", colour: red}"#,
            &[
                r#"csi.yaml:1:47: found the unknown key "colour" in plugin_info; it has name, vendor_version and manifest"#,
            ],
        ),
        (
            "node: {node_id: <<}",
            &[
                r#"csi.yaml:1:17: found the bare word << for node_id; it is text, so quote it: "<<""#,
            ],
        ),
        (
            "pluginInfo: {}",
            &[
                r#"csi.yaml:1:1: found the unknown key "pluginInfo" in the configuration; did you mean plugin_info?"#,
            ],
        ),
        (
            "plugin_info: null",
            &[
                r#"csi.yaml:1:14: found null for plugin_info; write a mapping, as in plugin_info: {name: disk.example.org, vendor_version: "1.2.3"}"#,
            ],
        ),
        (
            "name: disk.acme.io\nvendor_version: \"1.0\"",
            &[
                r#"csi.yaml:1:1: found the unknown key "name" in the configuration; it belongs in plugin_info"#,
                r#"csi.yaml:2:1: found the unknown key "vendor_version" in the configuration; it belongs in plugin_info"#,
            ],
        ),
        (
            "plugin_capabilities: {capabilities: [{service: {type: UNKNOWN}}]}",
            &[
                "csi.yaml:1:55: found a bad type: service UNKNOWN carries no meaning and is never sent; leave it out",
            ],
        ),
        (
            "plugin_capabilities: {capabilities: [{service: {type: Controller}}]}",
            &[
                r#"csi.yaml:1:55: found a bad type: "Controller" is no service; did you mean CONTROLLER_SERVICE?"#,
            ],
        ),
        (
            "plugin_capabilities: {capabilities: [{service: {type: 1}}, 7, [a]]}",
            &[
                "csi.yaml:1:55: found the number 1 for type; write CONTROLLER_SERVICE, NODE_SERVICE, GROUP_CONTROLLER_SERVICE, SNAPSHOT_METADATA_SERVICE or VOLUME_ACCESSIBILITY_CONSTRAINTS",
                "csi.yaml:1:60: found the number 7 for capabilities; write names or mappings, as in capabilities: [CONTROLLER_SERVICE]",
                "csi.yaml:1:63: found a list for capabilities; write names or mappings, as in capabilities: [CONTROLLER_SERVICE]",
            ],
        ),
        (
            "plugin_capabilities: {capabilities: [ONLINE]}",
            &[
                r#"csi.yaml:1:38: found a bad capabilities: "ONLINE" is no service but a volume expansion; write {volume_expansion: {type: ONLINE}}"#,
            ],
        ),
        (
            "plugin_capabilities: {capabilities: [{volume_expansion: {type: ofline}}]}",
            &[
                r#"csi.yaml:1:64: found a bad type: "ofline" is no volume expansion; did you mean OFFLINE?"#,
            ],
        ),
        (
            "plugin_capabilities: {capabilities: [{volume_expansion: {type: 1}}]}",
            &[
                "csi.yaml:1:64: found the number 1 for type; write ONLINE, OFFLINE, online or offline",
            ],
        ),
        (
            "plugin_capabilities: {capabilities: [{}]}",
            &[
                "csi.yaml:1:38: found a capability without any of service, volume_expansion and volume_accessibility_constraints; write exactly one of them",
            ],
        ),
        (
            "plugin_capabilities:\n  capabilities:\n  - service: {type: NODE_SERVICE}\n    volume_expansion: {type: ONLINE}",
            &[
                "csi.yaml:4:5: found service and volume_expansion together in a capability; keep one of them",
            ],
        ),
        (
            "plugin_capabilities:\n  capabilities:\n  - CONTROLLER_SERVICE\n  - {service: {type: CONTROLLER_SERVICE}}",
            &[
                "csi.yaml:4:5: found the capability CONTROLLER_SERVICE again; it stands at 3:5 already, so keep one of them",
            ],
        ),
        (
            r#"plugin_capabilities: {capabilities: [{volume_accessibility_constraints: {required: "true"}}]}"#,
            &[
                r#"csi.yaml:1:84: found the text "true" for required; write true or false, without quotes"#,
            ],
        ),
        (
            "plugin_capabilities: {capabilities: [{volume_accessibility_constraints: {}}]}",
            &[
                "csi.yaml:1:73: found no required in volume_accessibility_constraints; add it, as in required: true",
            ],
        ),
        (
            "plugin_capabilities: {capabilities: CONTROLLER_SERVICE}",
            &[
                r#"csi.yaml:1:37: found the text "CONTROLLER_SERVICE" for capabilities; write a list, as in capabilities: [CONTROLLER_SERVICE]"#,
            ],
        ),
        (
            "plugin_capabilities: [CONTROLLER_SERVICE]",
            &[
                "csi.yaml:1:22: found a list for plugin_capabilities; write a mapping, as in plugin_capabilities: {capabilities: [CONTROLLER_SERVICE]}",
            ],
        ),
        (
            "node: {node_id: 0123}",
            &[
                r#"csi.yaml:1:17: found the number 0123 for node_id; it is text, so quote it: "0123""#,
            ],
        ),
        (
            r#"node: {node_id: ""}"#,
            &[
                "csi.yaml:1:17: found a bad node_id: node id is empty; give the name under which the storage system knows this node",
            ],
        ),
        (
            "node: {max_volumes_per_node: 4}",
            &["csi.yaml:1:7: found no node_id in node; add it, as in node_id: node-1"],
        ),
        (
            "node: {node_id: n, max_volumes_per_node: -1}",
            &[
                "csi.yaml:1:42: found the number -1 for max_volumes_per_node; write a whole number from 0 to 9223372036854775807, in decimal and without quotes",
            ],
        ),
        (
            r#"node: {node_id: n, max_volumes_per_node: "16"}"#,
            &[
                r#"csi.yaml:1:42: found the text "16" for max_volumes_per_node; write a whole number from 0 to 9223372036854775807, in decimal and without quotes"#,
            ],
        ),
        (
            "node: {node_id: n, max_volumes_per_node: 99999999999999999999}",
            &[
                "csi.yaml:1:42: found the number 99999999999999999999 for max_volumes_per_node; write a whole number from 0 to 9223372036854775807, in decimal and without quotes",
            ],
        ),
        (
            "node: {node_id: n, max_volumes_per_node: 010}",
            &[
                "csi.yaml:1:42: found the number 010 for max_volumes_per_node; write a whole number from 0 to 9223372036854775807, in decimal and without quotes",
            ],
        ),
        (
            "node: {nodeId: n}",
            &[r#"csi.yaml:1:8: found the unknown key "nodeId" in node; did you mean node_id?"#],
        ),
        (
            "node: {node_id: n, accessible_topology: {zone: z1}}",
            &[
                "csi.yaml:1:41: found no segments in accessible_topology; add it, as in segments: {topology.disk.example.org/zone: z1}",
                r#"csi.yaml:1:42: found the unknown key "zone" in accessible_topology; it has segments"#,
            ],
        ),
        (
            "node: {node_id: n, accessible_topology: {segments: {}}}",
            &[
                "csi.yaml:1:52: found a bad segments: topology has no segments; give one or leave the topology out",
            ],
        ),
        (
            "node:\n  node_id: n\n  accessible_topology:\n    segments:\n      a.io/zone: z1\n      b.io/rack: r1",
            &[
                "csi.yaml:6:7: found a bad segments: topology keys a.io/zone and b.io/rack differ in their prefix; use the same one for all keys",
            ],
        ),
        (
            "node: {node_id: n, accessible_topology: {segments: {a.io/zone: z1, a.io/Zone: z2}}}",
            &[
                "csi.yaml:1:68: found a bad segments: topology keys a.io/zone and a.io/Zone are the same; letter case does not count, so keep one of them",
            ],
        ),
        (
            r#"node: {node_id: n, accessible_topology: {segments: {"a b": z1, c: "x/y"}}}"#,
            &[
                r#"csi.yaml:1:53: found a bad segments: topology key "a b" has a bad name; allowed are letters, digits, '-', '_' and '.', with a letter or digit at both ends"#,
                r#"csi.yaml:1:67: found a bad segments: "x/y" must be letters, digits, '-', '_' and '.', with a letter or digit at both ends"#,
            ],
        ),
        (
            "node: {node_id: n, accessible_topology: {segments: {zone: 1}}}",
            &[r#"csi.yaml:1:59: found the number 1 for segments; it is text, so quote it: "1""#],
        ),
        (
            "node: {node_id: n, max_volumes_per_node: 1.5}",
            &[
                "csi.yaml:1:42: found the number 1.5 for max_volumes_per_node; write a whole number from 0 to 9223372036854775807, in decimal and without quotes",
            ],
        ),
        (
            "plugin_capabilities: {capabilities: [{volume_accessibility_constraint: {required: true}}]}",
            &[
                r#"csi.yaml:1:39: found the unknown key "volume_accessibility_constraint" in a capability; did you mean volume_accessibility_constraints?"#,
            ],
        ),
    ]);
}
