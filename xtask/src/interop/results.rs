use std::str::FromStr;

use anyhow::{Context, Error, Result, bail};
use serde_json::Value;

use super::rows;

/// How often each client calls: 1,000 times on one connection, then 20 times on each of five.
const CALLS: u64 = 1100;

/// What the clients saw.
#[derive(Debug)]
pub(crate) struct Results(pub(crate) Vec<Row>);

/// One way of dialling, and how it went.
///
/// As text, fields with tabs between: what the stock server is known to do (`answered` or `refused`), the authority that
/// the client sends, and what the client printed with the stock server and with ours (`-` where it was not called).
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) client: String,
    pub(crate) version: String,
    pub(crate) way: String,
    pub(crate) service: String,
    pub(crate) authority: String,
    stock_answers: bool,
    pub(crate) stock: Outcome,
    pub(crate) ours: Option<Outcome>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Answered,
    Failed { error: String },
}

impl Results {
    /// A sentence for everything that is not as it has to be.
    pub(crate) fn complaints(&self) -> Vec<String> {
        self.0.iter().flat_map(Row::complaints).collect()
    }
}

impl Row {
    fn complaints(&self) -> Vec<String> {
        let call = format!("{}, {}, {}", self.client, self.way, self.service);
        let mut complaints = Vec::new();
        if let Some(Outcome::Failed { error }) = &self.ours {
            complaints.push(format!("{call}: csi-identity has to answer, but: {error}"));
        }
        match (self.stock_answers, &self.stock) {
            (false, Outcome::Answered) => complaints.push(format!(
                "{call}: the stock server answers, so docs/interop.md and the client's ways are stale"
            )),
            (true, Outcome::Failed { error }) => complaints.push(format!(
                "{call}: the stock server is known to answer, but: {error}"
            )),
            (false, Outcome::Failed { .. }) | (true, Outcome::Answered) => {}
        }
        complaints
    }
}

impl FromStr for Results {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        rows(text).map(Self)
    }
}

impl FromStr for Row {
    type Err = Error;

    fn from_str(line: &str) -> Result<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [known, authority, stock, ours] = fields[..] else {
            bail!("{} fields, not 4", fields.len());
        };
        let stock: Value = serde_json::from_str(stock)?;
        let text = |key: &str| {
            let found = stock.get(key).and_then(Value::as_str).map(str::to_owned);
            found.with_context(|| format!("no text {key:?}"))
        };
        Ok(Self {
            client: text("client")?,
            version: text("version")?,
            way: text("way")?,
            service: text("service")?,
            authority: authority.to_owned(),
            stock_answers: match known {
                "answered" => true,
                "refused" => false,
                other => bail!("{other:?} is neither \"answered\" nor \"refused\""),
            },
            stock: outcome(&stock)?,
            ours: match ours {
                "-" => None,
                ours => Some(outcome(&serde_json::from_str(ours)?)?),
            },
        })
    }
}

fn outcome(printed: &Value) -> Result<Outcome> {
    let answered = printed.get("calls_ok").and_then(Value::as_u64);
    let answered = answered.context("no number \"calls_ok\"")?;
    let error = match printed.get("first_error").context("no \"first_error\"")? {
        Value::Null if answered == CALLS => return Ok(Outcome::Answered),
        Value::Null => format!("{answered} calls were made, not {CALLS}"),
        Value::String(error) if answered == 0 => error.clone(),
        Value::String(error) => format!("{error} (after {answered} right answers)"),
        other => bail!("\"first_error\" is {other}, neither text nor null"),
    };
    Ok(Outcome::Failed { error })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(calls_ok: u64, first_error: &str) -> String {
        format!(
            r#"{{"client":"grpc-go","version":"1.85.0","way":"unix:/","service":"identity","calls_ok":{calls_ok},"first_error":{first_error}}}"#
        )
    }

    fn row(known: &str, stock: &str, ours: &str) -> String {
        format!("{known}\tlocalhost\t{stock}\t{ours}\n")
    }

    #[test]
    fn only_what_has_to_be_passes() {
        let right = &printed(1100, "null");
        let reset = &printed(0, r#""reset""#);
        let ours = |error: &str| {
            vec![format!(
                "grpc-go, unix:/, identity: csi-identity has to answer, but: {error}"
            )]
        };
        let stock = |text: &str| {
            vec![format!(
                "grpc-go, unix:/, identity: the stock server {text}"
            )]
        };
        for (text, expected) in [
            (row("answered", right, right), vec![]),
            (row("refused", reset, right), vec![]),
            (row("refused", reset, "-"), vec![]),
            (row("answered", right, reset), ours("reset")),
            (
                row("answered", right, &printed(999, "null")),
                ours("999 calls were made, not 1100"),
            ),
            (
                row("answered", right, &printed(77, r#""reset""#)),
                ours("reset (after 77 right answers)"),
            ),
            (
                row("refused", right, right),
                stock("answers, so docs/interop.md and the client's ways are stale"),
            ),
            (
                row("answered", reset, right),
                stock("is known to answer, but: reset"),
            ),
        ] {
            let results: Results = text.parse().unwrap();
            assert_eq!(results.complaints(), expected, "{text}");
        }
    }

    #[test]
    fn bad_results_are_errors() {
        let right = &printed(1100, "null");
        for (text, expected) in [
            (String::new(), "there are no results"),
            ("answered\tlocalhost".to_owned(), "2 fields, not 4"),
            (
                row("yes", right, right),
                "\"yes\" is neither \"answered\" nor \"refused\"",
            ),
            (row("answered", "{}", "-"), "no text \"client\""),
            (row("answered", right, "{}"), "no number \"calls_ok\""),
            (
                row("answered", right, r#"{"calls_ok":1}"#),
                "no \"first_error\"",
            ),
            (
                row("answered", right, &printed(1, "7")),
                "\"first_error\" is 7, neither text nor null",
            ),
        ] {
            let error = text.parse::<Results>().unwrap_err();
            assert_eq!(error.root_cause().to_string(), expected);
        }
    }
}
