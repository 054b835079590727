use super::escape::{markdown, mermaid, one_line, or_empty};
use super::moment::{milliseconds, rfc3339};
use super::{Participant, Shown, Step, Trace, wrap};

/// Mermaid refuses a diagram of more than 50,000 characters.
const MOST_CHARACTERS: usize = 40_000;
/// More steps than that nobody follows in one diagram.
const MOST_STEPS: usize = 40;
/// Longer texts make a diagram wide; the table has them whole.
const MOST_COLUMNS: usize = 60;

const TABLE: &str = "\
| # | After | From | To | What | Result | Took | Details |
|--:|--:|---|---|---|---|--:|---|
";

impl Trace {
    /// Markdown: for each chapter Mermaid sequence diagrams and a table that has all texts whole.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let mut text = format!("# {}\n", heading(&self.title));
        if let Some(start) = self.start() {
            text.push_str(&format!("\nTimes count from {}.\n", rfc3339(start)));
        }
        if let Some(remark) = self.remark() {
            text.push_str(&format!("\n**{remark}**\n"));
        }
        for (heading, steps) in self.shown() {
            if let Some(heading) = heading {
                text.push_str(&format!("\n## {}\n", self::heading(heading)));
            }
            if steps.is_empty() {
                continue;
            }
            push_diagrams(&steps, &mut text);
            text.push('\n');
            text.push_str(TABLE);
            for shown in &steps {
                text.push_str(&row(shown));
            }
        }
        text
    }
}

fn heading(text: &str) -> String {
    markdown(&one_line(text))
}

fn push_diagrams(steps: &[Shown<'_>], text: &mut String) {
    let mut diagram = String::new();
    let mut inside = 0;
    for shown in steps {
        let lines = lines(shown.step);
        if inside == MOST_STEPS || diagram.len() + lines.len() > MOST_CHARACTERS {
            push_diagram(&diagram, text);
            diagram.clear();
            inside = 0;
        }
        diagram.push_str(&lines);
        inside += 1;
    }
    push_diagram(&diagram, text);
}

fn push_diagram(lines: &str, text: &mut String) {
    text.push_str("\n```mermaid\nsequenceDiagram\n");
    for participant in Participant::ALL {
        let (id, name) = (id(participant), participant.name());
        text.push_str(&format!("    participant {id} as {name}\n"));
    }
    text.push_str(lines);
    text.push_str("```\n");
}

const fn id(participant: Participant) -> &'static str {
    match participant {
        Participant::Registrar => "R",
        Participant::Plugin => "P",
        Participant::Kubelet => "K",
        Participant::ApiServer => "A",
    }
}

fn lines(step: &Step) -> String {
    let [from, to] = [step.from, step.to].map(id);
    let failed = step.good == Some(false);
    let what = short(&step.what);
    let mut outcome: Vec<String> = Vec::new();
    if step.good.is_some() && (failed || step.is_note()) {
        outcome.push(if failed { "\u{2717}" } else { "\u{2713}" }.to_owned());
    }
    if step.is_note() {
        outcome.push(what);
        let mut note = outcome.join(" ");
        if !step.message.is_empty() {
            note.push_str(&format!("<br/>{}", short(&step.message)));
        }
        return format!("    Note over {from}: {note}\n");
    }
    if !step.is_answered() {
        let arrow = if failed { "-x" } else { "->>" };
        return format!("    {from}{arrow}{to}: {what}\n");
    }
    let back = if failed { "--x" } else { "-->>" };
    let known = step.outcome();
    if !known.is_empty() {
        outcome.push(short(&known));
    }
    let mut answer = vec![outcome.join(" ")];
    if !step.message.is_empty() {
        answer.push(short(&step.message));
    }
    answer.retain(|line| !line.is_empty());
    // A message without text is none to Mermaid.
    let answer = if answer.is_empty() {
        "answer".to_owned()
    } else {
        answer.join("<br/>")
    };
    format!("    {from}->>+{to}: {what}\n    {to}{back}-{from}: {answer}\n")
}

fn short(text: &str) -> String {
    let short = mermaid(&wrap::shortened(&one_line(text), MOST_COLUMNS));
    if short.is_empty() {
        "(no text)".to_owned()
    } else {
        short
    }
}

fn row(
    Shown {
        number,
        after,
        step,
    }: &Shown<'_>,
) -> String {
    let result = match (&step.code, step.good) {
        (Some(code), Some(false)) => format!("**failed**: {}", markdown(code)),
        (Some(code), _) => markdown(code),
        (None, Some(false)) => "**failed**".to_owned(),
        (None, Some(true)) => "ok".to_owned(),
        (None, None) => String::new(),
    };
    let mut details: Vec<String> = Vec::new();
    for (which, fields) in step.fields() {
        let fields = fields.iter();
        details.extend(fields.map(|(name, value)| {
            format!("{which}{}: {}", markdown(name), markdown(or_empty(value)))
        }));
    }
    if !step.message.is_empty() {
        details.push(format!("message: {}", markdown(&step.message)));
    }
    format!(
        "| {number} | {} | {} | {} | {} | {result} | {} | {} |\n",
        milliseconds(*after),
        step.from.name(),
        if step.is_note() { "" } else { step.to.name() },
        markdown(&step.what),
        step.took.map(milliseconds).unwrap_or_default(),
        details.join("<br>"),
    )
}
