use std::time::Duration;

/// The value that `percent` of the values do not exceed (nearest rank); zero where there are none.
pub(crate) fn percentile(values: &mut [Duration], percent: usize) -> Duration {
    values.sort_unstable();
    let rank = (values.len() * percent).div_ceil(100);
    values
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or_default()
}

/// The middle value; the mean of the two in the middle where their number is even, NaN where there are none.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.get(middle) {
        None => f64::NAN,
        Some(&upper) if values.len() % 2 == 1 => upper,
        Some(&upper) => f64::midpoint(values[middle - 1], upper),
    }
}

/// The middle of how many times as much each value is as the base that was measured with it.
pub(crate) fn median_ratio(values: &[f64], bases: &[f64]) -> f64 {
    median(values.iter().zip(bases).map(|(value, base)| value / base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let millis = |values: &[u64]| {
            values
                .iter()
                .copied()
                .map(Duration::from_millis)
                .collect::<Vec<_>>()
        };
        for (values, percent, expected) in [
            (&[][..], 50, 0),
            (&[7], 50, 7),
            (&[7], 99, 7),
            (&[3, 1, 2], 50, 2),
            (&[4, 3, 1, 2], 50, 2),
            (&(1..=100).rev().collect::<Vec<_>>(), 99, 99),
            (&(1..=101).rev().collect::<Vec<_>>(), 99, 100),
        ] {
            assert_eq!(
                percentile(&mut millis(values), percent),
                Duration::from_millis(expected),
                "{values:?}"
            );
        }
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([4.0, 3.0, 1.0, 2.0]), 2.5);
        assert!(median([]).is_nan());
    }

    #[test]
    fn ratios_are_those_of_values_measured_together() {
        assert_eq!(median_ratio(&[1.0, 30.0, 4.0], &[2.0, 60.0, 4.0]), 0.5);
    }
}
