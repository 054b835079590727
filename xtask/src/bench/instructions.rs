use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::{Plan, subject::Subject};

/// How many instructions a GetPluginInfo costs a server outside of the kernel, in each of the tries.
#[derive(Debug)]
pub(crate) struct Instructions {
    pub(crate) stock: Vec<f64>,
    pub(crate) ours: Vec<f64>,
}

/// Every instruction is counted, but nothing is written about where they are.
const CALLGRIND: &[&str] = &[
    "valgrind",
    "--tool=callgrind",
    "--callgrind-out-file=/dev/null",
];

/// Counts both by turns, where valgrind is installed.
pub(crate) fn measure(stock: &Subject, ours: &Subject, plan: Plan) -> Result<Option<Instructions>> {
    let mut version = Command::new(CALLGRIND[0]);
    version.arg("--version").stdout(Stdio::null());
    if version.stderr(Stdio::null()).status().is_err() {
        return Ok(None);
    }
    let mut counted = Instructions {
        stock: Vec::new(),
        ours: Vec::new(),
    };
    for _ in 0..plan.counts {
        for (subject, counts) in [(stock, &mut counted.stock), (ours, &mut counted.ours)] {
            counts.push(per_call(subject, plan.calls_a_count)?);
        }
    }
    Ok(Some(counted))
}

/// The difference of two runs, one with twice as many calls: what else a process does from its start to its end drops out.
fn per_call(subject: &Subject, calls: usize) -> Result<f64> {
    let once = count(subject, calls)?;
    let twice = count(subject, 2 * calls)?;
    Ok((twice as f64 - once as f64) / calls as f64)
}

fn count(subject: &Subject, calls: usize) -> Result<u64> {
    let mut server = subject.under(CALLGRIND).start()?;
    let mut caller = server.await_answer()?;
    for _ in 0..calls {
        caller.call()?;
    }
    drop(caller);
    collected(&server.terminate()?)
}

/// The line with the sum, such as `==12== Collected : 1429786`.
fn collected(log: &str) -> Result<u64> {
    let sum = log.lines().find_map(|line| {
        let (_, sum) = line.split_once("Collected :")?;
        sum.trim().parse().ok()
    });
    sum.with_context(|| format!("valgrind has counted nothing: {}", log.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_found_in_what_valgrind_writes() {
        let log = "==12== Events    : Ir\n==12== Collected : 1429786\n==12==\n";
        assert_eq!(collected(log).unwrap(), 1_429_786);
        assert_eq!(
            collected("==12== Events    : Ir\n")
                .unwrap_err()
                .to_string(),
            "valgrind has counted nothing: ==12== Events    : Ir"
        );
    }
}
