//! Each rule of each consumer, with answers that it is about.

use std::collections::BTreeSet;
use std::time::Duration;

use csi_identity::ObservedCapability;
use csi_identity::proto::csi::v1::{GetPluginInfoResponse, NodeGetInfoResponse, Topology};

use super::judge::judge_for;
use super::observation::{Answer, End, Observation, Refusal};
use super::report;
use super::rules::{CONSUMERS, Consumer};
use super::when::When;

mod kubernetes;
mod others;
mod rules;
mod sidecars;
mod watchers;

/// A change to what a good plugin answers, and what a consumer makes of it.
type Case = (fn(&mut Observation), &'static str, &'static str);

/// A plugin with which every consumer goes on.
fn good() -> Observation {
    let info = GetPluginInfoResponse {
        name: "disk.acme.io".to_owned(),
        vendor_version: "1.2.3".to_owned(),
        ..GetPluginInfoResponse::default()
    };
    Observation {
        info: ok(info),
        capabilities: ok(vec![
            ObservedCapability::Service(1),
            ObservedCapability::Service(2),
            ObservedCapability::Service(4),
            ObservedCapability::VolumeExpansion(1),
        ]),
        probe: ok(Some(true)),
        controller: ok(vec![1, 2, 3, 5, 9, 11, 14]),
        node: ok(vec![3]),
        node_info: ok(NodeGetInfoResponse {
            node_id: "node-1".to_owned(),
            accessible_topology: segment("disk.acme.io/zone", "a"),
            ..NodeGetInfoResponse::default()
        }),
    }
}

fn named(name: &str) -> Answer<GetPluginInfoResponse> {
    ok(GetPluginInfoResponse {
        name: name.to_owned(),
        ..GetPluginInfoResponse::default()
    })
}

fn segment(key: &str, value: &str) -> Option<Topology> {
    let segments = [(key.to_owned(), value.to_owned())].into();
    Some(Topology { segments })
}

fn ok<T>(answer: T) -> Answer<T> {
    Answer {
        end: End::Ok(answer),
        took: Duration::from_millis(1),
    }
}

fn error<T>(code: i32, name: &'static str) -> Answer<T> {
    let message = "no".to_owned();
    Answer {
        end: End::Error(Refusal {
            code,
            name,
            message,
        }),
        took: Duration::from_millis(1),
    }
}

fn unimplemented<T>() -> Answer<T> {
    error(12, "UNIMPLEMENTED")
}

fn unavailable<T>() -> Answer<T> {
    error(14, "UNAVAILABLE")
}

fn silent<T>(seconds: u64) -> Answer<T> {
    Answer {
        end: End::Silent,
        took: Duration::from_secs(seconds),
    }
}

fn slowly<T>(answer: &mut Answer<T>, millis: u64) {
    answer.took = Duration::from_millis(millis);
}

fn without(seen: &mut Observation, capability: i32) {
    if let End::Ok(all) = &mut seen.capabilities.end {
        all.retain(|one| *one != ObservedCapability::Service(capability));
    }
}

fn with_controller(seen: &mut Observation, rpcs: &[i32]) {
    seen.controller = ok(rpcs.to_vec());
}

fn consumer(name: &str) -> &'static Consumer {
    let mut all = CONSUMERS.into_iter();
    all.find(|consumer| consumer.name == name).unwrap()
}

/// Judges every case; between them, each of the consumer's rules has to have been the one that applies.
fn assert_cases(name: &str, cases: &[Case]) {
    let applied = assert_some_cases(name, cases);
    let rules = consumer(name).rules.iter().copied().flatten();
    let rules = rules.map(|rule| (rule.when.to_string(), rule.text));
    let idle: Vec<_> = rules.filter(|rule| !applied.contains(rule)).collect();
    assert!(idle.is_empty(), "no case for {idle:#?}");
}

/// Judges every case, and tells which rules applied.
fn assert_some_cases(name: &str, cases: &[Case]) -> BTreeSet<(String, &'static str)> {
    let judged = cases
        .iter()
        .enumerate()
        .map(|(at, (change, outcome, sentence))| {
            let mut seen = good();
            change(&mut seen);
            let verdict = judge_for(consumer(name), &seen).unwrap();
            let found = (verdict.reaction.words(), report::sentence(&verdict));
            assert_eq!(found, (*outcome, (*sentence).to_owned()), "case {at}");
            (verdict.rule.when.to_string(), verdict.rule.text)
        });
    judged.collect()
}

#[test]
fn a_good_plugin_is_taken_by_all() {
    for verdict in super::judge::judge(&good()) {
        assert_eq!(verdict.reaction.words(), "goes on", "{verdict:#?}");
    }
}

#[test]
fn every_consumer_has_a_rule_for_whatever_is_left() {
    for consumer in CONSUMERS {
        let last = consumer.rules.last().and_then(|group| group.last());
        assert!(
            matches!(last.unwrap().when, When::Otherwise),
            "{}",
            consumer.name
        );
    }
}

#[test]
fn what_was_not_waited_for_long_enough_is_not_known() {
    assert_some_cases(
        "external-provisioner",
        &[
            (
                |seen| seen.probe = silent(5),
                "not known",
                "it waits longer than was waited here; if Probe takes longer than 10s or answers DEADLINE_EXCEEDED: asks again \
                 every second, without limit",
            ),
            (
                |seen| seen.probe = silent(10),
                "waits",
                "Probe takes longer than 10s: asks again every second, without limit",
            ),
            (
                |seen| seen.controller = silent(5),
                "not known",
                "it waits longer than was waited here; if ControllerGetCapabilities fails or takes longer than 10s: exits",
            ),
        ],
    );
    assert_some_cases(
        "node-driver-registrar",
        &[
            (
                |seen| seen.node_info = silent(5),
                "not known",
                "it waits longer than was waited here; if NodeGetInfo fails or takes longer than 120s; or node_id is empty; or \
                 node_id is longer than 256 bytes; or the name is none that a CSINode takes; or a topology segment is no legal \
                 label: the kubelet refuses the plugin and says so; exits with 1",
            ),
            // Whatever NodeGetInfo will bring, this is enough.
            (
                |seen| {
                    seen.node_info = silent(5);
                    seen.info = named("a_b");
                },
                "exits",
                "the name is none that a CSINode takes: the kubelet refuses the plugin and says so; exits with 1",
            ),
        ],
    );
}
