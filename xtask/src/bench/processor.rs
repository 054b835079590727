use anyhow::{Context, Result};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps this thread, and every process it starts from now on, on one processor.
///
/// Where the kernel lets caller and server run decides more than what they do: on one processor a call took 15 µs, on two
/// of them 30 to 60 µs, and it changed its mind from one round to the next.
pub(crate) fn stay_on_one() -> Result<()> {
    let allowed = sched_getaffinity(None).context("cannot ask for the processors")?;
    // The last one, because interrupts tend to be served by the first.
    let last = (0..CpuSet::MAX_CPU).rfind(|&cpu| allowed.is_set(cpu));
    let mut one = CpuSet::new();
    one.set(last.context("there is no processor to run on")?);
    sched_setaffinity(None, &one).context("cannot choose a processor")
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn one_processor_is_left_to_the_thread_and_what_it_starts() {
        // A thread of its own, so that no other test is held up.
        let left = thread::spawn(|| {
            stay_on_one().unwrap();
            let started = thread::spawn(|| sched_getaffinity(None).unwrap().count());
            (
                sched_getaffinity(None).unwrap().count(),
                started.join().unwrap(),
            )
        });
        assert_eq!(left.join().unwrap(), (1, 1));
    }
}
