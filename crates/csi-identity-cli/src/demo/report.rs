use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use csi_identity::code_name;
use csi_kubelet::{Event, Participant, Step, Trace, What};
use serde_json::{Value, json};
use tonic::Code;

use super::caller::{Answer, Caller};
use super::recorder::Recorded;
use crate::output::{Format, printable, write_json_line};

const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";
const BOLD: &str = "\u{1b}[1m";
const RESET: &str = "\u{1b}[0m";

/// Where the steps are written, and what is counted for the summary.
pub(super) struct Report<'a, W> {
    out: &'a mut W,
    format: Format,
    colour: bool,
    started: Instant,
    calls: u32,
    registrations: u32,
    unexpected: u32,
    trace: Trace,
    registration: Trace,
}

impl<'a, W: Write> Report<'a, W> {
    pub(super) fn new(out: &'a mut W, format: Format, colour: bool) -> Self {
        let started = Instant::now();
        Self {
            out,
            format,
            colour,
            started,
            calls: 0,
            registrations: 0,
            unexpected: 0,
            trace: Trace::new("A plugin, its agent and a kubelet"),
            registration: Trace::new("How a plugin is registered"),
        }
    }

    /// Another part of the story begins.
    pub(super) fn chapter(&mut self, heading: &str) -> io::Result<()> {
        self.trace.chapter(heading);
        match self.format {
            Format::Text => {
                let (on, off) = self.style(BOLD);
                writeln!(self.out, "{on}{heading}{off}")
            }
            Format::Json => write_json_line(self.out, &json!({ "chapter": heading })),
        }
    }

    /// What has been told so far, as pictures: all of it, and until the plugin was registered.
    pub(super) fn traces(&self) -> (&Trace, &Trace) {
        (&self.trace, &self.registration)
    }

    fn keep(&mut self, step: Step) {
        if self.registrations == 0 {
            self.registration.push(step.clone());
        }
        self.trace.push(step);
    }

    /// The agent asked the plugin.
    pub(super) fn recorded(&mut self, recorded: &Recorded) -> io::Result<()> {
        let Recorded {
            at,
            took,
            method,
            code,
            answer,
        } = recorded;
        let mut step = Step::call(*at, Participant::Registrar, Participant::Plugin, method);
        step.took = Some(*took);
        step.code = Some(code_name(*code).to_owned());
        step.good = Some(*code == Code::Ok);
        match answer {
            Value::Object(fields) => {
                let texts = fields
                    .iter()
                    .map(|(key, value)| (key.clone(), leaves(value)));
                step.answer = texts.filter(|(_, text)| !text.is_empty()).collect();
            }
            other => step.message = other.as_str().unwrap_or_default().to_owned(),
        }
        self.keep(step);
        let (code, took) = (code_name(*code), milliseconds(*took));
        match self.format {
            Format::Text => {
                let answer = answer.to_string();
                writeln!(
                    self.out,
                    "    agent: {method} {{}} -> {code} {} ({took} ms)",
                    printable(&answer)
                )
            }
            Format::Json => {
                let line = json!({ "client": "agent", "rpc": method, "code": code, "answer": answer, "duration_ms": took });
                write_json_line(self.out, &line)
            }
        }
    }

    /// The kubelet saw or did something.
    pub(super) fn kubelet(&mut self, event: &Event) -> io::Result<()> {
        let Some(step) = event.to_step() else {
            return Ok(());
        };
        self.keep(step);
        self.registrations += u32::from(matches!(event.what, What::Registered));
        match self.format {
            Format::Text => {
                let line = event.to_string();
                // The time of day is of no interest here.
                let (_, rest) = line.split_once(' ').unwrap_or_default();
                writeln!(self.out, "    kubelet: {}", printable(rest))
            }
            Format::Json => write_json_line(self.out, &event.to_json()),
        }
    }

    /// What was waited for did not come.
    pub(super) fn missing(&mut self, what: &str, patience: Duration) -> io::Result<()> {
        self.unexpected += 1;
        self.event(format_args!(
            "not within {patience:?}: {what}  <- not expected"
        ))
    }

    /// Something happens to the plugin or its backend.
    pub(super) fn event(&mut self, what: fmt::Arguments<'_>) -> io::Result<()> {
        match self.format {
            Format::Text => {
                let (on, off) = self.style(BOLD);
                writeln!(self.out, "{on}* {what}{off}")
            }
            Format::Json => writeln!(self.out, "{}", json!({ "event": what.to_string() })),
        }
    }

    /// The same, where it is to be seen in the picture too.
    pub(super) fn note(&mut self, whose: Participant, what: fmt::Arguments<'_>) -> io::Result<()> {
        let note = Step::note(SystemTime::now(), whose, what.to_string());
        self.keep(note);
        self.event(what)
    }

    /// A client comes in.
    pub(super) fn caller(&mut self, caller: &Caller) -> io::Result<()> {
        let Caller {
            kind, authority, ..
        } = caller;
        match self.format {
            Format::Text => writeln!(
                self.out,
                "  like {}; their :authority is {authority}",
                kind.who()
            ),
            Format::Json => {
                writeln!(
                    self.out,
                    "{}",
                    json!({ "client": kind.who(), "authority": authority })
                )
            }
        }
    }

    /// A call was answered; returns whether as expected.
    pub(super) fn call(
        &mut self,
        answer: &Answer,
        expected: impl Fn(&Answer) -> bool,
    ) -> io::Result<bool> {
        let good = expected(answer);
        self.calls += 1;
        self.unexpected += u32::from(!good);
        let Answer {
            kind,
            call,
            code,
            body,
            took,
        } = answer;
        let took = milliseconds(*took);
        match self.format {
            Format::Text => {
                let (on, off) = self.style(if answer.is_ok() { GREEN } else { YELLOW });
                let surprise = if good { "" } else { "  <- not expected" };
                let call = call.name();
                writeln!(
                    self.out,
                    "    {call} {{}} -> {on}{code}{off} {body}  {took:.2} ms{surprise}"
                )?;
            }
            Format::Json => {
                let line = json!({
                    "client": kind.who(),
                    "rpc": call.name(),
                    "request": {},
                    "code": code,
                    "answer": body,
                    "duration_ms": took,
                    "expected": good,
                });
                writeln!(self.out, "{line}")?;
            }
        }
        Ok(good)
    }

    pub(super) fn summary(&mut self, good: bool, picture: &Path) -> io::Result<()> {
        let Self {
            calls,
            registrations,
            unexpected,
            ..
        } = *self;
        let seconds = self.started.elapsed().as_secs_f64();
        match self.format {
            Format::Text => {
                let (on, off) = self.style(if good { GREEN } else { YELLOW });
                writeln!(
                    self.out,
                    "{on}{calls} calls and {registrations} registrations in {seconds:.1} s, {unexpected} not as expected{off}"
                )?;
                writeln!(self.out, "the picture of it is in {}", picture.display())
            }
            Format::Json => {
                let line = json!({
                    "calls": calls,
                    "registrations": registrations,
                    "unexpected": unexpected,
                    "duration_s": seconds,
                    "picture": picture.to_string_lossy(),
                });
                write_json_line(self.out, &line)
            }
        }
    }

    fn style(&self, on: &'static str) -> (&'static str, &'static str) {
        if self.colour { (on, RESET) } else { ("", "") }
    }
}

/// What a value says without its structure.
fn leaves(value: &Value) -> String {
    let texts: Vec<_> = match value {
        Value::Array(values) => values.iter().map(leaves).collect(),
        Value::Object(fields) => fields.values().map(leaves).collect(),
        Value::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    };
    texts.join(" ")
}

fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
