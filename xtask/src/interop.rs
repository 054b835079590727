//! The parts of `interop/run` that are no shell script: waiting for a server, seeing an authority, judging the results.

mod errors;
mod observe;
mod page;
mod results;

use std::{fs, io::Write, path::Path, str::FromStr};

use anyhow::{Context, Error, Result, ensure};

use self::{errors::Errors, page::Page, results::Results};
use crate::{http2, workspace};

pub(crate) use self::observe::observe;

/// Waits until the server on `socket` answers.
pub(crate) fn await_ready(socket: &Path) -> Result<()> {
    http2::await_answer(socket, http2::Method::GetPluginInfo, "localhost", || Ok(())).map(drop)
}

/// Shows what the clients saw, and tells whether it is what has to be.
///
/// The file `results` is read as [`Results`]. With `sections`, what the other parts of `interop/run` write, the page in `docs`
/// is written, unless it would be wrong.
pub(crate) fn report(
    results: &Path,
    sections: Option<&Path>,
    out: &mut impl Write,
) -> Result<bool> {
    let results: Results = read(results)?.parse()?;
    let tonic = &workspace::locked_version("tonic")?;
    write!(out, "{}", page::table(&results, tonic))?;
    let complaints = results.complaints();
    for complaint in &complaints {
        writeln!(out, "{complaint}")?;
    }
    if let Some(sections) = sections
        && complaints.is_empty()
    {
        let page = Page {
            results: &results,
            tonic,
            sections: &read(sections)?,
        };
        workspace::write_page("docs/interop.md", &page.to_string(), out)?;
    }
    Ok(complaints.is_empty())
}

/// Shows what the clients saw of plugins with which something is wrong, and tells whether it is what has to be.
///
/// The file `results` is read as [`Errors`]. The section for the page goes to the file `section`.
pub(crate) fn errors(results: &Path, section: Option<&Path>, out: &mut impl Write) -> Result<bool> {
    let errors: Errors = read(results)?.parse()?;
    write!(out, "{}", errors.table())?;
    let complaints = errors.complaints();
    for complaint in &complaints {
        writeln!(out, "{complaint}")?;
    }
    if let Some(section) = section {
        let cannot = || format!("cannot write {}", section.display());
        fs::write(section, errors.section()).with_context(cannot)?;
    }
    Ok(complaints.is_empty())
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

/// The results in a file, one a line.
fn rows<T: FromStr<Err = Error>>(text: &str) -> Result<Vec<T>> {
    let row = |line: &str| line.parse().with_context(|| format!("bad result {line:?}"));
    let rows = text.lines().map(row).collect::<Result<Vec<T>>>()?;
    ensure!(!rows.is_empty(), "there are no results");
    Ok(rows)
}
