//! The table of rules, as docs/explain.md shows it.

use std::fmt::Write as _;

use crate::explain::rules::CONSUMERS;

/// The rules of every consumer, in the order in which they are tried.
fn page() -> String {
    let mut page = String::new();
    for consumer in CONSUMERS {
        let title = format!("### {}, {}", consumer.name, consumer.version);
        writeln!(
            page,
            "{title}\n\n| when | it | source |\n| --- | --- | --- |"
        )
        .unwrap();
        for rule in consumer.rules.iter().copied().flatten() {
            let outcome = rule.then.words();
            let source = if rule.inferred { "inferred" } else { "code" };
            writeln!(
                page,
                "| {} | **{outcome}**: {} | {source} |",
                rule.when, rule.text
            )
            .unwrap();
        }
        page.push('\n');
    }
    page
}

#[test]
fn the_guide_has_the_rules_that_are_applied() {
    // Not in a package, which has this crate alone.
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/explain.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let page = page();
    assert!(
        guide.contains(&page),
        "write this into docs/explain.md:\n{page}"
    );
}
