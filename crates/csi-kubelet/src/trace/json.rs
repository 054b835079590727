use serde_json::{Value, json};

use super::moment::{as_milliseconds, rfc3339};
use super::{Shown, Trace};

impl Trace {
    /// Everything, for programs: `title`, `start` (RFC 3339, null without steps), `chapters` and how many steps were `left_out`.
    ///
    /// A chapter has a `heading` (null where none was given) and `steps`, each with `number`, `after_ms` (since `start`), `from`, `to` (the same for a note), `what`,
    /// `code`, `took_ms`, `request` and `answer` (lists of `name` and `value`), `message` and `good`. What is not known is null.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let chapters = self.shown().into_iter().map(|(heading, steps)| {
            json!({ "heading": heading, "steps": steps.into_iter().map(step).collect::<Vec<_>>() })
        });
        json!({
            "title": self.title,
            "start": self.start().map(rfc3339),
            "chapters": chapters.collect::<Vec<_>>(),
            "left_out": self.left_out,
        })
    }
}

fn step(
    Shown {
        number,
        after,
        step,
    }: Shown<'_>,
) -> Value {
    json!({
        "number": number,
        "after_ms": as_milliseconds(after),
        "from": step.from.name(),
        "to": step.to.name(),
        "what": step.what,
        "code": step.code,
        "took_ms": step.took.map(as_milliseconds),
        "request": fields(&step.request),
        "answer": fields(&step.answer),
        "message": step.message,
        "good": step.good,
    })
}

fn fields(fields: &[(String, String)]) -> Value {
    let fields = fields.iter();
    fields
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect()
}
