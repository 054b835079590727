//! Findings for people and programs.

mod catalogue;
mod json;
mod junit;
mod markdown;
mod pitfalls;
mod text;

use std::fmt::Write as _;

pub use catalogue::{rules_markdown, rules_text};

use crate::wire::{Message, hex, outline};
use crate::{Bytes, Controller, Evidence, Finding, Observation, Rule, Selection, Severity, rules};

/// What was seen, what is wrong with it, and by which rules.
///
/// ```no_run
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// use csi_conformance::{ObserveOptions, Report, Selection, judge, observe};
///
/// let options = ObserveOptions::at("unix:///run/csi/csi.sock".parse()?);
/// let seen = observe(&options, |_| {}).await?;
/// let selection = Selection::default();
/// let findings = judge(&seen, &selection);
/// let report = Report::new(&seen, &findings, &selection);
/// assert!(!report.fails(), "{}", report.text());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    seen: &'a Observation,
    findings: &'a [Finding],
    selection: &'a Selection,
    strict: bool,
}

impl<'a> Report<'a> {
    /// A report in which advice does not fail a plugin.
    #[must_use]
    pub fn new(seen: &'a Observation, findings: &'a [Finding], selection: &'a Selection) -> Self {
        Self {
            seen,
            findings,
            selection,
            strict: false,
        }
    }

    /// The same, in which advice fails a plugin too.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Whether the plugin fails.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.findings
            .iter()
            .any(|finding| finding.fails(self.strict))
    }

    /// For people, what breaks first.
    #[must_use]
    pub fn text(&self) -> String {
        text::write(self)
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        json::write(self)
    }

    /// For CI: a test case for each rule.
    #[must_use]
    pub fn junit(&self) -> String {
        junit::write(self)
    }

    /// For tickets and pages.
    #[must_use]
    pub fn markdown(&self) -> String {
        markdown::write(self)
    }

    /// The rules that count, and how much.
    fn rules(&self) -> impl Iterator<Item = (&'static Rule, Severity)> {
        rules().filter_map(|rule| Some((rule, self.selection.severity(rule)?)))
    }

    /// How many findings of a severity there are that follow from no other.
    fn count(&self, severity: Severity) -> usize {
        let own = self
            .findings
            .iter()
            .filter(|finding| finding.implied_by.is_none());
        own.filter(|finding| finding.severity == severity).count()
    }

    fn follows_from(&self, id: &str) -> impl Iterator<Item = &'a Finding> {
        let id = id.to_owned();
        let findings = self.findings.iter();
        findings.filter(move |finding| finding.implied_by == Some(&*id))
    }

    /// How it went, in a line.
    fn summary(&self) -> String {
        let count = self.rules().count();
        let profile = self.selection.profile;
        let [must, breaks, advice] =
            [Severity::Must, Severity::Breaks, Severity::Advice].map(|one| self.count(one));
        if must + breaks + advice == 0 {
            return format!("all {count} rules of profile {profile} are kept");
        }
        let verdict = if self.fails() { "fails" } else { "passes" };
        format!(
            "{verdict} by profile {profile}: {must} MUST, {breaks} BREAKS, {advice} ADVICE of {count} rules"
        )
    }

    /// The sockets it is about.
    fn sockets(&self) -> String {
        match &self.seen.controller {
            Controller::Other(other) => format!("{} and {}", self.seen.plugin.path, other.path),
            Controller::NotTold | Controller::SameSocket => self.seen.plugin.path.clone(),
        }
    }

    /// Which RPCs were called, how often.
    fn calls(&self) -> String {
        let one = |(method, count): &(crate::Method, u32)| {
            if method.service().starts_with("csi.") {
                return format!("{method} {count}");
            }
            format!("{}/{method} {count}", method.service())
        };
        if self.seen.calls.is_empty() {
            return "nothing".to_owned();
        }
        let all: Vec<_> = self.seen.calls.iter().map(one).collect();
        all.join(", ")
    }

    /// What could not be judged, and why.
    fn not_judged(&self) -> Vec<String> {
        let mut all = Vec::new();
        if matches!(self.seen.controller, Controller::NotTold) {
            all.push(
                "whether declared services are really there: --controller-endpoint says where to look (the same endpoint if there is only one)".to_owned(),
            );
        }
        if !self.seen.left_out.is_empty() {
            all.push(format!(
                "{}: the time of --budget was up",
                self.seen.left_out.join(", ")
            ));
        }
        all
    }
}

/// What speaks against the plugin, in a line that cannot steer a terminal.
fn seen_line(evidence: &Evidence) -> String {
    let socket = match evidence.socket {
        "" => String::new(),
        socket => format!("{socket}: "),
    };
    printable(&format!("{socket}{}", evidence.seen))
}

/// Bytes as fields, where they are a message.
fn fields_of(bytes: &Bytes) -> Option<String> {
    let method = bytes.message_of?;
    Some(outline(&bytes.bytes, Message::reply_of(method)))
}

fn hex_of(bytes: &Bytes) -> String {
    hex(&bytes.bytes)
}

fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            // Writing to a text cannot fail.
            let _ = write!(safe, "{}", c.escape_default());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Whom it breaks, in a line; empty where it is about nobody in particular.
fn callers(rule: &Rule) -> String {
    let names: Vec<_> = rule.breaks.iter().map(|caller| caller.name()).collect();
    names.join(", ")
}
