//! How what was found out is written.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use csi_identity::proto::csi::v1::Topology;
use csi_identity::proto::csi::v1::controller_service_capability::rpc::Type as ControllerRpc;
use csi_identity::proto::csi::v1::node_service_capability::rpc::Type as NodeRpc;
use serde_json::{Value, json};

use super::judge::Verdict;
use super::observation::{Answer, Call, End, Observation};
use super::rules::{Ask, Consumer, Reaction};
use crate::output::printable;
use crate::{capabilities, info, probe};

/// From when on an answer's time is shown: five calls of this length use up the 1 s that a caller grants them together.
const SLOW: Duration = Duration::from_millis(200);

pub(super) fn write_text(
    out: &mut impl Write,
    seen: &Observation,
    verdicts: &[Verdict],
) -> io::Result<()> {
    for (call, answer) in answers(seen) {
        writeln!(out, "{:<26} {answer}", call.name())?;
    }
    writeln!(
        out,
        "\n{:<26} {:<15} WHY, AND WHAT THEN",
        "CALLER", "OUTCOME"
    )?;
    for verdict in verdicts {
        let Consumer {
            name,
            version,
            asks,
            ..
        } = verdict.consumer;
        let outcome = verdict.reaction.words();
        writeln!(out, "{name:<26} {outcome:<15} {}", sentence(verdict))?;
        writeln!(out, "  {version:<40} asks {}", asked(asks))?;
    }
    Ok(())
}

pub(super) fn write_markdown(
    out: &mut impl Write,
    seen: &Observation,
    verdicts: &[Verdict],
) -> io::Result<()> {
    writeln!(out, "| call | answer |\n| --- | --- |")?;
    for (call, answer) in answers(seen) {
        writeln!(out, "| {} | {} |", call.name(), cell(&answer))?;
    }
    writeln!(
        out,
        "\n| caller | outcome | why, and what then | asks | as in |\n| --- | --- | --- | --- | --- |"
    )?;
    for verdict in verdicts {
        let consumer = verdict.consumer;
        writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            consumer.name,
            verdict.reaction.words(),
            cell(&sentence(verdict)),
            asked(consumer.asks),
            consumer.version
        )?;
    }
    Ok(())
}

pub(super) fn to_json(seen: &Observation, verdicts: &[Verdict]) -> Value {
    let answers = Call::ALL.map(|call| (call.name(), answer(seen, call)));
    let callers = verdicts.iter().map(caller).collect();
    object([
        ("answers", object(answers)),
        ("callers", Value::Array(callers)),
    ])
}

fn caller(verdict: &Verdict) -> Value {
    let ask = |ask: &Ask| object([("call", ask.call.into()), ("limit", ask.limit.into())]);
    let asks = verdict.consumer.asks.iter().map(ask).collect();
    let then = (verdict.reaction != Reaction::NotKnown).then_some(verdict.rule.text);
    object([
        ("name", verdict.consumer.name.into()),
        ("read_from", verdict.consumer.version.into()),
        ("asks", Value::Array(asks)),
        ("outcome", verdict.reaction.words().replace(' ', "_").into()),
        ("reason", verdict.reason.clone().into()),
        ("then", then.into()),
        ("inferred", verdict.rule.inferred.into()),
    ])
}

fn answer(seen: &Observation, call: Call) -> Value {
    let bare = seen.call(call);
    let seconds = ("seconds", bare.took.as_secs_f64().into());
    match bare.end {
        End::Ok(()) => object([("code", "OK".into()), ("answer", said(seen, call)), seconds]),
        End::Error(refusal) => object([
            ("code", refusal.name.into()),
            ("message", refusal.message.into()),
            seconds,
        ]),
        End::Silent => object([("code", Value::Null), seconds]),
    }
}

/// What a call brought, with the field names of the wire.
fn said(seen: &Observation, call: Call) -> Value {
    let said = match call {
        Call::GetPluginInfo => seen.info.ok().map(info::to_json),
        Call::GetPluginCapabilities => seen
            .capabilities
            .ok()
            .map(|list| capabilities::to_json(list)),
        Call::Probe => seen.probe.ok().map(|ready| probe::to_json(*ready)),
        Call::ControllerGetCapabilities => {
            let all = seen.controller.ok();
            all.map(|all| rpcs_to_json(all, controller_name))
        }
        Call::NodeGetCapabilities => seen.node.ok().map(|all| rpcs_to_json(all, node_name)),
        Call::NodeGetInfo => seen.node_info.ok().map(|node| {
            let segments = |topology: &Topology| json!({ "segments": topology.segments });
            let topology = node.accessible_topology.as_ref().map(segments);
            object([
                ("node_id", node.node_id.as_str().into()),
                ("max_volumes_per_node", node.max_volumes_per_node.into()),
                ("accessible_topology", topology.into()),
            ])
        }),
    };
    said.into()
}

