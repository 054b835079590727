use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use super::{
    Plan,
    latency::{Round, Rounds},
    subject::{Running, Subject},
};
use crate::http2::Method;

/// How long Probe takes, in each of the rounds.
#[derive(Debug)]
pub(crate) struct Probes {
    /// Without any check.
    pub(crate) unchecked: Rounds,
    /// While the command of a check hangs.
    pub(crate) hanging: Rounds,
}

/// Measures `csi-identity` with and without a check that hangs, side by side and taking turns at being first.
pub(crate) fn measure(ours: &Subject, plan: Plan) -> Result<Probes> {
    let (mut unchecked, mut hanging) = (ours.start()?, ours.configured(with_check).start()?);
    for server in [&mut unchecked, &mut hanging] {
        server.await_answer()?;
    }
    await_hang(&hanging)?;
    let servers = [&unchecked, &hanging];
    let mut rounds: [Rounds; 2] = Default::default();
    for turn in 0..plan.rounds {
        for place in 0..servers.len() {
            let which = (turn + place) % servers.len();
            let caller = servers[which].connect(Method::Probe, "localhost");
            let round = caller.and_then(|caller| Round::of(caller, plan.probes_a_round));
            rounds[which].push(round.with_context(|| format!("Probe, round {turn}"))?);
        }
    }
    let [unchecked, hanging] = rounds;
    Ok(Probes { unchecked, hanging })
}

/// Passes once, so that the plugin is ready and both servers have the same answer to give. Then every run hangs until it is
/// killed and the next begins; a command outlives this program by a second at most.
fn with_check(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "\
checks:
  - name: hanging
    exec: [/bin/sh, -c, 'test -e {folder}/passed || exec touch {folder}/passed; echo > {folder}/hangs; exec sleep 2']
    interval: 1s
    timeout: 1s
    failure_threshold: 1000000
"
    )
}

fn await_hang(server: &Running) -> Result<()> {
    let hangs = server.folder().join("hangs");
    let deadline = Instant::now() + Duration::from_secs(10);
    while !hangs.exists() {
        ensure!(
            Instant::now() < deadline,
            "the check does not begin to hang"
        );
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
