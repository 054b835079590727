//! The registration flow as a picture: who called whom, when, with what and what came of it.
//!
//! A [`Trace`] collects [`Step`]s and shows them as Markdown with Mermaid diagrams, as a stand-alone SVG, as an HTML page
//! that needs nothing else, and as JSON. It draws what it is told and judges nothing.

mod escape;
mod figure;
mod form;
mod html;
mod json;
mod look;
mod markdown;
mod moment;
mod style;
mod svg;
#[cfg(test)]
mod tests;
mod wrap;

use std::time::{Duration, SystemTime};

pub use form::{TraceForm, TraceFormError};

/// Who takes part in the registration of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Participant {
    /// What offers the plugin to the kubelet: the agent, or node-driver-registrar.
    Registrar,
    /// The CSI driver.
    Plugin,
    /// The kubelet of the node.
    Kubelet,
    /// The API server, which keeps the Node and the CSINode.
    ApiServer,
}

impl Participant {
    /// All, as they stand in the picture from left to right.
    pub const ALL: [Self; 4] = [
        Self::Registrar,
        Self::Plugin,
        Self::Kubelet,
        Self::ApiServer,
    ];

    /// The name in every form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Registrar => "registrar",
            Self::Plugin => "plugin",
            Self::Kubelet => "kubelet",
            Self::ApiServer => "API server",
        }
    }
}

/// One call with its answer, or a note at one participant.
///
/// All texts may be anything: each form escapes them, the picture shortens them, and the tables and the JSON have them whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// When it began.
    pub at: SystemTime,
    /// Who called.
    pub from: Participant,
    /// Who was called; the same as `from` for a note.
    pub to: Participant,
    /// The method, or what the note says.
    pub what: String,
    /// How the call ended, such as `OK` or `FAILED_PRECONDITION`.
    pub code: Option<String>,
    /// How long the answer took.
    pub took: Option<Duration>,
    /// What matters of the request, as names and values.
    pub request: Vec<(String, String)>,
    /// What matters of the answer.
    pub answer: Vec<(String, String)>,
    /// Why it failed, or what else there is to say.
    pub message: String,
    /// Whether it went well, where that can be said.
    pub good: Option<bool>,
}

impl Step {
    /// A call, of which nothing more is known yet.
    #[must_use]
    pub fn call(
        at: SystemTime,
        from: Participant,
        to: Participant,
        what: impl Into<String>,
    ) -> Self {
        Self {
            at,
            from,
            to,
            what: what.into(),
            code: None,
            took: None,
            request: Vec::new(),
            answer: Vec::new(),
            message: String::new(),
            good: None,
        }
    }

    /// Something that happened at one participant alone.
    #[must_use]
    pub fn note(at: SystemTime, whose: Participant, what: impl Into<String>) -> Self {
        Self::call(at, whose, whose, what)
    }

    fn is_note(&self) -> bool {
        self.from == self.to
    }

    /// Whether anything is known to have come back.
    fn is_answered(&self) -> bool {
        let Self {
            code,
            took,
            answer,
            message,
            ..
        } = self;
        code.is_some() || took.is_some() || !answer.is_empty() || !message.is_empty()
    }

    /// The code and the time, as far as they are known.
    fn outcome(&self) -> String {
        let code = self.code.iter().filter(|code| !code.is_empty()).cloned();
        let known: Vec<String> = code.chain(self.took.map(moment::milliseconds)).collect();
        known.join(", ")
    }

    /// The fields, and what goes before their names in a table.
    fn fields(&self) -> [(&'static str, &[(String, String)]); 2] {
        let [asked, answered] = if self.is_note() {
            ["", ""]
        } else {
            ["asked ", "answered "]
        };
        [(asked, &self.request), (answered, &self.answer)]
    }

    fn bytes(&self) -> usize {
        let fields = self.request.iter().chain(&self.answer);
        let fields: usize = fields.map(|(name, value)| name.len() + value.len()).sum();
        self.what.len() + self.code.as_ref().map_or(0, String::len) + self.message.len() + fields
    }
}

/// Steps under headings, in the order of time.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use csi_kubelet::{Participant, Step, Trace, TraceForm};
///
/// let mut trace = Trace::new("How disk.example.org is registered");
/// let mut call = Step::call(SystemTime::now(), Participant::Kubelet, Participant::Registrar, "GetInfo");
/// call.code = Some("OK".to_owned());
/// call.took = Some(Duration::from_micros(400));
/// call.answer = vec![("name".to_owned(), "disk.example.org".to_owned())];
/// call.good = Some(true);
/// trace.push(call);
///
/// let form: TraceForm = "registration.html".parse()?;
/// let page = trace.render(form);
/// assert!(page.starts_with("<!DOCTYPE html>"));
/// # Ok::<(), csi_kubelet::TraceFormError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    title: String,
    chapters: Vec<Chapter>,
    /// Steps and headings.
    kept: usize,
    bytes: usize,
    left_out: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Chapter {
    heading: Option<String>,
    steps: Vec<Step>,
}

/// A step as it is shown: with its number from 1, and the time since the earliest step.
#[derive(Clone, Copy, Debug)]
struct Shown<'a> {
    number: usize,
    after: Duration,
    step: &'a Step,
}

