//! What each consumer of the Identity service does with what it is told: one table, read from top to bottom.
//!
//! The first rule of a consumer that applies says what it does. The texts say what the consumer's code does at the version
//! named; what no code or document states outright, but follows from it, is marked `inferred`.

use super::when::When;

mod kubernetes;
mod others;
mod sidecars;

/// A program that calls a plugin.
#[derive(Debug)]
pub(crate) struct Consumer {
    pub(crate) name: &'static str,
    /// The version whose code the rules were read from.
    pub(crate) version: &'static str,
    /// What it calls, in its order.
    pub(crate) asks: &'static [Ask],
    /// In groups, so that consumers can share them.
    pub(crate) rules: &'static [&'static [Rule]],
}

/// A call that a consumer makes, and how long it waits.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) call: &'static str,
    pub(crate) limit: &'static str,
}

/// What a consumer does in one case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) when: When,
    pub(crate) then: Reaction,
    pub(crate) text: &'static str,
    pub(crate) inferred: bool,
}

/// What becomes of a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    GoesOn,
    /// It asks again until the answer is another one.
    Waits,
    Exits,
    /// It goes on running, and refuses or fails the work that it is there for.
    Refuses,
    RestartsPlugin,
    /// Nobody would put it beside this plugin.
    DoesNotApply,
    /// The plugin was not waited for as long as this consumer would.
    NotKnown,
}

impl Reaction {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::GoesOn => "goes on",
            Self::Waits => "waits",
            Self::Exits => "exits",
            Self::Refuses => "refuses",
            Self::RestartsPlugin => "restarts plugin",
            Self::DoesNotApply => "does not apply",
            Self::NotKnown => "not known",
        }
    }

    /// Whether the consumer does not do its work.
    pub(crate) fn is_trouble(self) -> bool {
        match self {
            Self::Waits | Self::Exits | Self::Refuses | Self::RestartsPlugin => true,
            Self::GoesOn | Self::DoesNotApply | Self::NotKnown => false,
        }
    }
}

/// All of them, those on the node first.
pub(crate) const CONSUMERS: [&Consumer; 12] = [
    &kubernetes::REGISTRAR,
    &kubernetes::KUBELET,
    &kubernetes::LIVENESSPROBE,
    &sidecars::PROVISIONER,
    &sidecars::ATTACHER,
    &sidecars::RESIZER,
    &sidecars::SNAPSHOTTER,
    &sidecars::HEALTH_MONITOR,
    &sidecars::SNAPSHOT_METADATA,
    &others::NOMAD_SUPERVISOR,
    &others::NOMAD_CSIMANAGER,
    &others::CSC,
];

const fn ask(call: &'static str, limit: &'static str) -> Ask {
    Ask { call, limit }
}

const fn rule(when: When, then: Reaction, text: &'static str) -> Rule {
    Rule {
        when,
        then,
        text,
        inferred: false,
    }
}

const fn inferred(when: When, then: Reaction, text: &'static str) -> Rule {
    Rule {
        when,
        then,
        text,
        inferred: true,
    }
}
