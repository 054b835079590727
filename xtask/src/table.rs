//! Tables for people, in Markdown.

/// Renders a table whose columns are aligned in the text as well.
pub(crate) fn render<const COLUMNS: usize>(
    header: [String; COLUMNS],
    rows: impl IntoIterator<Item = [String; COLUMNS]>,
) -> String {
    let rule = std::array::from_fn(|_| "---".to_owned());
    let lines: Vec<[String; COLUMNS]> = [header, rule].into_iter().chain(rows).collect();
    let widths: [usize; COLUMNS] = std::array::from_fn(|column| {
        let widths = lines.iter().map(|line| line[column].chars().count());
        widths.max().unwrap_or_default()
    });
    let mut table = String::new();
    for line in &lines {
        for (text, width) in line.iter().zip(widths) {
            table.push_str(&format!("| {text:width$} "));
        }
        table.push_str("|\n");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_text() {
        let rows = [["45 µs", ""], ["1", "2"]].map(|row| row.map(str::to_owned));
        assert_eq!(
            render(["time", "what"].map(str::to_owned), rows),
            "\
| time  | what |
| ---   | ---  |
| 45 µs |      |
| 1     | 2    |
"
        );
    }
}
