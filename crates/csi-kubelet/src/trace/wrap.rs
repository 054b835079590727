//! Texts cut to what fits into a picture. Widths are counted in columns of a fixed-pitch font.

/// How many columns a character takes: letters of East Asia and all that came to Unicode later take two.
const fn columns(c: char) -> usize {
    match c {
        '\0'..'\u{1100}' | '\u{2000}'..'\u{2e80}' => 1,
        _ => 2,
    }
}

/// How many columns a text takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// The text in at most so many lines of at most so many columns; an ellipsis stands where something is missing.
///
/// Lines are broken at spaces or after a slash, a comma or an equals sign, else after other punctuation, if there is one in the
/// second half of the line, and anywhere otherwise.
pub(super) fn wrapped(text: &str, room: usize, most: usize) -> Vec<String> {
    let room = room.max(4);
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if lines.len() + 1 >= most {
            lines.push(shortened(rest, room));
            break;
        }
        let fits = fitting(rest, room);
        let line = if fits == rest.len() {
            rest
        } else {
            &rest[..broken(rest, fits)]
        };
        rest = rest[line.len()..].trim_start();
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// The text in at most so many columns, with an ellipsis for what is missing.
pub(super) fn shortened(text: &str, room: usize) -> String {
    if fitting(text, room) == text.len() {
        return text.to_owned();
    }
    let kept = fitting(text, room.saturating_sub(1));
    format!("{}\u{2026}", text[..kept].trim_end())
}

/// How many bytes fit into so many columns.
fn fitting(text: &str, room: usize) -> usize {
    let mut taken = 0;
    for (at, c) in text.char_indices() {
        taken += columns(c);
        if taken > room {
            return at;
        }
    }
    text.len()
}

/// Where the line is broken, given how many bytes of it fit.
fn broken(text: &str, fits: usize) -> usize {
    if text[fits..].starts_with(' ') {
        return fits;
    }
    let after = |ends: &[char]| {
        let last = text[..fits].rfind(ends);
        last.map(|at| at + 1).filter(|&end| end * 2 > fits)
    };
    after(&[' ', '/', ',', '='])
        .or_else(|| after(&['.', '-', '_', ':']))
        .unwrap_or(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_where_it_reads_best_and_never_run_over() {
        for (text, room, most, lines) in [
            ("", 10, 2, vec![]),
            ("short", 10, 2, vec!["short"]),
            ("exactly 10 and on", 10, 2, vec!["exactly 10", "and on"]),
            ("/var/lib/kubelet", 10, 2, vec!["/var/lib/", "kubelet"]),
            ("SERVICE_NAME", 10, 2, vec!["SERVICE_", "NAME"]),
            ("abcdefghijklmno", 10, 2, vec!["abcdefghij", "klmno"]),
            ("a bcdefghijklmno", 10, 2, vec!["a bcdefghi", "jklmno"]),
            (
                "one two three four",
                9,
                2,
                vec!["one two", "three fo\u{2026}"],
            ),
            (
                "\u{4e2d}\u{6587}\u{4e2d}\u{6587}",
                5,
                2,
                vec!["\u{4e2d}\u{6587}", "\u{4e2d}\u{6587}"],
            ),
            (
                "\u{4e2d}\u{6587}\u{4e2d}",
                5,
                1,
                vec!["\u{4e2d}\u{6587}\u{2026}"],
            ),
        ] {
            assert_eq!(wrapped(text, room, most), lines, "{text:?}");
        }
    }
}
