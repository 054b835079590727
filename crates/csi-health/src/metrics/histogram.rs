use std::time::Duration;

use super::exposition::Exposition;

/// Counts durations by bounds that are given anew each time: they are a constant beside its only user.
#[derive(Clone, Copy, Debug)]
pub(super) struct Histogram<const N: usize> {
    /// How many fell between a bound and the one before it.
    buckets: [u64; N],
    count: u64,
    sum: Duration,
}

impl<const N: usize> Default for Histogram<N> {
    fn default() -> Self {
        Self {
            buckets: [0; N],
            count: 0,
            sum: Duration::ZERO,
        }
    }
}

impl<const N: usize> Histogram<N> {
    /// `bounds` ascend. What is equal to a bound is below it.
    pub(super) fn observe(&mut self, bounds: &[f64; N], duration: Duration) {
        let seconds = duration.as_secs_f64();
        let bucket = bounds.partition_point(|bound| *bound < seconds);
        if let Some(bucket) = self.buckets.get_mut(bucket) {
            *bucket += 1;
        }
        self.count += 1;
        self.sum = self.sum.saturating_add(duration);
    }

    pub(super) fn write(
        &self,
        text: &mut Exposition,
        name: &str,
        labels: &[(&str, &str)],
        bounds: &[f64; N],
    ) {
        let bucket_name = format!("{name}_bucket");
        let mut bucket = |bound: &str, count| {
            let mut labels = labels.to_vec();
            labels.push(("le", bound));
            text.count(&bucket_name, &labels, count);
        };
        let mut below = 0;
        for (bound, count) in bounds.iter().zip(self.buckets) {
            below += count;
            bucket(&bound.to_string(), below);
        }
        bucket("+Inf", self.count);
        text.sample(&format!("{name}_sum"), labels, self.sum.as_secs_f64());
        text.count(&format!("{name}_count"), labels, self.count);
    }
}