/// Smaller in the program than what the macro makes of the same.
fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    collect(&mut fields.into_iter())
}

fn collect(fields: &mut dyn Iterator<Item = (&str, Value)>) -> Value {
    Value::Object(
        fields
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}

fn rpcs_to_json(all: &[i32], name: fn(i32) -> Option<&'static str>) -> Value {
    let one = |&number: &i32| {
        let kind = name(number).map_or_else(|| json!(number), |name| json!(name));
        json!({ "rpc": { "type": kind } })
    };
    json!({ "capabilities": all.iter().map(one).collect::<Vec<_>>() })
}

fn controller_name(number: i32) -> Option<&'static str> {
    let known = ControllerRpc::try_from(number).ok();
    known.map(|rpc| rpc.as_str_name())
}

fn node_name(number: i32) -> Option<&'static str> {
    let known = NodeRpc::try_from(number).ok();
    known.map(|rpc| rpc.as_str_name())
}

/// Why, and what then.
pub(super) fn sentence(verdict: &Verdict) -> String {
    let text = verdict.rule.text;
    let inferred = if verdict.rule.inferred {
        " (inferred)"
    } else {
        ""
    };
    match (&verdict.reason, verdict.reaction) {
        (Some(reason), Reaction::NotKnown) => {
            format!("it waits longer than was waited here; if {reason}: {text}{inferred}")
        }
        (Some(reason), _) => format!("{reason}: {text}{inferred}"),
        (None, _) => format!("{text}{inferred}"),
    }
}

fn asked(asks: &[Ask]) -> String {
    let one = |ask: &Ask| format!("{} ({})", ask.call, ask.limit);
    asks.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A text between two bars of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Each call with its answer in a line; safe for a terminal.
fn answers(seen: &Observation) -> impl Iterator<Item = (Call, String)> + '_ {
    Call::ALL.into_iter().map(|call| {
        let bare = seen.call(call);
        let mut line = match &bare.end {
            End::Ok(()) => ok(seen, call),
            End::Error(refusal) if refusal.message.is_empty() => refusal.name.to_owned(),
            End::Error(refusal) => format!("{}: {}", refusal.name, refusal.message),
            End::Silent => "no answer".to_owned(),
        };
        if bare.took >= SLOW {
            // Writing to a text cannot fail.
            let _ = write!(line, " (after {:.1}s)", bare.took.as_secs_f64());
        }
        (call, printable(&line))
    })
}

fn ok(seen: &Observation, call: Call) -> String {
    let rpcs = |answer: &Answer<Vec<i32>>, name: fn(i32) -> Option<&'static str>| {
        let one = |&number: &i32| match (name(number), number) {
            (Some(name), _) => name.to_owned(),
            (None, number) => format!("UNKNOWN({number})"),
        };
        let all = answer.ok().into_iter().flatten();
        list(all.map(one))
    };
    match call {
        Call::GetPluginInfo => {
            let info = seen.info.ok();
            let text = info.map(|info| format!("{} {}", info.name, info.vendor_version));
            text.unwrap_or_default()
        }
        Call::GetPluginCapabilities => {
            let all = seen.capabilities.ok().into_iter().flatten();
            list(all.map(ToString::to_string))
        }
        Call::Probe => match seen.probe.ok() {
            Some(Some(ready)) => format!("ready={ready}"),
            _ => "ready unset".to_owned(),
        },
        Call::ControllerGetCapabilities => rpcs(&seen.controller, controller_name),
        Call::NodeGetCapabilities => rpcs(&seen.node, node_name),
        Call::NodeGetInfo => {
            let Some(node) = seen.node_info.ok() else {
                return String::new();
            };
            let mut text = format!("node_id={}", node.node_id);
            if node.max_volumes_per_node != 0 {
                text.push_str(&format!(
                    " max_volumes_per_node={}",
                    node.max_volumes_per_node
                ));
            }
            for (key, value) in node
                .accessible_topology
                .iter()
                .flat_map(|topology| &topology.segments)
            {
                text.push_str(&format!(" {key}={value}"));
            }
            text
        }
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<_> = items.collect();
    if items.is_empty() {
        return "none".to_owned();
    }
    items.join(", ")
}
