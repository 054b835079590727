use std::time::Duration;

use super::super::figure::WIDTH;
use super::super::look::Look;
use super::super::{Participant, Step, Trace, escape};
use super::at;
use super::markup::{Element, elements};

/// Texts that mean something to one form or another.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        " ",
        "</title></text></g></svg><script>alert(1)</script>",
        "\" onload=\"alert(1)\" x='",
        "]]> <!-- --> &amp; &#60; &",
        "a\0b\u{1b}[31m\u{7f}\u{85}\u{202e}\u{200b}\u{feff}\u{fffe}\u{ffff}",
        "one\r\ntwo\rthree\tfour\u{2028}five",
        "end; END # %% loop",
        "end",
        "```\n| x | y |\n|---|---|\n`code` \\| \\\\ \\",
        "K->>+R: x-->>y",
        "wrap: nowrap: $$x$$",
        "https://example.org @all #1 ![x](http://y) [z](u) *b* _i_ ~~s~~",
        "\u{fdfd}\u{1242b}\u{1f469}\u{200d}\u{1f680} \u{645}\u{631}\u{62d}\u{628}\u{627}",
    ]
    .map(str::to_owned)
    .into();
    texts.push("W".repeat(5_000));
    texts.push("\u{6f22}\u{5b57} ".repeat(2_000));
    texts.push(format!("z{}", "\u{301}".repeat(500)));
    texts.push("a b/".repeat(1_000));
    texts
}

/// Each text in each place of a call, of a note and of a failure, and in headings and titles.
fn trace() -> Trace {
    use Participant::{ApiServer, Kubelet, Registrar};
    let mut trace = Trace::new(texts().concat());
    for text in texts() {
        trace.chapter(text.as_str());
        for (from, to) in [
            (Kubelet, ApiServer),
            (ApiServer, Registrar),
            (Kubelet, Kubelet),
            (Registrar, Registrar),
        ] {
            for good in [None, Some(true), Some(false)] {
                let whole = Step {
                    code: Some(text.clone()),
                    took: Some(Duration::from_secs(1_000_000)),
                    request: vec![(text.clone(), text.clone()), ("n".to_owned(), text.clone())],
                    answer: vec![(text.clone(), text.clone())],
                    message: text.clone(),
                    good,
                    ..Step::call(at(0), from, to, text.as_str())
                };
                trace.push(whole);
                trace.push(Step {
                    good,
                    ..Step::call(at(u64::from(u32::MAX) * 100), from, to, text.as_str())
                });
            }
        }
    }
    assert_eq!(trace.left_out(), 0);
    trace
}

#[test]
fn hostile_texts_leave_the_svg_well_formed() {
    let svg = trace().to_svg();
    let elements = elements(&svg, &[]).unwrap();
    for element in &elements {
        let known = [
            "svg", "title", "desc", "style", "g", "rect", "line", "path", "text",
        ];
        assert!(known.contains(&element.name.as_str()), "{element:?}");
        assert!(
            element
                .attributes
                .iter()
                .all(|(name, _)| !name.starts_with("on")),
            "{element:?}"
        );
    }
}

