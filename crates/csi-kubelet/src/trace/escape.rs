//! One escaping function for each form. All that comes from outside goes through one of them, once.

use std::fmt::Write;

/// How many marks may stand on one letter; more of them would run into the lines above and below.
const MOST_MARKS: usize = 2;

/// The text with all that cannot be seen written out as Rust writes it in a literal: control characters, those that turn the direction of
/// writing around, unassigned ones. Line breaks and tabs stay.
pub(super) fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    let mut marks = 0;
    for c in text.chars() {
        if matches!(c, ' '..='~' | '\n' | '\t') {
            marks = 0;
            seen.push(c);
            continue;
        }
        let escaped = c.escape_debug();
        if escaped.len() == 1 {
            marks = 0;
            seen.push(c);
        } else if marks < MOST_MARKS && !seen.is_empty() && is_mark(c) {
            marks += 1;
            seen.push(c);
        } else {
            seen.extend(escaped);
        }
    }
    seen
}

/// Whether it is drawn onto the character before it. The standard library writes those out at the beginning of a text only.
fn is_mark(c: char) -> bool {
    let on_a_letter: String = ['a', c].iter().collect();
    on_a_letter.escape_debug().count() == 2
}

/// A value for people, who take nothing at all for a mistake of the picture.
pub(super) fn or_empty(value: &str) -> &str {
    if value.is_empty() { "(empty)" } else { value }
}

/// On one line: what the picture shows.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    visible(&words.join(" "))
}

/// As the content of an element or of an attribute, in XML and HTML.
pub(super) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// As the text of a message, a note or a participant in a Mermaid sequence diagram, on one line.
pub(super) fn mermaid(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut word = String::new();
    for c in one_line(text).chars() {
        if c.is_ascii_alphanumeric() {
            word.push(c);
            continue;
        }
        end_word(&mut word, &mut escaped);
        // Mermaid's own way to write a character by its number. It has to be one that its lexer gives a meaning to in no place.
        if c.is_ascii() && !" .,/=()_+-".contains(c) {
            push_number(c, '#', &mut escaped);
        } else {
            escaped.push(c);
        }
    }
    end_word(&mut word, &mut escaped);
    escaped
}

fn end_word(word: &mut String, escaped: &mut String) {
    // Old versions take this word for the end of a block wherever it stands.
    if word.eq_ignore_ascii_case("end") {
        push_number(char::from(word.as_bytes()[0]), '#', escaped);
        word.remove(0);
    }
    escaped.push_str(word);
    word.clear();
}

/// As text in a heading, a paragraph or a table's cell in Markdown, on one line.
pub(super) fn markdown(text: &str) -> String {
    let seen = visible(text);
    let seen = seen.trim();
    let mut escaped = String::with_capacity(seen.len());
    for (at, c) in seen.char_indices() {
        match c {
            '\n' => escaped.push_str("<br>"),
            '\t' => escaped.push(' '),
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '_' | '*' | '[' | ']' | '#' => escaped.extend(['\\', c]),
            // A backslash would be undone by some before a table is cut into its cells.
            '|' | '\\' | '`' | '~' | '!' | '$' | '@' => push_number(c, '&', &mut escaped),
            // No text from outside becomes a link.
            ':' if seen[at..].starts_with("://") => push_number(c, '&', &mut escaped),
            '.' if seen[..at].ends_with("www") => push_number(c, '&', &mut escaped),
            _ => escaped.push(c),
        }
    }
    escaped
}

fn push_number(c: char, before: char, escaped: &mut String) {
    let hash = if before == '&' { "#" } else { "" };
    // Writing to a String does not fail.
    let _ = write!(escaped, "{before}{hash}{};", u32::from(c));
}
