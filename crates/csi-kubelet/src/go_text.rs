//! Texts as programs in Go write them.

use std::fmt::Write as _;

/// A text in quotes, as Go's `%q` has it.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0b' => out.push_str("\\v"),
            '\x0c' => out.push_str("\\f"),
            _ if is_printable(c) => out.push(c),
            // Writing to a String does not fail.
            _ => {
                let code = u32::from(c);
                let _ = match code {
                    0..0x80 => write!(out, "\\x{code:02x}"),
                    0x80..0x1_0000 => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push('"');
    out
}

/// A JSON text as Go's `encoding/json` writes it, which wants to be safe within HTML.
pub(crate) fn json(value: &serde_json::Value) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a String does not fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

/// As far as Rust and Go agree on what that is.
fn is_printable(c: char) -> bool {
    // Marks count as printable in Go, and in Rust behind another character.
    let mut text = String::from("a");
    text.push(c);
    c == '\'' || text.escape_debug().skip(1).eq([c])
}

#[cfg(test)]
mod tests {
    use super::{json, quote};

    #[test]
    fn json_has_no_signs_of_html() {
        let value = serde_json::json!({"a": "\"é", "b": "<&>\u{2028}"});
        assert_eq!(
            json(&value),
            r#"{"a":"\"é","b":"\u003c\u0026\u003e\u2028"}"#
        );
    }

    #[test]
    fn what_is_not_printable_is_written_as_go_writes_it() {
        for (text, quoted) in [
            ("a.io", r#""a.io""#),
            ("it's \"a\\b\"", r#""it's \"a\\b\"""#),
            ("\t\n\r\x07\x08\x0b\x0c", r#""\t\n\r\a\b\v\f""#),
            ("\0\x01\x7f", r#""\x00\x01\x7f""#),
            ("é日😀 e\u{301}", "\"é日😀 e\u{301}\""),
            ("\u{a0}\u{2028}\u{e0001}", r#""\u00a0\u2028\U000e0001""#),
        ] {
            assert_eq!(quote(text), quoted);
        }
    }
}
