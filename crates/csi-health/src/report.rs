//! Everything that is known, part by part, as JSON and as text.

use std::fmt::Write;

use csi_identity::Reason;
use csi_registration::{State, Status, Timestamp};
use serde::Serialize;

use crate::outcome::Outcome;
use crate::verdict::{Check, Verdict, unimplemented_warning};

/// The whole, with the verdict that it led to.
#[derive(Debug, Serialize)]
pub(crate) struct Report<'a> {
    check: &'static str,
    ok: bool,
    message: &'a str,
    driver: Option<&'a str>,
    components: Components,
    warnings: Vec<String>,
    registration: Option<&'a Status>,
}

#[derive(Debug, Serialize)]
struct Components {
    plugin: Component,
    probe: Component,
    #[serde(skip_serializing_if = "Option::is_none")]
    registration: Option<Component>,
    #[serde(skip_serializing_if = "Option::is_none")]
    socket: Option<Component>,
}

/// A part: whether it is well, and what is to be said of it.
#[derive(Debug, Serialize)]
struct Component {
    ok: bool,
    state: &'static str,
    reason: Reasoned,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_seconds: Option<f64>,
}

/// A reason in JSON.
#[derive(Debug)]
struct Reasoned(Reason);

impl Serialize for Reasoned {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<'a> Report<'a> {
    /// `since` is when Probes began to be answered as the last one was.
    pub(crate) fn new(
        check: Check,
        verdict: &'a Verdict,
        outcome: &Outcome,
        since: Option<Timestamp>,
        driver: Option<&'a str>,
        registration: Option<&'a Status>,
    ) -> Self {
        let answer = &outcome.answer;
        let mut warnings = Vec::from_iter(unimplemented_warning(answer));
        let told = registration.map_or(&[][..], |status| &status.warnings);
        warnings.extend(
            told.iter()
                .map(|text| Reason::from(text.as_str()).to_string()),
        );
        Self {
            check: check.as_str(),
            ok: verdict.is_good(),
            message: &verdict.line,
            driver,
            components: Components {
                plugin: plugin(outcome, since, registration),
                probe: Component {
                    ok: answer.code() == tonic::Code::Ok && answer.as_str() == "ready",
                    state: answer.as_str(),
                    reason: Reasoned(answer.reason()),
                    since,
                    latency_seconds: Some(outcome.took.as_secs_f64()),
                },
                registration: registration.map(kubelet),
                socket: registration.map(socket),
            },
            warnings,
            registration,
        }
    }

    /// In the way of the verbose answers of Kubernetes components.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let components = &self.components;
        component(&mut text, "plugin", &components.plugin);
        component(&mut text, "probe", &components.probe);
        for (name, part) in [
            ("registration", &components.registration),
            ("socket", &components.socket),
        ] {
            if let Some(part) = part {
                component(&mut text, name, part);
            }
        }
        for warning in &self.warnings {
            line(&mut text, format_args!("[!]warning: {warning}"));
        }
        if let Some(driver) = self.driver {
            line(&mut text, format_args!("driver: {}", Reason::from(driver)));
        }
        let passed = if self.ok { "passed" } else { "failed" };
        line(&mut text, format_args!("{} check {passed}", self.check));
        text
    }
}

/// Whether it answers is known from the Probe just made, better than from what a registration remembers; that may know
/// longer since when.
fn plugin(outcome: &Outcome, since: Option<Timestamp>, registration: Option<&Status>) -> Component {
    let ok = outcome.answer.is_answer();
    let remembered = registration
        .map(|status| &status.plugin)
        .filter(|plugin| plugin.answering == ok);
    let reason = match remembered {
        Some(plugin) if ok => Reason::from(plugin.reason.as_str()),
        _ if ok => Reason::from("it answers calls"),
        _ => outcome.answer.reason(),
    };
    Component {
        ok,
        state: if ok { "answering" } else { "not_answering" },
        reason: Reasoned(reason),
        since: remembered.map(|plugin| plugin.since).or(since),
        latency_seconds: None,
    }
}

fn kubelet(status: &Status) -> Component {
    Component {
        ok: status.state == State::Registered,
        state: status.state.as_str(),
        reason: Reasoned(Reason::from(status.reason.as_str())),
        since: Some(status.since),
        latency_seconds: None,
    }
}

fn socket(status: &Status) -> Component {
    let (state, reason) = match &status.socket {
        Some(path) if status.socket_is_shown => ("shown", path.display().to_string()),
        Some(path) => (
            "not_shown",
            format!("{} does not lead to this process", path.display()),
        ),
        None => ("not_shown", "its path is not known yet".to_owned()),
    };
    Component {
        ok: status.socket_is_shown,
        state,
        reason: Reasoned(Reason::from(reason)),
        since: None,
        latency_seconds: None,
    }
}

fn component(text: &mut String, name: &str, part: &Component) {
    let (mark, state) = if part.ok {
        ('+', "ok")
    } else {
        ('-', part.state)
    };
    let reason = &part.reason.0;
    let mut rest = String::new();
    if let Some(seconds) = part.latency_seconds {
        push(&mut rest, format_args!(", took {:.1} ms", seconds * 1e3));
    }
    if let Some(since) = part.since {
        push(&mut rest, format_args!(", since {since}"));
    }
    line(text, format_args!("[{mark}]{name} {state}: {reason}{rest}"));
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    push(text, arguments);
    text.push('\n');
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let written = text.write_fmt(arguments);
    debug_assert!(written.is_ok(), "a string takes every text");
}