impl Trace {
    /// How many steps and headings are kept. What comes later is counted only.
    pub const MOST: usize = 2_000;

    /// How many bytes of text are kept in all, so that a plugin that answers at length fills no memory.
    pub const MOST_BYTES: usize = 8 << 20;

    /// An empty trace.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            chapters: Vec::new(),
            kept: 0,
            bytes: 0,
            left_out: 0,
        }
    }

    /// Adds a step to the last chapter.
    ///
    /// Calls are often known only when they have ended, so steps need not come in order: within a chapter they are shown by the time at
    /// which they began, and those of the same time in the order in which they came. Once one step was left out for its
    /// size or number, all later ones are.
    pub fn push(&mut self, step: Step) {
        if !self.takes(step.bytes()) {
            self.left_out += 1;
            return;
        }
        if self.chapters.is_empty() {
            let (heading, steps) = (None, Vec::new());
            self.chapters.push(Chapter { heading, steps });
        }
        if let Some(chapter) = self.chapters.last_mut() {
            let place = chapter
                .steps
                .partition_point(|earlier| earlier.at <= step.at);
            chapter.steps.insert(place, step);
        }
    }

    /// Puts a heading over the steps that follow, such as "the agent restarts".
    pub fn chapter(&mut self, heading: impl Into<String>) {
        let heading = heading.into();
        if self.takes(heading.len()) {
            let (heading, steps) = (Some(heading), Vec::new());
            self.chapters.push(Chapter { heading, steps });
        }
    }

    /// How many steps were left out at the end.
    #[must_use]
    pub const fn left_out(&self) -> usize {
        self.left_out
    }

    /// Whether there is room for one more, which is then taken.
    fn takes(&mut self, bytes: usize) -> bool {
        let room = self.left_out == 0
            && self.kept < Self::MOST
            && self.bytes.saturating_add(bytes) <= Self::MOST_BYTES;
        if room {
            self.kept += 1;
            self.bytes += bytes;
        }
        room
    }

    /// When the earliest step began.
    fn start(&self) -> Option<SystemTime> {
        let steps = self.chapters.iter().flat_map(|chapter| &chapter.steps);
        steps.map(|step| step.at).min()
    }

    /// The chapters with their steps, numbered throughout.
    fn shown(&self) -> Vec<(Option<&str>, Vec<Shown<'_>>)> {
        let start = self.start();
        let mut number = 0;
        let mut shown = |step| {
            number += 1;
            let after = start
                .and_then(|start| Step::since(step, start))
                .unwrap_or_default();
            Shown {
                number,
                after,
                step,
            }
        };
        let chapters = self.chapters.iter().map(|Chapter { heading, steps }| {
            (heading.as_deref(), steps.iter().map(&mut shown).collect())
        });
        chapters.collect()
    }

    /// What every form says where steps are missing or there is none.
    fn remark(&self) -> Option<String> {
        match self.left_out {
            0 if self.start().is_none() => Some("Nothing was seen.".to_owned()),
            0 => None,
            left_out => Some(format!(
                "{} later {} left out: a trace keeps {} steps and headings, and {} MiB of text.",
                moment::thousands(left_out as u128),
                if left_out == 1 {
                    "step is"
                } else {
                    "steps are"
                },
                moment::thousands(Self::MOST as u128),
                Self::MOST_BYTES >> 20,
            )),
        }
    }
}

impl Step {
    fn since(&self, start: SystemTime) -> Option<Duration> {
        self.at.duration_since(start).ok()
    }
}
