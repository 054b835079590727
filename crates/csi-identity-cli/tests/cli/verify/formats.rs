//! How reports are written.

use std::fs;

use super::{info, plugin, verify};
use crate::fake_plugin::Reply;
use crate::program::{Ran, run, temporary_folder};

#[test]
fn the_text_says_what_was_seen_why_it_matters_and_what_to_do() {
    let plugin = plugin(|script| script.info = Reply::Ok(info("my_disk.acme.io")));
    let ran = verify(plugin.socket(), &[]);
    assert_eq!((ran.code, &*ran.stderr), (1, ""));
    let path = plugin.socket().display();
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert!(
        lines[0].starts_with(&format!(
            "{path}: fails by profile kubernetes: 1 MUST, 0 BREAKS, 0 ADVICE of "
        )),
        "{}",
        lines[0]
    );
    let start = lines.iter().position(|line| line.is_empty()).unwrap();
    assert_eq!(
        lines[start + 1..].join("\n") + "\n",
        include_str!("underscore.txt")
    );
}

#[test]
fn several_formats_are_written_at_once() {
    let folder = temporary_folder();
    let plugin = plugin(|script| script.info = Reply::Ok(info("a<b&c")));
    let file = |name: &str| folder.path().join(name).display().to_string();
    let formats = [
        format!("json={}", file("report.json")),
        format!("junit={}", file("report.xml")),
        format!("markdown={}", file("report.md")),
    ];
    let arguments: Vec<_> = formats
        .iter()
        .flat_map(|format| ["--format", &**format])
        .collect();
    assert_eq!(verify(plugin.socket(), &arguments), Ran::quiet(1, ""));
    let read = |name: &str| fs::read_to_string(file(name)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&read("report.json")).unwrap();
    assert_eq!(json["findings"][0]["id"], "CSI-ID-012");
    assert_eq!(
        json["findings"][0]["evidence"][0]["bytes"],
        "0a 05 61 3c 62 26 63 12 05 31 2e 32 2e 33"
    );
    let junit = read("report.xml");
    assert_eq!(
        junit.matches("<testcase ").count(),
        json["rules"].as_array().unwrap().len()
    );
    assert_eq!(junit.matches("<failure ").count(), 1);
    assert!(
        junit.contains("name is &quot;a&lt;b&amp;c&quot;"),
        "{junit}"
    );
    assert!(read("report.md").contains("\n## CSI-ID-012: "));
}

#[test]
fn a_file_that_cannot_be_written_is_no_verdict() {
    let plugin = plugin(|_| {});
    let ran = verify(plugin.socket(), &["-o", "junit=/nonexistent/report.xml"]);
    let expected =
        "error: cannot write /nonexistent/report.xml: No such file or directory (os error 2)\n";
    assert_eq!(ran, Ran::error(2, expected));
}

#[test]
fn the_page_of_rules_is_what_is_written() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules.md");
    let ran = run(["verify", "--rules", "-o", "markdown"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    // Not in a package, which has this crate alone.
    let shown = fs::read_to_string(page).unwrap();
    assert!(
        ran.stdout == shown,
        "write docs/rules.md anew: csi-identity verify --rules -o markdown=docs/rules.md"
    );
}

#[test]
fn rules_are_listed_a_line_for_each() {
    let ran = run(["verify", "--rules"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let line = "  CSI-ID-010   MUST    the name is not empty";
    assert!(
        ran.stdout.lines().any(|other| other == line),
        "{}",
        ran.stdout
    );
    let ran = run(["verify", "--rules", "-o", "junit"]);
    assert_eq!(
        ran,
        Ran::error(2, "error: rules are listed as text or markdown\n")
    );
}