#[test]
fn hostile_texts_leave_the_page_well_formed_and_without_scripts_and_links() {
    let html = trace().to_html();
    let (doctype, rest) = html.split_at("<!DOCTYPE html>\n".len());
    assert_eq!(doctype, "<!DOCTYPE html>\n");
    let elements = elements(rest, &["meta", "br"]).unwrap();
    for Element {
        name, attributes, ..
    } in &elements
    {
        assert!(
            ![
                "script",
                "a",
                "img",
                "link",
                "iframe",
                "use",
                "image",
                "foreignObject"
            ]
            .contains(&name.as_str())
        );
        let loads = |name: &str| name.starts_with("on") || ["src", "href", "style"].contains(&name);
        assert!(
            attributes.iter().all(|(name, _)| !loads(name)),
            "{attributes:?}"
        );
    }
    let style = elements
        .iter()
        .find(|element| element.name == "style")
        .unwrap();
    assert!(!style.text.contains("url(") && !style.text.contains("@import"));
    let mut ids: Vec<&str> = elements
        .iter()
        .filter_map(|element| element.attribute("id"))
        .collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn tables_have_long_texts_whole() {
    let long = "W".repeat(5_000);
    let trace = trace();
    let cell = |form: String| form.matches(&long).count() >= 24;
    assert!(cell(trace.to_html()) && cell(trace.to_mermaid()) && cell(trace.to_json().to_string()));
    assert!(!trace.to_svg().contains(&long[..1_001]));
}

#[test]
fn no_text_in_the_picture_leaves_its_place() {
    let svg = trace().to_svg();
    for text in elements(&svg, &[]).unwrap() {
        let Some(class) = text.attribute("class").filter(|_| text.name == "text") else {
            continue;
        };
        let Some(look) = Look::ALL.into_iter().find(|look| look.class == class) else {
            assert!(["name", "role"].contains(&class), "{text:?}");
            continue;
        };
        let width = look.width(&text.text) as f64;
        let x = text.number("x");
        let [left, right] = match text.attribute("text-anchor") {
            Some("middle") => [x - width / 2.0, x + width / 2.0],
            Some("end") => [x - width, x],
            _ => [x, x + width],
        };
        assert!(left >= 0.0 && right <= WIDTH as f64, "{text:?}");
        assert!(
            text.text.is_ascii() || text.number("textLength") >= width,
            "{text:?}"
        );
    }
}

#[test]
fn no_line_is_wider_than_its_room() {
    for (look, text, room) in texts()
        .iter()
        .flat_map(|text| Look::ALL.map(|look| (look, text, 212)))
    {
        for line in look.lines(text, room) {
            assert!(look.width(&line) <= room, "{look:?} {line:?}");
        }
    }
}

#[test]
fn each_line_of_a_diagram_is_a_line_that_mermaid_knows() {
    let markdown = trace().to_mermaid();
    let diagrams = markdown
        .split("```mermaid\n")
        .skip(1)
        .map(|rest| rest.split_once("```\n").unwrap().0);
    let mut seen = 0;
    for diagram in diagrams {
        seen += 1;
        assert!(diagram.len() < 50_000);
        let lines = diagram.strip_prefix("sequenceDiagram\n").unwrap().lines();
        for line in lines {
            let (head, text) = match line.strip_prefix("    participant ") {
                Some(_) => continue,
                None => line.split_once(": ").unwrap(),
            };
            let head = head.trim_start();
            let arrow = head.trim_matches(|c: char| "RPKA".contains(c));
            assert!(
                ["->>+", "-->>-", "--x-", "->>", "-x", "Note over "].contains(&arrow),
                "{line:?}"
            );
            let unescaped = text.replace("<br/>", "");
            let words = unescaped.split(|c: char| !c.is_ascii_alphanumeric());
            assert!(
                words.clone().all(|word| !word.eq_ignore_ascii_case("end")),
                "{line:?}"
            );
            let special =
                |c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && !" .,/=()_+-#;".contains(c);
            assert!(
                !unescaped.contains(special) && !text.trim().is_empty(),
                "{line:?}"
            );
        }
    }
    assert!(seen >= texts().len());
}

#[test]
fn each_row_of_a_table_has_eight_cells() {
    let markdown = trace().to_mermaid();
    let rows: Vec<&str> = markdown
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| #"))
        .collect();
    assert_eq!(rows.len(), texts().len() * 24);
    for row in rows {
        assert!(
            row.matches('|').count() == 9 && !row.contains("\\|") && !row.contains('`'),
            "{row:?}"
        );
    }
}

#[test]
fn texts_are_escaped_for_each_form() {
    for (text, xml, mermaid, markdown) in [
        (
            "plain 1.0/a_b",
            "plain 1.0/a_b",
            "plain 1.0/a_b",
            "plain 1.0/a\\_b",
        ),
        (
            "<b>&\"'",
            "&lt;b&gt;&amp;&quot;&#39;",
            "#60;b#62;#38;#34;#39;",
            "&lt;b&gt;&amp;\"'",
        ),
        ("a;#%%", "a;#%%", "a#59;#35;#37;#37;", "a;\\#%%"),
        (
            "The END ends",
            "The END ends",
            "The #69;ND ends",
            "The END ends",
        ),
        ("a\n\nb", "a\n\nb", "a b", "a<br><br>b"),
        (
            "a|b`\\|",
            "a|b`\\|",
            "a#124;b#96;#92;#124;",
            "a&#124;b&#96;&#92;&#124;",
        ),
        (
            "\0\u{202e}x",
            "\\0\\u{202e}x",
            "#92;0#92;u#123;202e#125;x",
            "&#92;0&#92;u{202e}x",
        ),
        (
            "http://www.x @y",
            "http://www.x @y",
            "http#58;//www.x #64;y",
            "http&#58;//www&#46;x &#64;y",
        ),
        (
            "e\u{301}\u{301}\u{301}",
            "e\u{301}\u{301}\\u{301}",
            "e\u{301}\u{301}#92;u#123;301#125;",
            "e\u{301}\u{301}&#92;u{301}",
        ),
    ] {
        let escaped = [
            escape::xml(text),
            escape::mermaid(text),
            escape::markdown(text),
        ];
        assert_eq!(escaped, [xml, mermaid, markdown], "{text:?}");
    }
}
