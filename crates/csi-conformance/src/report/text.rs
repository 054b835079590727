//! For people, what breaks first.

use std::fmt::Write as _;

use super::{Report, callers, fields_of, hex_of, seen_line};
use crate::{Finding, Severity};

/// How wide a report is.
const WIDTH: usize = 110;
/// How wide the first column is.
const LABEL: usize = 9;

pub(super) fn write(report: &Report<'_>) -> String {
    let mut out = String::new();
    line(
        &mut out,
        "",
        &format!("{}: {}", report.sockets(), report.summary()),
    );
    let seconds = report.seen.took.as_secs_f64();
    line(
        &mut out,
        "asked",
        &format!("{} in {seconds:.2} s", report.calls()),
    );
    for what in report.not_judged() {
        line(&mut out, "not known", &what);
    }
    for finding in report.findings {
        let is_shown_elsewhere = finding
            .implied_by
            .is_some_and(|cause| report.findings.iter().any(|one| one.rule.id == cause));
        if !is_shown_elsewhere {
            out.push('\n');
            one(&mut out, report, finding);
        }
    }
    out
}

fn one(out: &mut String, report: &Report<'_>, finding: &Finding) {
    /// How much evidence is shown of one rule.
    const SHOWN: usize = 5;
    let rule = finding.rule;
    let head = format!(
        "{} {} broken: {}",
        finding.severity.word(),
        rule.id,
        rule.title
    );
    line(out, "", &head);
    for evidence in finding.evidence.iter().take(SHOWN) {
        line(out, "seen", &seen_line(evidence));
        if let Some(bytes) = &evidence.bytes {
            line(out, "bytes", &hex_of(bytes));
            if let Some(fields) = fields_of(bytes) {
                line(out, "", &format!("  {fields}"));
            }
        }
    }
    if finding.evidence.len() > SHOWN {
        line(
            out,
            "seen",
            &format!("and {} more", finding.evidence.len() - SHOWN),
        );
    }
    line(out, "why", rule.why);
    if finding.severity != Severity::Advice && !rule.breaks.is_empty() {
        line(out, "breaks", &callers(rule));
    }
    line(out, "in Go", rule.go);
    line(out, "in Rust", rule.rust);
    line(out, "from", rule.clause);
    for implied in report.follows_from(rule.id) {
        let seen: Vec<_> = implied.evidence.iter().map(seen_line).collect();
        line(
            out,
            "so too",
            &format!(
                "{} {}: {}",
                implied.rule.id,
                implied.rule.title,
                seen.join("; ")
            ),
        );
    }
}

/// A line with a label, broken between words.
fn line(out: &mut String, label: &str, text: &str) {
    // A heading begins at the margin; so does what is below it, indented.
    let is_heading = label.is_empty() && !text.starts_with(' ');
    let indent = if is_heading { 0 } else { LABEL + 3 };
    let mut start = if is_heading {
        String::new()
    } else {
        format!("  {label:<LABEL$} ")
    };
    let mut column = 0;
    for word in text.split_whitespace() {
        if column > 0 && indent + column + 1 + word.chars().count() > WIDTH {
            out.push('\n');
            start = " ".repeat(indent.max(2));
            column = 0;
        }
        let space = if column == 0 { &*start } else { " " };
        // Writing to a text cannot fail.
        let _ = write!(out, "{space}{word}");
        column += word.chars().count() + usize::from(column > 0);
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn long_lines_are_broken_between_words_below_their_first() {
        let mut out = String::new();
        line(&mut out, "why", &"word ".repeat(22));
        let lines: Vec<_> = out.lines().collect();
        assert_eq!(lines.len(), 2, "{out}");
        assert!(lines[0].starts_with("  why       word"));
        assert!(lines[1].starts_with("            word"));
        assert!(lines[0].len() <= super::WIDTH);
    }
}
