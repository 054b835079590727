//! Checks that cannot be.

use super::assert_wrong;

#[test]
fn a_bad_check_is_told_with_the_remedy() {
    assert_wrong(&[
        (
            "checks:\n- tcp: a:1",
            &["csi.yaml:2:3: found no name in a check; add it, as in name: array"],
        ),
        (
            "checks:\n- name: a",
            &[
                "csi.yaml:2:3: found a check without any of tcp, http, exec, path, mount and grpc; write exactly one of them",
            ],
        ),
        (
            "checks:\n- name: a\n  tcp: a:1\n  path: /x",
            &["csi.yaml:4:3: found tcp and path together in a check; keep one of them"],
        ),
        (
            r#"checks: [{name: a b, tcp: "a:1"}]"#,
            &[
                r#"csi.yaml:1:17: found a bad name: check name "a b" has ' ' at byte 1; allowed are ASCII letters, digits, '-', '_' and '.'"#,
            ],
        ),
        (
            "checks: [{name: a, tcp: a}]",
            &[r#"csi.yaml:1:25: found a bad tcp: address "a" has no port; write host:port"#],
        ),
        (
            "checks: [{name: a, tcp: {host: a, port: 1}}]",
            &[
                r#"csi.yaml:1:25: found no address in tcp; add it, as in address: "array.example.org:3260""#,
                r#"csi.yaml:1:26: found the unknown key "host" in tcp; it has address"#,
                r#"csi.yaml:1:35: found the unknown key "port" in tcp; it has address"#,
            ],
        ),
        (
            r#"checks: [{name: a, http: "https://a/"}]"#,
            &[
                r#"csi.yaml:1:26: found a bad http: url "https://a/" is https, which checks do not speak; use an http:// address of the backend, or exec with a program that does"#,
            ],
        ),
        (
            r#"checks: [{name: a, http: {url: "http://a/", status: 99}}]"#,
            &[
                "csi.yaml:1:53: found the number 99 for status; write a whole number from 200 to 599, in decimal and without quotes",
            ],
        ),
        (
            r#"checks: [{name: a, http: {url: "http://a/", body: ""}}]"#,
            &[
                "csi.yaml:1:51: found a bad body: the text expected in the body is empty, which is in every body; leave it out",
            ],
        ),
        (
            "checks: [{name: a, exec: pg_isready -q}]",
            &[
                r#"csi.yaml:1:26: found the text "pg_isready -q" for exec; no shell is involved, so write a list: ["pg_isready", "-q"]"#,
            ],
        ),
        (
            "checks: [{name: a, exec: []}]",
            &[
                "csi.yaml:1:26: found a bad exec: command is empty; give the program and its arguments as a list",
            ],
        ),
        (
            "checks: [{name: a, exec: [sleep, 5]}]",
            &[r#"csi.yaml:1:34: found the number 5 for exec; it is text, so quote it: "5""#],
        ),
        (
            "checks: [{name: a, path: dev/x}]",
            &[
                r#"csi.yaml:1:26: found a bad path: path "dev/x" does not begin with /; write the whole path"#,
            ],
        ),
        (
            "checks: [{name: a, mount: {path: /x, type: ext4}}]",
            &[r#"csi.yaml:1:38: found the unknown key "type" in mount; it has path and fs_type"#],
        ),
        (
            r#"checks: [{name: a, mount: {path: /x, fs_type: "ext 4"}}]"#,
            &[
                r#"csi.yaml:1:47: found a bad fs_type: "ext 4" names no type of file system; write one word as /proc/self/mountinfo has it, for example ext4"#,
            ],
        ),
        (
            r#"checks: [{name: a, grpc: {endpoint: "unix:///x", service: Health}}]"#,
            &[r#"csi.yaml:1:59: found a bad service: "Health" is none; write csi or health"#],
        ),
        (
            r#"checks: [{name: a, grpc: {endpoint: "unix:///x", health_service: x}}]"#,
            &[
                "csi.yaml:1:66: found a bad health_service: only grpc.health.v1 is asked about it; add service: health or leave it out",
            ],
        ),
        (
            r#"checks: [{name: a, grpc: "x:1"}]"#,
            &[
                r#"csi.yaml:1:26: found a bad grpc: endpoint "x:1" is a network address; only Unix sockets are possible, as in unix:///run/csi/csi.sock"#,
            ],
        ),
        (
            "checks: [{name: a, path: /x, interval: 5}]",
            &[
                "csi.yaml:1:40: found the number 5 for interval; a duration is a number and its unit, as in interval: 5s",
            ],
        ),
        (
            "checks: [{name: a, path: /x, interval: 5 seconds}]",
            &[
                r#"csi.yaml:1:40: found a bad interval: "5 seconds" is no duration; write it as 500ms, 5s, 2m or 1h"#,
            ],
        ),
        (
            "checks: [{name: a, path: /x, interval: 0s}]",
            &[
                "csi.yaml:1:40: found a bad interval: interval is zero; give the time between two runs, for example 5s",
            ],
        ),
        (
            "checks: [{name: a, path: /x, interval: 500ms}]",
            &[
                "csi.yaml:1:40: found a bad interval: timeout 1s is longer than the interval 500ms; make the timeout at most 500ms or the interval at least 1s",
            ],
        ),
        (
            "checks: [{name: a, path: /x, interval: 5s, timeout: 6s}]",
            &[
                "csi.yaml:1:53: found a bad timeout: timeout 6s is longer than the interval 5s; make the timeout at most 5s or the interval at least 6s",
            ],
        ),
        (
            "checks: [{name: a, path: /x, failure_threshold: 0}]",
            &[
                "csi.yaml:1:49: found the number 0 for failure_threshold; write a whole number from 1 to 4294967295, in decimal and without quotes",
            ],
        ),
        (
            "checks: [{name: a, path: /x, on_failure: notready}]",
            &[
                r#"csi.yaml:1:42: found a bad on_failure: "notready" does not say what a failure means; write error or not_ready"#,
            ],
        ),
        (
            "checks:\n- {name: a, path: /x}\n- {name: a, path: /y}",
            &[
                "csi.yaml:3:3: found the check a again; it stands at 2:3 already, so keep one of them",
            ],
        ),
        (
            "checks: {a: {path: /x}}",
            &[
                r#"csi.yaml:1:9: found a mapping for checks; write a list, as in checks: [{name: array, tcp: "array.example.org:3260"}]"#,
            ],
        ),
        (
            "checks: [{name: a, path: /x}]\nprobe: {ready: true}",
            &["csi.yaml:2:1: found probe beside checks, which stands at 1:1; keep one of them"],
        ),
        (
            "probe: {ready: yes}",
            &[
                "csi.yaml:1:16: found the bare word yes for ready; write true or false, without quotes",
            ],
        ),
        (
            r#"probe: {ready: "true"}"#,
            &[
                r#"csi.yaml:1:16: found the text "true" for ready; write true or false, without quotes"#,
            ],
        ),
        (
            "probe: true",
            &[
                "csi.yaml:1:8: found the boolean true for probe; write a mapping, as in probe: {ready: true}",
            ],
        ),
        (
            "probe: {}",
            &["csi.yaml:1:8: found no ready in probe; add it, as in ready: true"],
        ),
        (
            "checks: [{name: a, exec: [sh, -c, null]}]",
            &[r#"csi.yaml:1:35: found null for exec; write text, as in exec: [pg_isready, "-q"]"#],
        ),
        (
            "checks: [{}]",
            &[
                "csi.yaml:1:10: found a check without any of tcp, http, exec, path, mount and grpc; write exactly one of them",
                "csi.yaml:1:10: found no name in a check; add it, as in name: array",
            ],
        ),
        (
            "checks: [array]",
            &[
                r#"csi.yaml:1:10: found the text "array" for checks; write a mapping, as in checks: [{name: array, tcp: "array.example.org:3260"}]"#,
            ],
        ),
        (
            "checks:",
            &[
                r#"csi.yaml:1:7: found nothing for checks; write a list, as in checks: [{name: array, tcp: "array.example.org:3260"}]"#,
            ],
        ),
    ]);
}
