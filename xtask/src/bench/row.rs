use super::statistics::median;
use crate::table;

/// A line of a table in which ours is compared with something.
pub(crate) struct Row {
    pub(crate) what: String,
    /// What ours is compared with.
    pub(crate) base: String,
    pub(crate) ours: String,
    pub(crate) ratio: Option<f64>,
    pub(crate) bound: Option<Bound>,
}

pub(crate) struct Bound {
    pub(crate) text: &'static str,
    pub(crate) met: bool,
}

impl Row {
    pub(crate) fn render([base, ours]: [&str; 2], rows: impl IntoIterator<Item = Self>) -> String {
        let header = ["what", base, ours, "ratio", "must be", ""].map(str::to_owned);
        let rows = rows.into_iter().map(|row| {
            let ratio = row.ratio.map(|ratio| format!("{ratio:.3}"));
            let bound = row.bound.as_ref().map(|bound| bound.text.to_owned());
            let verdict = row.bound.map(|bound| {
                if bound.met {
                    "met".to_owned()
                } else {
                    "**not met**".to_owned()
                }
            });
            [
                row.what,
                row.base,
                row.ours,
                ratio.unwrap_or_default(),
                bound.unwrap_or_default(),
                verdict.unwrap_or_default(),
            ]
        });
        table::render(header, rows)
    }
}

/// A number with a comma before every third digit from the right.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The median, with the lowest and the highest value.
pub(super) fn spread(values: &[f64], unit: &str, show: impl Fn(f64) -> String) -> String {
    let middle = show(median(values.iter().copied()));
    let low = show(values.iter().copied().fold(f64::INFINITY, f64::min));
    let high = show(values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    format!("{middle}{unit} ({low} to {high})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_the_median_first() {
        let show = |value| format!("{value:.1}");
        assert_eq!(spread(&[3.0, 1.0, 5.0], " MB", show), "3.0 MB (1.0 to 5.0)");
        assert_eq!(spread(&[7.0], "", show), "7.0 (7.0 to 7.0)");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (2_000, "2,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), expected);
        }
    }
}
