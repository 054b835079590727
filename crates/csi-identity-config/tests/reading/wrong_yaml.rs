//! Texts that are no YAML, or more of it than a configuration may be.

use super::assert_wrong;

#[test]
fn what_is_no_yaml_is_told_with_the_remedy() {
    assert_wrong(&[
        (
            r#"plugin_info: {name: a.b, vendor_version: "1", manifest: {port: 8080, on: x}}"#,
            &[
                r#"csi.yaml:1:70: found the bare word on as a key; a key is text, so quote it: "on""#,
            ],
        ),
        (
            "plugin_info:\n  name: a.b\n  vendor_version: \"1\"\n  name: c.d",
            &[
                r#"csi.yaml:4:3: found the key "name" again; it stands at 2:3 already, so keep one of them"#,
            ],
        ),
        (
            "- a",
            &[
                "csi.yaml:1:1: found a list where keys are expected; write key: value, with a space behind the ':', as in endpoint: unix:///run/csi/csi.sock",
            ],
        ),
        (
            "name:disk.acme.io",
            &[
                r#"csi.yaml:1:1: found the text "name:disk.acme.io" where keys are expected; write key: value, with a space behind the ':', as in endpoint: unix:///run/csi/csi.sock"#,
            ],
        ),
        (
            "",
            &[
                "csi.yaml:1:1: found an empty file; write at least {}, or begin as in endpoint: unix:///run/csi/csi.sock",
            ],
        ),
        (
            "# nothing",
            &[
                "csi.yaml:1:1: found a file without any key; write at least {}, or begin as in endpoint: unix:///run/csi/csi.sock",
            ],
        ),
        (
            "---",
            &[
                "csi.yaml:1:1: found a file without any key; write at least {}, or begin as in endpoint: unix:///run/csi/csi.sock",
            ],
        ),
        (
            "endpoint: /a.sock\n---\nendpoint: /b.sock",
            &[
                "csi.yaml:2:1: found a second document; one file is one configuration, so remove this line and what follows",
            ],
        ),
        (
            "%YAML 1.2\n---\nendpoint: /a.sock",
            &["csi.yaml:1:1: found a YAML directive; leave the line out"],
        ),
        (
            r#"plugin_info: {name: !!str a.b, vendor_version: !v "1"}"#,
            &["csi.yaml:1:21: found the tag !!str; leave it out; what is meant as text is quoted"],
        ),
        (
            "base: &b {x: y}\nnode:\n  <<: *b",
            &[
                "csi.yaml:3:3: found the merge key <<; YAML 1.2 has none, so write the keys out, or give a whole mapping by an alias",
            ],
        ),
        (
            "node: &n {node_id: n, accessible_topology: *n}",
            &[
                "csi.yaml:1:44: found *n inside of what it stands for, which has no end; write the value out",
            ],
        ),
        (
            "node: {node_id: *host}",
            &[
                "csi.yaml:1:17: found *host, but nothing before it is marked &host; mark it, or quote the text that is meant",
            ],
        ),
        (
            "endpoint: /a.sock\r\tnode: {}",
            &["csi.yaml:2:1: found a tab; indent with spaces"],
        ),
        (
            "node:\r\n\tnode_id: a",
            &["csi.yaml:2:1: found a tab; indent with spaces"],
        ),
        (
            "checks:\r  // none\r  - a: b: c",
            &["csi.yaml:2:3: found a comment that begins with //; begin comments with #"],
        ),
        (
            "endpoint: /a.sock\n\tnode: {}",
            &["csi.yaml:2:1: found a tab; indent with spaces"],
        ),
        (
            "node:\n\tnode_id: a",
            &["csi.yaml:2:1: found a tab; indent with spaces"],
        ),
        (
            r#"endpoint: "/a.sock"#,
            &["csi.yaml:1:11: found a quote that is never closed; close it with the same sign"],
        ),
        (
            "checks: [{name: a, path: /x}",
            &["csi.yaml:1:9: found '[', which is never closed; close the list with ']'"],
        ),
        (
            "checks: [{name: a, path: /x]",
            &[
                "csi.yaml:1:10: found '{', which is closed by ']'; close '[' with ']' and '{' with '}'",
            ],
        ),
        (
            "checks: - name: a",
            &[
                "csi.yaml:1:9: found a list item beside its key; write each item on a line of its own, or the list in brackets, as in [a, b]",
            ],
        ),
        (
            "node:\n  node_id: a\n max_volumes_per_node: 1",
            &[
                "csi.yaml:3:2: found something that is no key between the keys of a mapping; write key: value, and indent all keys of the mapping alike",
            ],
        ),
        (
            "endpoint: /a.sock\n  node: x",
            &[
                "csi.yaml:2:7: found ':' behind something that is no key; indent all keys of a mapping alike, put a space behind each ':', and quote texts with ': ' in them",
            ],
        ),
        (
            "plugin_info: {name: a.b, vendor_version: @1}",
            &["csi.yaml:1:42: found '@' at the beginning of a value; quote the value"],
        ),
        (
            r#"plugin_info: {name: "a\q", vendor_version: "1"}"#,
            &[
                "csi.yaml:1:21: found a backslash with something behind it that YAML does not know; write a backslash as \\\\, or put the text in single quotes",
            ],
        ),
        (
            r#"plugin_info: {name: "a\0b", vendor_version: "1"}"#,
            &[
                "csi.yaml:1:21: found NUL in a text; remove it, since no name, path or argument can have one",
            ],
        ),
        (
            r#"plugin_info: {name: 'it's', vendor_version: "1"}"#,
            &[
                "csi.yaml:1:25: found something behind the closing quote; quote the whole text, and write a quote inside it twice, as in 'it''s'",
            ],
        ),
        (
            r#"plugin_info: {"name": "a.b" "vendor_version": "1"}"#,
            &[
                r#"csi.yaml:1:29: found something behind the closing quote; quote the whole text, and write a quote inside it as \"; behind a key comes ':'"#,
            ],
        ),
        (
            "plugin_info: {[a]: b}",
            &["csi.yaml:1:15: found a list as a key; a key is text"],
        ),
        (
            "plugin_info: {1.5: b, : c}",
            &[r#"csi.yaml:1:15: found the number 1.5 as a key; a key is text, so quote it: "1.5""#],
        ),
        (
            "checks: [{name: a, path: *}]",
            &[
                "csi.yaml:1:26: found '*' or '&' without a name behind it; quote the text it belongs to",
            ],
        ),
        (
            "[[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]",
            &["csi.yaml:1:17: found lists and mappings more than 16 deep; no key here needs that"],
        ),
        (
            "// c\n{\"endpoint\": \"/a.sock\"}",
            &["csi.yaml:1:1: found a comment that begins with //; begin comments with #"],
        ),
        (
            r#""node": {"node_id": "n", "node_id": "m"}"#,
            &[
                r#"csi.yaml:1:26: found the key "node_id" again; it stands at 1:10 already, so keep one of them"#,
            ],
        ),
        (
            "node: {node_id: n}\n<<: {}",
            &[
                "csi.yaml:2:1: found the merge key <<; YAML 1.2 has none, so write the keys out, or give a whole mapping by an alias",
            ],
        ),
        (
            "true",
            &[
                "csi.yaml:1:1: found the boolean true where keys are expected; write key: value, with a space behind the ':', as in endpoint: unix:///run/csi/csi.sock",
            ],
        ),
        (
            "a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]",
            &[
                "csi.yaml:4:44: found more than 10000 values, with aliases written out; no configuration needs that many",
            ],
        ),
    ]);
}
