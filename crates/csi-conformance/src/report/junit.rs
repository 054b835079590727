//! For CI: a test case for each rule, by theme.

use std::fmt::Write as _;

use super::{Report, callers, seen_line};
use crate::{Finding, Severity, Theme};

pub(super) fn write(report: &Report<'_>) -> String {
    let mut suites = Vec::<(Theme, Vec<String>, usize)>::new();
    for (rule, severity) in report.rules() {
        let finding = report
            .findings
            .iter()
            .find(|finding| finding.rule.id == rule.id);
        let is_failure = finding.is_some_and(|finding| finding.fails(report.strict));
        let name = escaped(&format!("{} {}", rule.id, rule.title));
        let class = escaped(&format!("csi-identity.{}", severity.word()));
        let case = match finding {
            None => format!("    <testcase classname=\"{class}\" name=\"{name}\"/>\n"),
            Some(finding) => format!(
                "    <testcase classname=\"{class}\" name=\"{name}\">\n{}    </testcase>\n",
                outcome(finding, is_failure)
            ),
        };
        match suites.last_mut() {
            Some((theme, cases, failures)) if *theme == rule.theme => {
                cases.push(case);
                *failures += usize::from(is_failure);
            }
            _ => suites.push((rule.theme, vec![case], usize::from(is_failure))),
        }
    }
    let tests: usize = suites.iter().map(|(_, cases, _)| cases.len()).sum();
    let failures: usize = suites.iter().map(|(.., failures)| failures).sum();
    let time = report.seen.took.as_secs_f64();
    let name = escaped(&format!("csi-identity verify {}", report.sockets()));
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" time=\"{time:.3}\">\n"
    );
    for (theme, cases, failures) in suites {
        let name = escaped(theme.heading());
        // Writing to a text cannot fail.
        let _ = writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{failures}\">",
            cases.len()
        );
        out.extend(cases);
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn outcome(finding: &Finding, is_failure: bool) -> String {
    let rule = finding.rule;
    let seen: Vec<_> = finding.evidence.iter().map(seen_line).collect();
    let seen = seen.join("\n");
    if let Some(cause) = finding.implied_by {
        let text = escaped(&format!("follows from {cause}: {seen}"));
        return format!("      <skipped message=\"{text}\"/>\n");
    }
    let breaks = match (finding.severity, callers(rule)) {
        (Severity::Breaks, callers) => format!("\nbreaks: {callers}"),
        _ => String::new(),
    };
    let text = escaped(&format!(
        "{seen}\nwhy: {}{breaks}\nin Go: {}\nin Rust: {}\nfrom: {}",
        rule.why, rule.go, rule.rust, rule.clause
    ));
    if is_failure {
        let message = escaped(finding.evidence.first().map_or("", |one| &one.seen));
        let kind = finding.severity.word();
        return format!("      <failure type=\"{kind}\" message=\"{message}\">{text}</failure>\n");
    }
    format!("      <system-out>{text}</system-out>\n")
}

/// As text and in attributes; what XML 1.0 cannot hold at all is shown by its number.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn what_xml_does_not_take_is_escaped() {
        assert_eq!(
            escaped("a<b>&\"c\"\u{1b}\n\u{ffff}"),
            "a&lt;b&gt;&amp;&quot;c&quot;\\u{1b}&#10;\u{fffd}"
        );
    }
}
