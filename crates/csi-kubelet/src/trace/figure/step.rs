//! One step: texts above arrows, or a box.

use super::super::escape::or_empty;
use super::super::look::Look;
use super::super::moment::milliseconds;
use super::super::{Shown, Step};
use super::{Drawn, GUTTER, MARGIN, NOTE, x};

/// Half the width of the bar that shows who is at work.
const BAR: usize = 5;
/// The length of an arrow's tip.
const TIP: usize = 9;
/// Room between a text and the lines of life beside it.
const AIR: usize = 14;
/// The size of the mark before an outcome, and the room after it.
const MARK: usize = 16;

/// How many lines the fields of a request or an answer may take.
const FIELDS: usize = 6;

pub(super) fn drawn(shown: &Shown<'_>) -> Drawn {
    let mut drawn = if shown.step.is_note() {
        note(shown.step)
    } else {
        call(shown.step)
    };
    let right = GUTTER - MARGIN;
    let mut baseline = 16;
    for text in [shown.number.to_string(), milliseconds(shown.after)] {
        for line in Look::TIME.lines(&text, right) {
            drawn
                .body
                .push_str(&Look::TIME.drawn(&line, "end", right, baseline));
            baseline += Look::TIME.height;
        }
    }
    drawn
}

fn call(step: &Step) -> Drawn {
    let [from, to] = [x(step.from), x(step.to)];
    let mut pen = Pen {
        middle: (from + to) / 2,
        room: from.abs_diff(to) - 2 * AIR,
        y: 4,
        body: String::new(),
    };
    pen.texts(&step.what, Look::WHAT);
    pen.fields(&step.request);
    pen.y += 7;
    let begun = pen.y;
    let failed = step.good == Some(false);
    if !step.is_answered() {
        pen.arrow(from, to, "arrow", failed, [0, 0]);
        return pen.drawn();
    }
    pen.y += 2;
    pen.outcome(step);
    pen.fields(&step.answer);
    pen.texts(&step.message, Look::MESSAGE);
    pen.y += 7;
    let ended = pen.y;
    let bar = format!(
        "<rect class=\"bar\" x=\"{}\" y=\"{begun}\" width=\"{}\" height=\"{}\" rx=\"1\"/>\n",
        to - BAR,
        2 * BAR,
        ended - begun,
    );
    pen.body.push_str(&bar);
    pen.y = begun;
    pen.arrow(from, to, "arrow", false, [0, BAR]);
    pen.y = ended;
    pen.arrow(to, from, "arrow back", failed, [BAR, 0]);
    pen.drawn()
}

fn note(step: &Step) -> Drawn {
    let middle = x(step.from);
    let mut pen = Pen {
        middle,
        room: NOTE - 20,
        y: 11,
        body: String::new(),
    };
    pen.marked(&step.what, Look::NOTE, step.good);
    if !step.outcome().is_empty() {
        pen.texts(&step.outcome(), Look::CODE);
    }
    for fields in [&step.request, &step.answer] {
        pen.fields(fields);
    }
    pen.texts(&step.message, Look::MESSAGE);
    let left = middle - NOTE / 2;
    let height = pen.y + 6 - 5;
    let texts = &pen.body;
    pen.body = format!(
        "<rect class=\"note\" x=\"{left}\" y=\"5\" width=\"{NOTE}\" height=\"{height}\" rx=\"9\"/>\n<g class=\"note-text\">\n{texts}</g>\n"
    );
    pen.drawn()
}

/// Where the next thing is drawn.
struct Pen {
    middle: usize,
    room: usize,
    y: usize,
    body: String,
}

impl Pen {
    fn drawn(self) -> Drawn {
        Drawn {
            body: self.body,
            // At least the number and the time, and the distance to the next step.
            height: self.y.max(30) + 12,
        }
    }

    fn texts(&mut self, text: &str, look: Look) {
        for line in look.lines(text, self.room) {
            self.line(&line, look, self.middle);
        }
    }

    /// Each field on lines of its own. What is missing here is in the table.
    fn fields(&mut self, fields: &[(String, String)]) {
        let lines = fields.iter().flat_map(|(name, value)| {
            let value = or_empty(value);
            Look::MORE.lines(&format!("{name}={value}"), self.room)
        });
        let mut lines: Vec<String> = lines.take(FIELDS + 1).collect();
        if lines.len() > FIELDS {
            lines.truncate(FIELDS - 1);
            lines.push("\u{2026}".to_owned());
        }
        for line in lines {
            self.line(&line, Look::MORE, self.middle);
        }
    }

    /// The code and the time of a call, after a tick or a cross.
    fn outcome(&mut self, step: &Step) {
        let known = step.outcome();
        let text = match (known.is_empty(), step.good) {
            (false, _) => &known,
            (true, Some(false)) => "failed",
            (true, _) => return,
        };
        self.marked(text, Look::CODE, step.good);
    }

    /// A text with a tick or a cross before its first line.
    fn marked(&mut self, text: &str, look: Look, good: Option<bool>) {
        let Some(good) = good else {
            return self.texts(text, look);
        };
        let lines = look.lines(text, self.room - MARK);
        let first = lines.first().map_or(0, |line| look.width(line));
        let left = self.middle - (first + MARK) / 2;
        let y = self.y + look.height - 8;
        let shape = if good {
            format!("M{left} {y}l3 4l6 -8")
        } else {
            format!("M{left} {}l8 8m0 -8l-8 8", y - 4)
        };
        self.body
            .push_str(&format!("<path class=\"mark\" d=\"{shape}\"/>\n"));
        for (at, line) in lines.iter().enumerate() {
            let beside = if at == 0 { MARK / 2 } else { 0 };
            self.line(line, look, self.middle + beside);
        }
    }

    fn line(&mut self, line: &str, look: Look, middle: usize) {
        self.y += look.height;
        let baseline = self.y - 4;
        self.body
            .push_str(&look.drawn(line, "middle", middle, baseline));
    }

    /// An arrow that begins and ends so far from the lines of life; with a cross for a tip where it is a failure.
    fn arrow(&mut self, from: usize, to: usize, class: &str, failed: bool, off: [usize; 2]) {
        let y = self.y;
        let right = from < to;
        let [start, end] = if right {
            [from + off[0], to - off[1]]
        } else {
            [from - off[0], to + off[1]]
        };
        let foot = if right { end - TIP } else { end + TIP };
        self.body.push_str(&format!(
            "<path class=\"{class}\" d=\"M{start} {y}H{foot}\"/>\n"
        ));
        let [above, below] = [y - 5, y + 5];
        let tip = if failed {
            let middle = foot.midpoint(end);
            let [left, right] = [middle - 5, middle + 5];
            format!(
                "<path class=\"mark\" d=\"M{left} {above}L{right} {below}M{right} {above}L{left} {below}\"/>\n"
            )
        } else {
            format!("<path class=\"tip\" d=\"M{end} {y}L{foot} {above}V{below}Z\"/>\n")
        };
        self.body.push_str(&tip);
    }
}
