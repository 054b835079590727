use std::thread;

use anyhow::Result;

use super::{Plan, subject::Subject};

/// Counts how often each server wakes up by itself while one client is connected and silent, over the same time.
pub(crate) fn measure(stock: &Subject, ours: &Subject, plan: Plan) -> Result<[u64; 2]> {
    let mut servers = [stock.start()?, ours.start()?];
    let mut callers = Vec::new();
    let mut before = Vec::new();
    for server in &mut servers {
        callers.push(server.await_answer()?);
        server.process().settle()?;
        before.push(server.process().voluntary_switches()?);
    }
    // This is the time that is measured, not time to wait for something.
    thread::sleep(plan.idle);
    let [stock, ours] = &servers;
    Ok([
        stock.process().voluntary_switches()? - before[0],
        ours.process().voluntary_switches()? - before[1],
    ])
}
