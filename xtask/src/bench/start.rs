use std::time::{Duration, Instant};

use anyhow::Result;

use super::{Plan, statistics::percentile, subject::Subject};

/// Medians, over many starts in turn, of the time from the start of the process to its first answer.
pub(crate) fn measure(stock: &Subject, ours: &Subject, plan: Plan) -> Result<[Duration; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..plan.starts {
        for (subject, times) in [stock, ours].into_iter().zip(&mut times) {
            let start = Instant::now();
            let mut server = subject.start()?;
            server.await_answer()?;
            times.push(start.elapsed());
        }
    }
    Ok(times.map(|mut times| percentile(&mut times, 50)))
}
