use std::str::FromStr;

use anyhow::{Context, Error, Result, bail};
use serde_json::Value;

use super::rows;
use crate::table;

/// What each client shows of a plugin with which something is wrong.
#[derive(Debug)]
pub(crate) struct Errors(Vec<Row>);

/// One call of one client in one way.
///
/// As text, fields with tabs between: those of a line in `interop/errors/cases`, then what the client printed.
#[derive(Debug)]
struct Row {
    case: Case,
    client: String,
    way: String,
    shown: Shown,
}

#[derive(Debug, PartialEq, Eq)]
struct Case {
    configuration: String,
    sent: String,
    right: Shown,
}

#[derive(Debug, PartialEq, Eq)]
struct Shown {
    code: String,
    message: String,
}

impl Errors {
    /// A sentence for everything that is not as it has to be.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let wrong = self.0.iter().filter(|row| row.shown != row.case.right);
        let complaint = |row: &Row| {
            format!(
                "{}, {}, {}: {} has to be shown, not {}",
                row.client,
                row.way,
                row.case.sent,
                row.case.right.text(),
                row.shown.text()
            )
        };
        wrong.map(complaint).collect()
    }

    /// A row for each answer to each case, with the clients that show it.
    pub(crate) fn table(&self) -> String {
        let mut rows: Vec<(&Row, Vec<&str>)> = Vec::new();
        for row in &self.0 {
            let same = |(first, _): &&mut (&Row, Vec<&str>)| {
                first.case == row.case && first.shown == row.shown
            };
            match rows.iter_mut().find(same) {
                Some((_, clients)) if clients.contains(&row.client.as_str()) => {}
                Some((_, clients)) => clients.push(&row.client),
                None => rows.push((row, vec![&row.client])),
            }
        }
        let header = ["plugin", "what is sent", "code and message", "shown by"];
        let rows = rows.into_iter().map(|(row, clients)| {
            [
                format!("`{}`", row.case.configuration),
                row.case.sent.clone(),
                row.shown.text(),
                clients.join(", "),
            ]
        });
        table::render(header.map(str::to_owned), rows)
    }

    /// The part of `docs/interop.md`.
    pub(crate) fn section(&self) -> String {
        format!(
            "\
## What a client sees when something is wrong

`csi-identity serve --config` with what the first column says; each client makes the call once in each way of dialling that the
first table has for `identity`, and has to show this code and exactly this message in all of them, within 5 s.

{}",
            self.table()
        )
    }
}

impl Shown {
    fn text(&self) -> String {
        match self.message.as_str() {
            "" => format!("{} without a message", self.code),
            message => format!("{} `{message}`", self.code),
        }
    }
}

impl FromStr for Errors {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        rows(text).map(Self)
    }
}

impl FromStr for Row {
    type Err = Error;

    fn from_str(line: &str) -> Result<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [configuration, _call, code, message, sent, printed] = fields[..] else {
            bail!("{} fields, not 6", fields.len());
        };
        let printed: Value = serde_json::from_str(printed)?;
        let text = |key: &str| {
            let found = printed.get(key).and_then(Value::as_str).map(str::to_owned);
            found.with_context(|| format!("no text {key:?}"))
        };
        Ok(Self {
            case: Case {
                configuration: configuration.to_owned(),
                sent: sent.to_owned(),
                right: Shown {
                    code: code.to_owned(),
                    message: if message == "-" { "" } else { message }.to_owned(),
                },
            },
            client: text("client")?,
            way: text("way")?,
            shown: Shown {
                code: text("code")?,
                message: text("message")?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(case: &str, client: &str, code: &str, message: &str) -> String {
        format!(
            r#"probe: {{ready: false}}	{case}	{{"client":"{client}","way":"unix:/","code":"{code}","message":"{message}"}}
"#
        )
    }

    const PROBE: &str = "probe\tOK\tready=false\tProbe";
    const MISSING: &str = "controller\tUNIMPLEMENTED\t-\tControllerGetCapabilities";

    #[test]
    fn only_the_code_and_message_of_the_case_pass() {
        for (text, expected) in [
            (row(PROBE, "grpc-go", "OK", "ready=false"), vec![]),
            (row(MISSING, "grpc-go", "UNIMPLEMENTED", ""), vec![]),
            (
                row(PROBE, "grpc-go", "OK", "ready=true"),
                vec![
                    "grpc-go, unix:/, Probe: OK `ready=false` has to be shown, not OK `ready=true`",
                ],
            ),
            (
                row(MISSING, "grpc-go", "UNKNOWN", ""),
                vec![
                    "grpc-go, unix:/, ControllerGetCapabilities: UNIMPLEMENTED without a message has to be shown, \
                     not UNKNOWN without a message",
                ],
            ),
        ] {
            let errors: Errors = text.parse().unwrap();
            assert_eq!(errors.complaints(), expected, "{text}");
        }
    }

    #[test]
    fn clients_that_show_the_same_share_a_row() {
        let text = row(PROBE, "grpc-go", "OK", "ready=false")
            + &row(PROBE, "grpc-go", "OK", "ready=false")
            + &row(PROBE, "grpcio", "OK", "ready=false")
            + &row(PROBE, "grpc-js", "INTERNAL", "");
        let errors: Errors = text.parse().unwrap();
        let table = "\
| plugin                  | what is sent | code and message           | shown by        |
| ---                     | ---          | ---                        | ---             |
| `probe: {ready: false}` | Probe        | OK `ready=false`           | grpc-go, grpcio |
| `probe: {ready: false}` | Probe        | INTERNAL without a message | grpc-js         |
";
        assert_eq!(errors.table(), table);
        assert!(errors.section().ends_with(&format!(".\n\n{table}")));
    }

    #[test]
    fn bad_results_are_errors() {
        for (text, expected) in [
            ("", "there are no results"),
            ("probe\tOK", "2 fields, not 6"),
            ("a\tb\tc\td\te\t{}", "no text \"client\""),
        ] {
            let error = text.parse::<Errors>().unwrap_err();
            assert_eq!(error.root_cause().to_string(), expected);
        }
    }
}
