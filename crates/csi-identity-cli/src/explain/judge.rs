//! From a plugin's answers to what each consumer does with them.

use super::observation::Observation;
use super::rules::{CONSUMERS, Consumer, Reaction, Rule};

/// What one consumer does.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) consumer: &'static Consumer,
    pub(crate) reaction: Reaction,
    /// The rule that says so; where it is not known, the first that could.
    pub(crate) rule: &'static Rule,
    /// What it is in the answers that makes the rule apply; nothing where none before it does.
    pub(crate) reason: Option<String>,
}

/// Judges a plugin for all consumers.
pub(crate) fn judge(seen: &Observation) -> Vec<Verdict> {
    let verdicts = CONSUMERS
        .iter()
        .filter_map(|consumer| judge_for(consumer, seen));
    verdicts.collect()
}

/// Nothing only for a consumer without rules for everything.
pub(crate) fn judge_for(consumer: &'static Consumer, seen: &Observation) -> Option<Verdict> {
    let mut rules = consumer.rules.iter().copied().flatten();
    rules.find_map(|rule| {
        let reaction = match rule.when.holds(seen) {
            Some(true) => rule.then,
            Some(false) => return None,
            None => Reaction::NotKnown,
        };
        let is_last = matches!(rule.when, super::when::When::Otherwise);
        Some(Verdict {
            consumer,
            reaction,
            rule,
            reason: (!is_last).then(|| rule.when.seen(seen)),
        })
    })
}
