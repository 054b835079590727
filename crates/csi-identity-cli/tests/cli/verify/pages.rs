//! The page of the rules and those of the pitfalls lead to each other.

use std::collections::BTreeSet;
use std::fs;

fn page(name: &str) -> String {
    let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
    // Not in a package, which has this crate alone.
    fs::read_to_string(path).unwrap()
}

/// What has an anchor of its own: the anchor, and the text up to the next one.
fn sections(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.split("\n### <a id=\"")
        .skip(1)
        .map(|section| section.split_once("\"></a>").unwrap())
}

/// The anchors on a page that a text links to.
fn links<'a>(text: &'a str, page: &str) -> BTreeSet<&'a str> {
    let start = format!("]({page}#");
    let after = text.split(&*start).skip(1);
    after.map(|link| link.split_once(')').unwrap().0).collect()
}

#[test]
fn each_rule_of_a_pitfall_leads_there_and_back() {
    let rules = page("rules.md");
    for name in ["pitfalls.md", "pitfalls.zh-CN.md"] {
        let there: BTreeSet<_> = sections(&rules)
            .flat_map(|(rule, text)| {
                links(text, name)
                    .into_iter()
                    .map(move |pitfall| (pitfall, rule))
            })
            .collect();
        assert!(!there.is_empty());
        let pitfalls = page(name);
        let back: BTreeSet<_> = sections(&pitfalls)
            .flat_map(|(pitfall, text)| {
                let line = text.lines().find(|line| line.contains("](rules.md#"));
                let line = line.unwrap_or_else(|| panic!("{name}#{pitfall} names no rule"));
                links(line, "rules.md")
                    .into_iter()
                    .map(move |rule| (pitfall, rule))
            })
            .collect();
        assert_eq!(there, back, "{name}");
    }
}

#[test]
fn a_rule_calls_its_pitfall_by_the_heading() {
    let (rules, pitfalls) = (page("rules.md"), page("pitfalls.md"));
    for (pitfall, text) in sections(&pitfalls) {
        let heading = text.lines().next().unwrap();
        let link = format!("[{heading}](pitfalls.md#{pitfall})");
        assert!(rules.contains(&link), "{link}");
    }
}
