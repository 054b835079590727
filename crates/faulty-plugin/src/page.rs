//! The faults as a page of the documentation.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::{EXPECTED, FAULTS, Fault, Needs, UnknownFault};

/// Why a file of csi-sanity's verdicts cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerdictError {
    /// A line has no second column.
    #[error("there is no verdict in {line:?}; it has to be fault, tab, passed, failed or hung")]
    Missing {
        /// The line.
        line: String,
    },
    /// A line is about something that is no fault.
    #[error(transparent)]
    UnknownFault(#[from] UnknownFault),
    /// A verdict is another word.
    #[error("the verdict for {fault} is {found:?}; it has to be passed, failed or hung")]
    Unknown {
        /// The fault.
        fault: Fault,
        /// The word.
        found: String,
    },
    /// A fault has two lines.
    #[error("{fault} has two verdicts")]
    Twice {
        /// The fault.
        fault: Fault,
    },
}

/// A table of all faults, with the rules that find each, and what csi-sanity says of it.
///
/// `verdicts` has a line for each fault that csi-sanity was tried with, its columns separated by tabs: the fault, `passed`,
/// `failed` or `hung`, and the tests that failed, separated by `;`. Lines that begin with `#` are skipped.
///
/// # Errors
///
/// The verdicts are not like that; see [`VerdictError`].
pub fn faults_markdown(verdicts: &str) -> Result<String, VerdictError> {
    let verdicts = read(verdicts)?;
    let rules: BTreeMap<_, _> = EXPECTED.iter().copied().collect();
    let mut different: Vec<_> = EXPECTED.iter().flat_map(|row| row.1).collect();
    different.sort_unstable();
    different.dedup();
    let mut page = format!(
        "\
# Faults

`faulty-plugin` (`crates/faulty-plugin`) is a good plugin that does one thing wrong, as `--fault NAME` says. With these {} faults
the tests try `csi-identity verify`: each has to be found by the rules that are named here and by no other, but for what follows
from these, and a plugin without a fault by none. All in all {} different [rules](rules.md) find something.

```console
mkdir /tmp/faulty
cargo run -p faulty-plugin -- --endpoint unix:///tmp/faulty/csi.sock --fault name-underscore
csi-identity verify -e unix:///tmp/faulty/csi.sock
```

Some faults show only if `verify` is told more, as the column \"with\" has it. The last column is what the tests of csi-sanity
for the Identity service say of the same plugin. This page is made by
`cargo run -p faulty-plugin -- --page interop/sanity/faults.tsv > docs/faults.md`.

| fault | the plugin | what speaks against it | with | found by | csi-sanity |
| --- | --- | --- | --- | --- | --- |
",
        FAULTS.len(),
        different.len(),
    );
    for fault in FAULTS {
        let ids = rules.get(fault.name()).copied().unwrap_or_default();
        let links: Vec<_> = ids.iter().map(|id| link(id)).collect();
        let name = format!("`{fault}`");
        let cells: [&str; 6] = [
            &name,
            fault.does(),
            fault.breaks(),
            with(fault.needs()),
            &links.join(", "),
            verdicts.get(fault.name()).map_or("-", String::as_str),
        ];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        // Writing to a text cannot fail.
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
    Ok(page)
}

/// The last cell of each fault that has one.
fn read(verdicts: &str) -> Result<BTreeMap<&'static str, String>, VerdictError> {
    let mut all = BTreeMap::new();
    for line in verdicts.lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let (Some(fault), Some(verdict)) = (columns.next(), columns.next()) else {
            let line = line.to_owned();
            return Err(VerdictError::Missing { line });
        };
        let fault: Fault = fault.parse()?;
        let tests = columns.next().unwrap_or_default().split(';').map(str::trim);
        let tests: Vec<_> = tests.filter(|test| !test.is_empty()).collect();
        let cell = match verdict {
            "failed" if !tests.is_empty() => format!("failed: {}", tests.join("; ")),
            "passed" | "failed" | "hung" => verdict.to_owned(),
            found => {
                let found = found.to_owned();
                return Err(VerdictError::Unknown { fault, found });
            }
        };
        if all.insert(fault.name(), cell).is_some() {
            return Err(VerdictError::Twice { fault });
        }
    }
    Ok(all)
}

fn link(id: &str) -> String {
    format!("[{id}](rules.md#{})", id.to_ascii_lowercase())
}

/// What `csi-identity verify` is told beside the endpoint, or in its place.
fn with(needs: Needs) -> &'static str {
    match needs {
        Needs::Calls => "",
        Needs::ControllerEndpoint => "`--controller-endpoint`",
        Needs::EmptyRequests => "`--empty-requests`",
        Needs::Command => "`--command`",
        Needs::Socket(_) => "the path of that socket",
    }
}

#[cfg(test)]
mod tests {
    use super::faults_markdown;

    #[test]
    fn a_fault_has_the_rules_that_find_it_and_what_csi_sanity_says() {
        let page = faults_markdown(
            "# fault\tverdict\ttests\nname-empty\tfailed\tone test; another\ninfo-hangs\thung\nname-long\tpassed\t\n",
        )
        .unwrap();
        for row in [
            "| `name-empty` | has an empty name | CSI, GetPluginInfoResponse.name |  | \
             [CSI-ID-010](rules.md#csi-id-010) | failed: one test; another |",
            "| `sigterm-ignored` | ignores SIGTERM | Kubernetes: what does not stop at SIGTERM is killed after 30 s | \
             `--command` | [CSI-ID-172](rules.md#csi-id-172) | - |",
        ] {
            assert!(page.lines().any(|line| line == row), "{page}");
        }
        for (fault, verdict) in [("info-hangs", "hung"), ("name-long", "passed")] {
            let (begin, end) = (format!("| `{fault}` |"), format!("| {verdict} |"));
            let is_it = |line: &str| line.starts_with(&begin) && line.ends_with(&end);
            assert!(page.lines().any(is_it), "{page}");
        }
    }

    #[test]
    fn verdicts_that_mean_nothing_are_errors() {
        for (text, message) in [
            (
                "name-empty",
                "there is no verdict in \"name-empty\"; it has to be fault, tab, passed, failed or hung",
            ),
            (
                "name-empty\tgood\t",
                "the verdict for name-empty is \"good\"; it has to be passed, failed or hung",
            ),
            (
                "name-empty\tpassed\t\nname-empty\tpassed\t",
                "name-empty has two verdicts",
            ),
            (
                "name-emty\tpassed\t",
                "there is no fault \"name-emty\", did you mean name-empty?; --list shows all",
            ),
        ] {
            assert_eq!(faults_markdown(text).unwrap_err().to_string(), message);
        }
    }
}
