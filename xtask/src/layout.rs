//! The order of functions in the program, `crates/csi-identity-cli/layout.ld`: those that run while it serves a plugin or
//! stands beside one lie together, so that the rest of the program need not be in memory.

mod recording;
mod script;

use std::{collections::BTreeSet, fs, io::Write};

use anyhow::{Context, Result};

use self::{recording::Recorder, script::Script};
use crate::workspace;

/// The script, from the root of the workspace.
const FILE: &str = "crates/csi-identity-cli/layout.ld";

/// Runs the program under valgrind, and writes down which functions it ran.
///
/// # Errors
///
/// Where it cannot be built, valgrind is not there, or the program does not do what it should.
pub(crate) fn write(out: &mut impl Write) -> Result<()> {
    let recorder = Recorder::build()?;
    let ways = recorder.ways()?;
    let ways: Vec<_> = ways.iter().map(|profile| names(profile)).collect();
    let counts = ways.iter().map(BTreeSet::len).collect::<Vec<_>>();
    fs::write(workspace::path(FILE), Script { ways }.to_string())
        .with_context(|| format!("cannot write {FILE}"))?;
    writeln!(out, "written: {FILE}; functions run: {counts:?}")?;
    Ok(())
}

fn names(profile: &str) -> BTreeSet<String> {
    recording::functions(profile).map(script::pattern).collect()
}
