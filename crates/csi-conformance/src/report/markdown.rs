//! For tickets and pages.

use std::fmt::Write as _;

use super::{Report, callers, fields_of, hex_of, seen_line};
use crate::Finding;

pub(super) fn write(report: &Report<'_>) -> String {
    let mut out = format!(
        "# {}\n\n{}.\n\nAsked: {}, in {:.2} s.\n",
        report.sockets(),
        report.summary(),
        report.calls(),
        report.seen.took.as_secs_f64()
    );
    for what in report.not_judged() {
        // Writing to a text cannot fail, here and below.
        let _ = writeln!(out, "\nNot known: {what}.");
    }
    if !report.findings.is_empty() {
        out.push_str("\n| rule | severity | broken | seen |\n| --- | --- | --- | --- |\n");
    }
    for finding in report.findings {
        let rule = finding.rule;
        let seen: Vec<_> = finding.evidence.iter().map(seen_line).collect();
        let severity = match finding.implied_by {
            Some(cause) => format!("follows from {cause}"),
            None => finding.severity.word().to_owned(),
        };
        let cells = [rule.id, &severity, rule.title, &seen.join("; ")].map(cell);
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    for finding in report
        .findings
        .iter()
        .filter(|finding| finding.implied_by.is_none())
    {
        one(&mut out, finding);
    }
    out
}

fn one(out: &mut String, finding: &Finding) {
    let rule = finding.rule;
    let _ = writeln!(out, "\n## {}: {}\n\n{}\n", rule.id, rule.title, rule.why);
    if !rule.breaks.is_empty() {
        let _ = writeln!(out, "- breaks: {}", callers(rule));
    }
    for (label, text) in [
        ("in Go", rule.go),
        ("in Rust", rule.rust),
        ("from", rule.clause),
    ] {
        let _ = writeln!(out, "- {label}: {text}");
    }
    for bytes in finding.evidence.iter().filter_map(|one| one.bytes.as_ref()) {
        let fields = fields_of(bytes).unwrap_or_default();
        let _ = writeln!(out, "\n```text\n{}\n{}\n```", hex_of(bytes), fields);
    }
}

/// A text between two bars of a table.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
