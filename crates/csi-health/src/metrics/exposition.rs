//! The text format of Prometheus, version 0.0.4.

use std::fmt::{self, Write};

/// A text under construction.
#[derive(Debug, Default)]
pub(super) struct Exposition(String);

/// What cannot fail, since a `String` takes everything.
fn written(result: fmt::Result) {
    debug_assert!(result.is_ok(), "a string takes every text");
}

impl Exposition {
    /// Begins a family. `help` has no backslash and no line feed.
    pub(super) fn family(&mut self, name: &str, kind: &str, help: &str) {
        written(writeln!(
            self.0,
            "# HELP {name} {help}\n# TYPE {name} {kind}"
        ));
    }

    pub(super) fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        self.line(name, labels, format_args!("{value}"));
    }

    pub(super) fn count(&mut self, name: &str, labels: &[(&str, &str)], count: u64) {
        self.line(name, labels, format_args!("{count}"));
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: fmt::Arguments<'_>) {
        self.0.push_str(name);
        for (at, (label, text)) in labels.iter().enumerate() {
            self.0.push(if at == 0 { '{' } else { ',' });
            self.0.push_str(label);
            self.0.push_str("=\"");
            self.escaped(text);
            self.0.push('"');
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        written(writeln!(self.0, " {value}"));
    }

    fn escaped(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '\\' => self.0.push_str("\\\\"),
                '"' => self.0.push_str("\\\""),
                '\n' => self.0.push_str("\\n"),
                c => self.0.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Exposition;

    #[test]
    fn label_values_are_escaped() {
        let mut text = Exposition::default();
        text.sample("a", &[("b", "\\ \" \n ä"), ("c", "")], 0.25);
        assert_eq!(text.into_text(), "a{b=\"\\\\ \\\" \\n ä\",c=\"\"} 0.25\n");
    }
}
