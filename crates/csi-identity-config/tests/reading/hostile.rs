//! Files made to hurt: each ends soon, with an error.

use std::time::{Duration, Instant};

use csi_identity_config::{ConfigErrors, Configuration};

use super::assert_wrong;

/// A release build takes milliseconds; this leaves room for a debug build on a busy machine.
const SOON: Duration = Duration::from_secs(10);

fn errors_soon(what: &str, bytes: &[u8]) -> ConfigErrors {
    let begin = Instant::now();
    let result = Configuration::from_bytes(bytes, "csi.yaml");
    let took = begin.elapsed();
    assert!(took < SOON, "{what} took {took:?}");
    result.expect_err(what)
}

#[test]
fn files_that_explode_or_nest_without_end_end_soon() {
    let megabyte = |pattern: &str| pattern.repeat(Configuration::MAX_BYTES / pattern.len());
    let laughs: String = (0..40)
        .map(|level| {
            let inner = match level {
                0 => "x".to_owned(),
                _ => format!("*a{}", level - 1),
            };
            format!("k{level}: &a{level} [{}]\n", vec![inner; 9].join(", "))
        })
        .collect();
    let tower: String = (1..3000)
        .map(|level| format!("- &a{level} [[*a{}]]\n", level - 1))
        .collect();
    let long_text = format!(
        "plugin_info: {{name: &a {}, manifest: {{{}}}}}",
        "x".repeat(1_000_000),
        (0..2_000)
            .map(|at| format!("k{at}: *a, "))
            .collect::<String>()
    );
    for (what, text, message) in [
        ("laughs", laughs, "5:15: found more than 10000 values"),
        (
            "tower",
            format!("- &a0 x\n{tower}"),
            "9:9: found lists and mappings more than 16 deep",
        ),
        (
            "long text",
            long_text,
            "found more than 1048576 bytes of text",
        ),
        (
            "lists",
            megabyte("["),
            "1:17: found lists and mappings more than 16 deep",
        ),
        (
            "mappings",
            megabyte("{a: "),
            "found lists and mappings more than 16 deep",
        ),
        (
            "dashes",
            megabyte("- "),
            "found lists and mappings more than 16 deep",
        ),
        (
            "questions",
            megabyte("? "),
            "found lists and mappings more than 16 deep",
        ),
        ("items", megabyte("-\n"), "found more than 10000 values"),
        (
            "empty items",
            format!("checks: [{}]", "{},".repeat(300_000)),
            "found more than 10000 values",
        ),
        (
            "keys",
            (0..60_000).map(|at| format!("key{at}: x\n")).collect(),
            "found more than 10000 values",
        ),
        ("key", megabyte("k"), "found the text \"kkk"),
        (
            "digits",
            format!("node: {{node_id: {}}}", "1".repeat(1_000_000)),
            "found the number 111",
        ),
        ("anchors", megabyte("&a "), "1:4: found"),
        ("tags", megabyte("!a "), "found"),
        ("aliases", megabyte("*a "), "1:1: found"),
        ("quotes", megabyte("'"), "found"),
        ("open quote", format!("\"{}", megabyte("a")), "found"),
        (
            "comments",
            format!("{}#", megabyte("#\n")),
            "found a file without any key",
        ),
        ("line breaks", megabyte("\n"), "found an empty file"),
        ("spaces", megabyte(" "), "found an empty file"),
        (
            "slashes",
            format!("{}: :", megabyte("//\n").split_off(9)),
            "found a comment that begins with //",
        ),
        (
            "documents",
            megabyte("---\n"),
            "2:1: found a second document",
        ),
    ] {
        let errors = errors_soon(
            what,
            &text.as_bytes()[..text.len().min(Configuration::MAX_BYTES)],
        );
        let shown = errors.to_string();
        assert!(shown.contains(message), "{what}: {shown}");
        assert!(errors.iter().count() <= ConfigErrors::MOST);
        let longest = shown.lines().map(str::len).max();
        assert!(longest < Some(1_000), "{what}: {longest:?}");
    }
}

#[test]
fn many_errors_are_not_all_told() {
    let text: String = (0..4_000).map(|at| format!("key{at}: x\n")).collect();
    let errors = errors_soon("keys", text.as_bytes());
    assert_eq!(errors.iter().count(), ConfigErrors::MOST);
    let last = errors.iter().last().unwrap();
    assert_eq!(
        (last.position().line, last.file()),
        (ConfigErrors::MOST, "csi.yaml")
    );
}

#[test]
fn an_error_that_aliases_repeat_is_told_once() {
    assert_wrong(&[(
        "checks:\n- {name: a, path: &p x}\n- {name: b, path: *p}\n",
        &[
            r#"csi.yaml:2:22: found a bad path: path "x" does not begin with /; write the whole path"#,
        ],
    )]);
}

#[test]
fn a_file_at_the_limit_is_read_and_one_beyond_is_not() {
    let mut text = "node: {node_id: n} #".to_owned();
    text.push_str(&" ".repeat(Configuration::MAX_BYTES - text.len()));
    assert!(Configuration::from_text(&text, "csi.yaml").is_ok());
    text.push(' ');
    let line = "csi.yaml:1:1: found a file of 1048577 bytes, the limit is 1048576; this is probably not the file that \
                was meant";
    assert_wrong(&[(&text, &[line])]);
    assert_eq!(
        errors_soon("a large file", text.as_bytes()).to_string(),
        line
    );
}

#[test]
fn bytes_that_are_no_text_are_told_with_their_place() {
    for (bytes, line) in [
        (
            &b"node:\n  \xc3\xa4\xff"[..],
            "csi.yaml:2:4: found the byte 0xff, which is not UTF-8; save the file as UTF-8",
        ),
        (
            b"\xff\xfen\0",
            "csi.yaml:1:1: found UTF-16 or UTF-32; save the file as UTF-8",
        ),
        (
            b"node:\r\n  n\0",
            "csi.yaml:2:4: found the control character U+0000; remove it",
        ),
        (
            b"a: \x1b[31m",
            "csi.yaml:1:4: found the control character U+001B; remove it",
        ),
        (
            b"\xef\xbb\xbfa: \xef\xbb\xbfb",
            "csi.yaml:1:4: found the control character U+FEFF; remove it",
        ),
        (
            b"",
            "csi.yaml:1:1: found an empty file; write at least {}, or begin as in endpoint: unix:///run/csi/csi.sock",
        ),
    ] {
        assert_eq!(errors_soon("no text", bytes).to_string(), line);
    }
}

#[test]
fn a_file_name_cannot_break_the_line() {
    let errors = Configuration::from_text("- a", "a\nb\u{1b}.yaml").unwrap_err();
    let shown = errors.to_string();
    assert!(
        shown.starts_with(r"a\nb\u{1b}.yaml:1:1: found a list"),
        "{shown}"
    );
}
