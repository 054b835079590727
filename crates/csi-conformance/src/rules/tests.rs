//! Each rule has a case that keeps it and one that breaks it.

mod fixtures;
mod good;
mod identity;
mod node_info;
mod others;
mod probe;
mod process;
mod reality;
mod wire;

use std::collections::BTreeSet;

use fixtures::Fixture;
use good::{apart, good};

use super::rules;
use crate::{Controller, Observation, Profile, Selection, Theme, judge};

fn fixtures() -> Vec<Fixture> {
    [
        identity::all(),
        reality::all(),
        probe::all(),
        node_info::all(),
        wire::all(),
        others::all(),
        process::all(),
    ]
    .concat()
}

/// The rules that a plugin breaks, and those of them that follow from others.
fn broken(seen: &Observation, profile: Profile) -> (Vec<&'static str>, Vec<&'static str>) {
    let selection = Selection::new(profile, &[], &[]).unwrap();
    let (own, implied): (Vec<_>, Vec<_>) = judge(seen, &selection)
        .into_iter()
        .partition(|finding| finding.implied_by.is_none());
    let ids = |all: Vec<crate::Finding>| all.iter().map(|one| one.rule.id).collect();
    (ids(own), ids(implied))
}

#[test]
fn good_plugins_break_no_rule() {
    let mut on_a_node = apart();
    on_a_node.controller = Controller::NotTold;
    // One that has an Identity and nothing else, and nobody says more.
    let mut identity_only = good();
    identity_only.controller = Controller::NotTold;
    for method in [
        good::CONTROLLER,
        good::NODE,
        good::GROUP,
        good::NODE_INFO,
        good::METADATA,
    ] {
        identity_only.plugin.repeated.remove(&method);
        good::set(&mut identity_only.plugin, good::unimplemented(method));
    }
    for seen in [good(), apart(), on_a_node, identity_only] {
        for profile in Profile::ALL {
            assert_eq!(
                broken(&seen, profile),
                (vec![], vec![]),
                "{profile}: {seen:#?}"
            );
        }
    }
}

#[test]
fn what_nobody_asks_a_socket_speaks_against_nobody() {
    let mut seen = apart();
    good::set(
        &mut seen.plugin,
        good::error(good::CONTROLLER, 13, "this is a node"),
    );
    let Controller::Other(controller) = &mut seen.controller else {
        panic!("it is apart");
    };
    good::set(
        controller,
        good::error(good::NODE_INFO, 13, "this is no node"),
    );
    good::set(controller, good::rpcs(good::NODE, &[1]));
    assert_eq!(broken(&seen, Profile::Kubernetes), (vec![], vec![]));
}

#[test]
fn each_rule_has_a_case_that_breaks_it_and_one_that_keeps_it() {
    let with_fixtures: Vec<_> = fixtures().iter().map(|fixture| fixture.rule).collect();
    let known: Vec<_> = rules().map(|rule| rule.id).collect();
    let different: BTreeSet<_> = with_fixtures.iter().copied().collect();
    assert_eq!(different, known.iter().copied().collect());
    assert_eq!(with_fixtures.len(), known.len(), "a rule has two");
}

#[test]
fn what_breaks_a_rule_breaks_it_and_no_other_but_those_that_are_named() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let rule = super::rule(fixture.rule).unwrap();
        let profile = match rule.theme {
            Theme::Sanity => Profile::CsiSanity,
            _ => Profile::Kubernetes,
        };
        let mut seen = good();
        (fixture.fails)(&mut seen);
        let (own, implied) = broken(&seen, profile);
        let set = |all: &[&'static str]| all.iter().copied().collect::<BTreeSet<_>>();
        let expected = [&[fixture.rule], fixture.beside].concat();
        if (set(&own), set(&implied)) != (set(&expected), set(fixture.implied)) {
            wrong.push((fixture.rule, own, implied));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_just_right_does_not_break_a_rule() {
    for fixture in fixtures() {
        let mut seen = good();
        (fixture.passes)(&mut seen);
        for profile in [Profile::Kubernetes, Profile::CsiSanity] {
            let (own, implied) = broken(&seen, profile);
            assert!(!own.contains(&fixture.rule), "{}", fixture.rule);
            assert!(!implied.contains(&fixture.rule), "{}", fixture.rule);
        }
    }
}

#[test]
fn rules_are_told_apart_and_say_all_that_they_have_to() {
    let mut ids = BTreeSet::new();
    for rule in rules() {
        assert!(ids.insert(rule.id), "{} is there twice", rule.id);
        for text in [rule.title, rule.clause, rule.why, rule.go, rule.rust] {
            assert!(!text.trim().is_empty(), "{rule:?}");
        }
        assert!(rule.why.ends_with('.'), "{}", rule.id);
        for cause in rule.implied_by {
            assert!(
                super::rule(cause).is_some(),
                "{} follows from {cause}",
                rule.id
            );
        }
        let is_about_callers = rule.severity == crate::Severity::Breaks;
        assert!(!is_about_callers || !rule.breaks.is_empty(), "{}", rule.id);
    }
    assert!(ids.len() >= 40);
}
