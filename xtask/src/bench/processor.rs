use anyhow::{Context, Result};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Where something runs.
///
/// Where the kernel lets processes run that wait for each other decides more than what they do, and it changes its mind from one
/// second to the next: on one processor a call took 15 µs, on two of them 30 to 60 µs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The last processor, because interrupts tend to be served by the first.
    Shared,
    /// The one before it.
    Apart,
    /// Wherever the kernel puts it.
    Anywhere,
}

/// Whether there are two processors, so that something can run apart.
pub(crate) fn can_be_apart() -> Result<bool> {
    Ok(allowed()?.count() > 1)
}

/// Does it there. Threads and processes that are started by it stay there; this thread goes back.
///
/// # Errors
///
/// Where there is no such processor, or it fails.
pub(crate) fn at<T>(place: Place, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = allowed()?;
    let mut from_the_last = (0..CpuSet::MAX_CPU).rev().filter(|&cpu| before.is_set(cpu));
    let one = match place {
        Place::Anywhere => return work(),
        Place::Shared => from_the_last.next(),
        Place::Apart => from_the_last.nth(1),
    };
    let mut there = CpuSet::new();
    there.set(one.context("there are too few processors")?);
    sched_setaffinity(None, &there).context("cannot choose a processor")?;
    let done = work();
    sched_setaffinity(None, &before).context("cannot go back to all processors")?;
    done
}

fn allowed() -> Result<CpuSet> {
    sched_getaffinity(None).context("cannot ask for the processors")
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn one_processor_is_left_to_what_is_started_there_and_only_until_it_is_done() {
        let before = allowed().unwrap();
        let there = |place| {
            at(place, || {
                let started = thread::spawn(|| allowed().unwrap());
                Ok((allowed()?, started.join().unwrap()))
            })
        };
        let (shared, inherited) = there(Place::Shared).unwrap();
        assert_eq!((shared.count(), inherited), (1, shared));
        assert_eq!(allowed().unwrap(), before);
        assert_eq!(there(Place::Anywhere).unwrap(), (before, before));
        if can_be_apart().unwrap() {
            let (apart, _) = there(Place::Apart).unwrap();
            assert_eq!(apart.count(), 1);
            assert_ne!(apart, shared);
        }
    }

    #[test]
    fn what_there_are_too_few_processors_for_is_an_error() {
        let alone = at(Place::Shared, || at(Place::Apart, || Ok(())));
        assert_eq!(
            alone.unwrap_err().to_string(),
            "there are too few processors"
        );
    }
}
