use std::{fs, ops::AddAssign, time::Duration};

use anyhow::{Context, Result};
use rustix::param::clock_ticks_per_second;

/// How long a process has run so far, all its threads together; the kernel counts in ticks, which are 10 ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProcessorTime {
    /// In the kernel.
    pub(crate) kernel: Duration,
    /// Outside of it.
    pub(crate) own: Duration,
}

impl ProcessorTime {
    /// That of the process with this number, or `self`.
    pub(crate) fn of(process: &str) -> Result<Self> {
        let path = format!("/proc/{process}/stat");
        let stat = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        Self::parse(&stat, clock_ticks_per_second()).with_context(|| format!("no times in {path}"))
    }

    /// They are the 14th and the 15th word; the second, in parentheses, may have blanks in it.
    fn parse(stat: &str, ticks_a_second: u64) -> Option<Self> {
        let (_, rest) = stat.rsplit_once(") ")?;
        let mut times = rest.split(' ').skip(11).map(|ticks| {
            let ticks: u32 = ticks.parse().ok()?;
            Some(Duration::from_secs(1) * ticks / u32::try_from(ticks_a_second).ok()?)
        });
        let own = times.next()??;
        let kernel = times.next()??;
        Some(Self { kernel, own })
    }

    /// What has been added since.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            kernel: self.kernel.saturating_sub(before.kernel),
            own: self.own.saturating_sub(before.own),
        }
    }

    pub(crate) fn whole(self) -> Duration {
        self.kernel + self.own
    }
}

impl AddAssign for ProcessorTime {
    fn add_assign(&mut self, other: Self) {
        self.kernel += other.kernel;
        self.own += other.own;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_after_a_name_of_any_kind() {
        let millis = |kernel, own| ProcessorTime {
            kernel: Duration::from_millis(kernel),
            own: Duration::from_millis(own),
        };
        let stat = "12 (a) S b) R 1 2 3 4 5 6 7 8 9 10 82 127 0 0 20 0 1";
        assert_eq!(ProcessorTime::parse(stat, 100), Some(millis(1270, 820)));
        assert_eq!(ProcessorTime::parse("12 (a) R 1 2", 100), None);
        assert_eq!(
            millis(30, 50).since(millis(10, 20)),
            millis(20, 30),
            "what was added"
        );
        assert_eq!(
            ProcessorTime::of("no such").unwrap_err().to_string(),
            "cannot read /proc/no such/stat"
        );
    }
}
