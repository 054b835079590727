//! What has to hold whatever a configuration file has in it.

use std::mem;

use csi_identity_config::{ConfigErrors, Configuration, Position};

/// Panics unless the reader deals well with a file of these bytes.
///
/// What is wrong is told in order, each on one line, and stands in the file. A line break before changes nothing but the
/// lines; one behind, and the way in which lines end, change nothing in what is right.
pub(crate) fn deal_well_with(bytes: &[u8]) {
    let read = Configuration::from_bytes(bytes, "csi.yaml");
    if let Err(errors) = &read {
        check_errors(errors, bytes);
    }
    let Ok(text) = str::from_utf8(bytes) else {
        assert!(read.is_err());
        return;
    };
    assert_eq!(read_text(text), read);
    // A byte order mark is one at the beginning only.
    if !text.starts_with('\u{feff}') {
        assert_below(&read, &read_text(&format!("\n{text}")));
    }
    if !text.contains('\r') {
        for end in ["\r\n", "\r"] {
            let changed = text.replace('\n', end);
            match (&read, read_text(&changed)) {
                // In what is no YAML the parser may give up elsewhere, since it counts characters.
                (Err(_), Err(errors)) => check_errors(&errors, changed.as_bytes()),
                (read, changed) => assert_eq!(&changed, read, "lines end with {end:?}"),
            }
        }
    }
    if read.is_ok() {
        let longer = read_text(&format!("{text}\n"));
        assert!(longer.is_ok(), "with a line break at the end: {longer:?}");
    }
}

type Read = Result<Configuration, ConfigErrors>;

fn read_text(text: &str) -> Read {
    Configuration::from_text(text, "csi.yaml")
}

fn check_errors(errors: &ConfigErrors, bytes: &[u8]) {
    let errors: Vec<_> = errors.iter().collect();
    assert!((1..=ConfigErrors::MOST).contains(&errors.len()));
    assert!(errors.is_sorted_by_key(|error| error.position()));
    let text = String::from_utf8_lossy(bytes);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<_> = text.split('\n').collect();
    for error in errors {
        let Position { line, column } = error.position();
        let shown = error.to_string();
        assert!((1..=lines.len()).contains(&line), "{shown}");
        // Behind the last character of a line is its end, where something can be missing.
        let columns = lines[line - 1].chars().count() + 1;
        assert!((1..=columns).contains(&column), "{shown}");
        assert!(!shown.contains(char::is_control), "{shown:?}");
        assert!(shown.len() < 2000, "{shown}");
    }
}

/// The same configuration, or the same errors one line further down.
fn assert_below(read: &Read, below: &Read) {
    match (read, below) {
        (Ok(read), Ok(below)) => assert_eq!(below, read),
        (Err(read), Err(below)) => {
            let shown = format!("{read}\nbelow a line break\n{below}");
            assert_eq!(below.iter().count(), read.iter().count(), "{shown}");
            for (read, below) in read.iter().zip(below) {
                // A problem may name another line, too.
                let [was, is] = [read, below].map(|error| mem::discriminant(error.problem()));
                assert_eq!(is, was, "{shown}");
                let at = read.position();
                let moved = Position {
                    line: at.line + 1,
                    ..at
                };
                // What the file as a whole lacks is told at its beginning.
                assert!([at, moved].contains(&below.position()), "{shown}");
            }
        }
        _ => panic!("{read:?}\nbelow a line break\n{below:?}"),
    }
}
