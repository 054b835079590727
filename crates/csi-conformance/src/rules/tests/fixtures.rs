//! What a fixture is.

use crate::Observation;

/// A rule, with what just keeps it and what breaks it: edits of a good plugin.
#[derive(Clone)]
pub(super) struct Fixture {
    pub(super) rule: &'static str,
    pub(super) passes: fn(&mut Observation),
    pub(super) fails: fn(&mut Observation),
    /// What else it breaks, since nothing that breaks this rule breaks it alone.
    pub(super) beside: &'static [&'static str],
    /// What follows from it.
    pub(super) implied: &'static [&'static str],
}

pub(super) const fn fixture(
    rule: &'static str,
    passes: fn(&mut Observation),
    fails: fn(&mut Observation),
) -> Fixture {
    Fixture {
        rule,
        passes,
        fails,
        beside: &[],
        implied: &[],
    }
}

impl Fixture {
    pub(super) const fn beside(mut self, beside: &'static [&'static str]) -> Self {
        self.beside = beside;
        self
    }

    pub(super) const fn implied(mut self, implied: &'static [&'static str]) -> Self {
        self.implied = implied;
        self
    }
}
