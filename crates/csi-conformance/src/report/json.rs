//! For programs.

use serde_json::{Map, Value};

use super::{Report, fields_of, hex_of};
use crate::{Controller, Evidence, Finding};

pub(super) fn write(report: &Report<'_>) -> Value {
    let seen = report.seen;
    let controller = match &seen.controller {
        Controller::NotTold => Value::Null,
        Controller::SameSocket => seen.plugin.path.as_str().into(),
        Controller::Other(other) => other.path.as_str().into(),
    };
    let calls = seen
        .calls
        .iter()
        .map(|(method, count)| (method.path(), (*count).into()));
    let left_out = seen.left_out.iter().map(|&step| step.into()).collect();
    let rules = report.rules().map(|(rule, _)| rule.id.into()).collect();
    object([
        ("socket", seen.plugin.path.as_str().into()),
        ("controller_socket", controller),
        ("profile", report.selection.profile.name().into()),
        ("strict", report.strict.into()),
        ("passes", (!report.fails()).into()),
        ("seconds", seen.took.as_secs_f64().into()),
        ("calls", Value::Object(calls.collect())),
        ("left_out", Value::Array(left_out)),
        ("rules", Value::Array(rules)),
        (
            "findings",
            Value::Array(report.findings.iter().map(finding).collect()),
        ),
    ])
}

fn finding(finding: &Finding) -> Value {
    let rule = finding.rule;
    let breaks = rule
        .breaks
        .iter()
        .map(|caller| caller.name().into())
        .collect();
    object([
        ("id", rule.id.into()),
        ("severity", finding.severity.word().into()),
        ("title", rule.title.into()),
        ("theme", rule.theme.heading().into()),
        ("clause", rule.clause.into()),
        ("breaks", Value::Array(breaks)),
        ("why", rule.why.into()),
        ("fix_in_go", rule.go.into()),
        ("fix_in_rust", rule.rust.into()),
        ("implied_by", finding.implied_by.into()),
        (
            "evidence",
            Value::Array(finding.evidence.iter().map(evidence).collect()),
        ),
    ])
}

fn evidence(evidence: &Evidence) -> Value {
    let socket = (!evidence.socket.is_empty()).then_some(evidence.socket);
    object([
        ("socket", socket.into()),
        ("seen", evidence.seen.as_str().into()),
        ("bytes", evidence.bytes.as_ref().map(hex_of).into()),
        ("fields", evidence.bytes.as_ref().and_then(fields_of).into()),
    ])
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let fields = fields
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    Value::Object(fields.collect::<Map<_, _>>())
}
