//! The other keys.

use super::assert_wrong;

#[test]
fn a_bad_setting_is_told_with_the_remedy() {
    assert_wrong(&[
        (
            "endpoint: csi.sock",
            &[
                r#"csi.yaml:1:11: found a bad endpoint: endpoint "csi.sock" is a relative path; did you mean unix:///csi.sock"#,
            ],
        ),
        (
            "endpoint: tcp://0.0.0.0:10000",
            &[
                r#"csi.yaml:1:11: found a bad endpoint: endpoint "tcp://0.0.0.0:10000" is a network address; only Unix sockets are possible, as in unix:///run/csi/csi.sock"#,
            ],
        ),
        (
            "endpoint: [a]",
            &[
                "csi.yaml:1:11: found a list for endpoint; write text, as in endpoint: unix:///run/csi/csi.sock",
            ],
        ),
        (
            "startup_timeout: 120",
            &[
                "csi.yaml:1:18: found the number 120 for startup_timeout; a duration is a number and its unit, as in startup_timeout: 2m",
            ],
        ),
        (
            "startup_timeout: 0s",
            &[
                "csi.yaml:1:18: found a bad startup_timeout: no plugin is ready in no time; give it some, or leave the key out to wait for ever",
            ],
        ),
        (
            "while_starting: starting",
            &[
                r#"csi.yaml:1:17: found a bad while_starting: "starting" says nothing about the time of starting; write not_ready or error"#,
            ],
        ),
        (
            "while_starting: no",
            &[
                r#"csi.yaml:1:17: found a bad while_starting: "no" says nothing about the time of starting; write not_ready or error"#,
            ],
        ),
        (
            "startup_timeout: 2m\nprobe: {ready: false}",
            &[
                "csi.yaml:1:18: found startup_timeout beside probe: {ready: false}, which answers ready=false for ever and never an error; keep one of them",
            ],
        ),
        (
            "probe: {ready: false}\nwhile_starting: error",
            &[
                "csi.yaml:2:17: found while_starting: error beside probe: {ready: false}, which answers ready=false for ever and never an error; keep one of them",
            ],
        ),
        (
            "gate_on_readiness: on",
            &[
                "csi.yaml:1:20: found the bare word on for gate_on_readiness; write true or false, without quotes",
            ],
        ),
        (
            "socket: {mode: 0660}",
            &[
                r#"csi.yaml:1:16: found the number 0660 for mode; a number may be read as octal or decimal, so quote it: "0660""#,
            ],
        ),
        (
            r#"socket: {mode: "rw"}"#,
            &[
                r#"csi.yaml:1:16: found a bad mode: socket mode "rw" is not octal; write three or four digits from 0 to 7, as in 0660"#,
            ],
        ),
        (
            "socket: {mode: 432}",
            &[
                r#"csi.yaml:1:16: found the number 432 for mode; a number may be read as octal or decimal, so quote it: "432""#,
            ],
        ),
        (
            "socket: {group: csi}",
            &[
                r#"csi.yaml:1:17: found the text "csi" for group; write the number of the group, since names differ between containers, as in group: 1000"#,
            ],
        ),
        (
            r#"socket: {group: "1000"}"#,
            &[
                r#"csi.yaml:1:17: found the text "1000" for group; write a whole number from 0 to 4294967294, in decimal and without quotes"#,
            ],
        ),
        (
            "socket: {group: 4294967295}",
            &[
                "csi.yaml:1:17: found the number 4294967295 for group; write a whole number from 0 to 4294967294, in decimal and without quotes",
            ],
        ),
        (
            "socket: {allow_uids: []}",
            &[
                "csi.yaml:1:22: found a bad allow_uids: nobody could connect; name a uid, or leave the key out to let in all that the mode lets in",
            ],
        ),
        (
            "socket: {allow_uids: [0, root, -1, 0]}",
            &[
                r#"csi.yaml:1:26: found the text "root" for allow_uids; write a whole number from 0 to 4294967294, in decimal and without quotes"#,
                "csi.yaml:1:32: found the number -1 for allow_uids; write a whole number from 0 to 4294967294, in decimal and without quotes",
                "csi.yaml:1:36: found the uid 0 again; it stands at 1:23 already, so keep one of them",
            ],
        ),
        (
            "socket: {allow_uids: 0}",
            &[
                "csi.yaml:1:22: found the number 0 for allow_uids; write a list, as in allow_uids: [0, 1000]",
            ],
        ),
        (
            r#"socket: {permissions: "0660"}"#,
            &[
                r#"csi.yaml:1:10: found the unknown key "permissions" in socket; it has mode, group and allow_uids"#,
            ],
        ),
        (
            "{\n\t\"endpoint\": 5\n}",
            &[r#"csi.yaml:2:14: found the number 5 for endpoint; it is text, so quote it: "5""#],
        ),
        (
            r#"socket: {mode: "1660"}"#,
            &[
                r#"csi.yaml:1:16: found a bad mode: socket mode "1660" has bits above 0777, which mean nothing on a socket; the first of four digits is 0, as in 0660"#,
            ],
        ),
        (
            "endpoint: /run/",
            &[
                r#"csi.yaml:1:11: found a bad endpoint: endpoint "/run/" ends in "/", so it names a directory; name the socket in it, as in unix:///run/csi/csi.sock"#,
            ],
        ),
    ]);
}
