use std::fmt;
use std::io::{self, Write};
use std::time::Instant;

use serde_json::json;

use super::caller::{Answer, Caller};
use crate::output::Format;

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
    unexpected: u32,
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
            unexpected: 0,
        }
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
        let milliseconds = took.as_secs_f64() * 1000.0;
        match self.format {
            Format::Text => {
                let (on, off) = self.style(if answer.is_ok() { GREEN } else { YELLOW });
                let surprise = if good { "" } else { "  <- not expected" };
                let call = call.name();
                writeln!(
                    self.out,
                    "    {call} {{}} -> {on}{code}{off} {body}  {milliseconds:.2} ms{surprise}"
                )?;
            }
            Format::Json => {
                let line = json!({
                    "client": kind.who(),
                    "rpc": call.name(),
                    "request": {},
                    "code": code,
                    "answer": body,
                    "duration_ms": (milliseconds * 1000.0).round() / 1000.0,
                    "expected": good,
                });
                writeln!(self.out, "{line}")?;
            }
        }
        Ok(good)
    }

    pub(super) fn summary(&mut self, good: bool) -> io::Result<()> {
        let Self {
            calls, unexpected, ..
        } = *self;
        let seconds = self.started.elapsed().as_secs_f64();
        match self.format {
            Format::Text => {
                let (on, off) = self.style(if good { GREEN } else { YELLOW });
                writeln!(
                    self.out,
                    "{on}{calls} calls in {seconds:.1} s, {unexpected} not as expected; nothing is left behind{off}"
                )
            }
            Format::Json => {
                let line =
                    json!({ "calls": calls, "unexpected": unexpected, "duration_s": seconds });
                writeln!(self.out, "{line}")
            }
        }
    }

    fn style(&self, on: &'static str) -> (&'static str, &'static str) {
        if self.colour { (on, RESET) } else { ("", "") }
    }
}
