/// How much of a text from elsewhere is kept, in bytes.
const MAX_LEN: usize = 1024;

/// A text from elsewhere as one line of bounded length without control characters.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > MAX_LEN {
            line.truncate(line.floor_char_boundary(MAX_LEN));
            line.push_str(" ...");
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::{MAX_LEN, one_line};

    #[test]
    fn a_text_becomes_one_line_of_bounded_length() {
        for (text, line) in [
            ("", ""),
            ("plain", "plain"),
            (" a\n\tb\r\n  c\u{7}d ", "a b c d"),
        ] {
            assert_eq!(one_line(text), line);
        }
        let long = one_line(&"\u{e4}".repeat(MAX_LEN));
        assert_eq!(long, format!("{} ...", "\u{e4}".repeat(MAX_LEN / 2)));
    }
}
