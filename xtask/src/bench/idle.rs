use std::thread;

use anyhow::Result;

use super::{
    Plan,
    subject::{Running, Subject, number},
};

/// Counts how often each server wakes up by itself while one client is connected and silent, over the same time.
pub(crate) fn measure(stock: &Subject, ours: &Subject, plan: Plan) -> Result<[u64; 2]> {
    let mut servers = [stock.start()?, ours.start()?];
    let mut callers = Vec::new();
    let mut before = Vec::new();
    for server in &mut servers {
        callers.push(server.await_answer()?);
        server.settle()?;
        before.push(switches(server)?);
    }
    // This is the time that is measured, not time to wait for something.
    thread::sleep(plan.idle);
    let [stock, ours] = &servers;
    Ok([switches(stock)? - before[0], switches(ours)? - before[1]])
}

fn switches(server: &Running) -> Result<u64> {
    let tasks = server.tasks("status")?;
    tasks
        .iter()
        .map(|status| number(status, "voluntary_ctxt_switches"))
        .sum()
}
