//! From bytes to a text that a YAML parser may see.

use crate::Configuration;
use crate::error::{Flaw, Problem};
use crate::position::Position;

/// The text of a file.
pub(crate) fn from_bytes(bytes: &[u8]) -> Result<&str, Flaw> {
    check_size(bytes.len())?;
    let start = |problem| Flaw {
        at: Position::START,
        problem,
    };
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(start(Problem::WideEncoding));
    }
    str::from_utf8(bytes).map_err(|error| {
        let (valid, rest) = bytes.split_at(error.valid_up_to());
        Flaw {
            at: Position::after(str::from_utf8(valid).unwrap_or_default()),
            problem: Problem::NotUtf8 {
                byte: rest.first().copied().unwrap_or_default(),
            },
        }
    })
}

/// The text without a byte order mark, if YAML allows every character in it.
pub(crate) fn checked(text: &str) -> Result<&str, Flaw> {
    check_size(text.len())?;
    // Editors on Windows put it there, and it says nothing.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.char_indices().find(|&(_, c)| is_forbidden(c)) {
        None => Ok(text),
        Some((index, found)) => Err(Flaw {
            at: Position::after(text.get(..index).unwrap_or_default()),
            problem: Problem::ControlCharacter { found },
        }),
    }
}

fn check_size(bytes: usize) -> Result<(), Flaw> {
    if bytes > Configuration::MAX_BYTES {
        return Err(Flaw {
            at: Position::START,
            problem: Problem::FileTooLarge { bytes },
        });
    }
    Ok(())
}

/// What YAML does not print (YAML 1.2, section 5.1), and a byte order mark that is not at the beginning.
fn is_forbidden(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' | '\u{85}' => false,
        '\u{feff}' | '\u{fffe}' | '\u{ffff}' => true,
        other => other.is_control(),
    }
}
