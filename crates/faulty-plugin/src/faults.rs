//! The faults, a file for each theme. A fault is a small change to the good plugin.

use std::time::Duration;

use crate::fault::Fault;

mod capabilities;
mod info;
mod node;
mod probe;
mod process;
mod reality;
mod requests;
mod wire;

const THEMES: [&[Fault]; 8] = [
    info::FAULTS,
    capabilities::FAULTS,
    reality::FAULTS,
    probe::FAULTS,
    node::FAULTS,
    wire::FAULTS,
    requests::FAULTS,
    process::FAULTS,
];

/// How long it takes what never comes; no test waits for it.
const FOR_EVER: Duration = Duration::from_secs(60);

/// All faults, those of a theme together.
pub const FAULTS: &[Fault] = &joined::<{ count() }>();

const fn count() -> usize {
    let mut count = 0;
    let mut theme = 0;
    while theme < THEMES.len() {
        count += THEMES[theme].len();
        theme += 1;
    }
    count
}

/// The themes in one list. It is made by the compiler, so a wrong index does not compile.
const fn joined<const N: usize>() -> [Fault; N] {
    let mut faults = [THEMES[0][0]; N];
    let (mut theme, mut of_theme, mut at) = (0, 0, 0);
    while theme < THEMES.len() {
        if of_theme == THEMES[theme].len() {
            theme += 1;
            of_theme = 0;
        } else {
            faults[at] = THEMES[theme][of_theme];
            at += 1;
            of_theme += 1;
        }
    }
    faults
}
