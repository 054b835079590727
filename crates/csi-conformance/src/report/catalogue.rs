//! The rules themselves.

use std::fmt::Write as _;

use super::callers;
use super::markdown::cell;
use crate::{Rule, Severity, Theme, rules};

/// All rules for people: a line for each.
#[must_use]
pub fn rules_text() -> String {
    let mut out = String::new();
    let mut theme = None;
    for rule in rules() {
        heading(&mut theme, rule, |heading| {
            out.push_str(if out.is_empty() { "" } else { "\n" });
            out.push_str(heading);
            out.push('\n');
        });
        // Writing to a text cannot fail, here and below.
        let _ = writeln!(
            out,
            "  {:<12} {:<6}  {}",
            rule.id,
            rule.severity.word(),
            rule.title
        );
    }
    out
}

/// All rules as a page, with what is in a finding.
#[must_use]
pub fn rules_markdown() -> String {
    let counted = |severity| rules().filter(|rule| rule.severity == severity).count();
    let [must, breaks, advice] = [Severity::Must, Severity::Breaks, Severity::Advice].map(counted);
    let mut out = format!(
        "# Rules\n\nWhat `csi-identity verify` judges a plugin by: {} rules, of which the specification, gRPC or protobuf demand {must} (MUST),\n\
         {breaks} are about what breaks a caller (BREAKS), and {advice} are advice (ADVICE). An id stays the same for ever. This page is made by\n\
         `csi-identity verify --rules -o markdown`.\n",
        must + breaks + advice
    );
    let mut theme = None;
    for rule in rules() {
        heading(&mut theme, rule, |heading| {
            let _ = writeln!(out, "\n## {heading}");
        });
        // An anchor that stays when the title does not.
        let anchor = rule.id.to_ascii_lowercase();
        let _ = writeln!(
            out,
            "\n### <a id=\"{anchor}\"></a>{}: {}\n\n{}\n",
            rule.id, rule.title, rule.why
        );
        let severity = match rule.severity {
            Severity::Breaks => format!("BREAKS {}", callers(rule)),
            other => other.word().to_owned(),
        };
        let guides = if rule.in_guides {
            "; a MUST in profile document"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "| | |\n| --- | --- |\n| severity | {severity}{guides} |"
        );
        for (label, text) in [
            ("from", rule.clause),
            ("in Go", rule.go),
            ("in Rust", rule.rust),
        ] {
            let _ = writeln!(out, "| {label} | {} |", cell(text));
        }
        if !rule.implied_by.is_empty() {
            let _ = writeln!(out, "| follows from | {} |", rule.implied_by.join(", "));
        }
    }
    out
}

fn heading(theme: &mut Option<Theme>, rule: &Rule, mut write: impl FnMut(&str)) {
    if theme.replace(rule.theme) != Some(rule.theme) {
        write(rule.theme.heading());
    }
}
