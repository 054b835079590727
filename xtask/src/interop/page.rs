use std::fmt::{self, Display};

use super::results::{Outcome, Results};
use crate::table;

/// `docs/interop.md`.
pub(crate) struct Page<'a> {
    pub(crate) results: &'a Results,
    /// Version of the stock server.
    pub(crate) tonic: &'a str,
    /// The sections of what else `interop/run` runs, with their headings.
    pub(crate) sections: &'a str,
}

/// The part that is shown after each run.
pub(crate) fn table(results: &Results, tonic: &str) -> String {
    let header = [
        "client".to_owned(),
        "way of dialling".to_owned(),
        "`:authority`".to_owned(),
        "service".to_owned(),
        "csi-identity".to_owned(),
        format!("tonic {tonic}"),
    ];
    let rows = results.0.iter().map(|row| {
        [
            format!("{} {}", row.client, row.version),
            format!("`{}`", row.way),
            format!("`{}`", row.authority),
            row.service.clone(),
            cell(row.ours.as_ref()).to_owned(),
            cell(Some(&row.stock)).to_owned(),
        ]
    });
    table::render(header, rows)
}

impl Page<'_> {
    /// What each client says where the stock server refuses it, once.
    fn refusals(&self) -> Vec<String> {
        let mut refusals = Vec::new();
        for row in &self.results.0 {
            if let Outcome::Failed { error } = &row.stock {
                let refusal = format!("{} {}: `{error}`", row.client, row.version);
                if !refusals.contains(&refusal) {
                    refusals.push(refusal);
                }
            }
        }
        refusals
    }
}

impl Display for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            results,
            tonic,
            sections,
        } = self;
        writeln!(
            f,
            "\
# Other people's clients

A gRPC client of a Unix socket has no host name to send as `:authority`. Some send `localhost`, others what they make of
the path; the kubelet, when it registers a driver, Python and Java are among the latter. HTTP/2 servers in Rust refuse a
request whose authority is no host name, before any code of the driver runs. `csi-identity` puts the authority right
before the server sees it.

Each row is 1,000 calls over one connection, with up to six random metadata fields of up to 400 bytes each, then 20 calls
over each of five connections at once. Every answer is compared. \"Answered\" means all of them. The right column is an
ordinary tonic {tonic} server, set up as its documentation shows (`interop/stock-tonic`).
"
        )?;
        writeln!(f, "{}", table(results, tonic))?;
        writeln!(
            f,
            "\
The service `identity` is a plugin's, `registration` that of the agent's socket, which the kubelet calls. `/path/csi.sock`
stands for the socket's path; the authority is what was seen on the wire.

## What the clients say where tonic refuses them
"
        )?;
        for refusal in self.refusals() {
            writeln!(f, "- {refusal}")?;
        }
        write!(
            f,
            "
{sections}
## How to repeat

`interop/run` runs all of this whose language is installed, shows the tables, and fails if a row is not as it is here, or if a
change took a caller longer than 2 s to see; times differ from run to run. `interop/run --write` writes this page.
`interop/README.md` says how to add a client.
"
        )
    }
}

fn cell(outcome: Option<&Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Answered) => "answered",
        Some(Outcome::Failed { .. }) => "**refused**",
        None => "not asked",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_each_row_and_each_refusal_once() {
        let row = |way: &str, error: &str, ours: &str| {
            format!(
                r#"refused	localhost	{{"client":"grpc-go","version":"1.85.0","way":"{way}","service":"identity","calls_ok":0,"first_error":"{error}"}}	{ours}
"#
            )
        };
        let right = r#"{"calls_ok":1100,"first_error":null}"#;
        let text = row("unix:/", "reset", right) + &row("passthrough:///", "reset", "-");
        let results = text.parse().unwrap();
        let page = Page {
            results: &results,
            tonic: "0.14.9",
            sections: "## Readiness\n\nSeen.\n",
        };
        let table = table(&results, page.tonic);
        assert_eq!(
            table,
            "\
| client         | way of dialling   | `:authority` | service  | csi-identity | tonic 0.14.9 |
| ---            | ---               | ---          | ---      | ---          | ---          |
| grpc-go 1.85.0 | `unix:/`          | `localhost`  | identity | answered     | **refused**  |
| grpc-go 1.85.0 | `passthrough:///` | `localhost`  | identity | not asked    | **refused**  |
"
        );
        assert_eq!(page.refusals(), ["grpc-go 1.85.0: `reset`"]);
        assert!(page.to_string().contains(&table));
        assert!(page.to_string().contains(
            "\n- grpc-go 1.85.0: `reset`\n\n## Readiness\n\nSeen.\n\n## How to repeat\n"
        ));
    }
}
