//! What a YAML parser does not understand, in words that name the remedy.

use granit_parser::{ErrorKind, ScanError};

use super::build::position;
use crate::error::{Flaw, Problem};
use crate::position::Position;

/// The remedy where a text has signs in it that YAML takes for something else.
const QUOTE: &str = "quote the text it belongs to";

pub(super) fn flaw(text: &str, error: &ScanError) -> Flaw {
    let at = position(error.marker());
    let problem = problem(error.kind());
    if is_tab(error.kind()) {
        return Flaw {
            at: tab(text, at),
            problem,
        };
    }
    slashes(text, at).unwrap_or(Flaw { at, problem })
}

fn is_tab(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabNotAllowed
            | ErrorKind::TabInPlainScalar
            | ErrorKind::TabAtBlockScalarStart
    )
}

/// The tab that is meant: the parser points behind it, or to the beginning of the value that it is in.
fn tab(text: &str, at: Position) -> Position {
    first_in_lines(text, |line| line.find('\t'), |line| line >= at.line).unwrap_or(at)
}

/// A comment as many languages have it, before the place where YAML gives up.
fn slashes(text: &str, at: Position) -> Option<Flaw> {
    let comment = |line: &str| {
        let start = line.len() - line.trim_start().len();
        line[start..].starts_with("//").then_some(start)
    };
    let at = first_in_lines(text, comment, |line| line <= at.line)?;
    Some(Flaw {
        at,
        problem: Problem::Syntax {
            found: "a comment that begins with //".to_owned(),
            remedy: "begin comments with #",
        },
    })
}

/// The first place that `find` gives as a byte of one of the lines that are asked for.
fn first_in_lines(
    text: &str,
    find: impl Fn(&str) -> Option<usize>,
    is_asked_for: impl Fn(usize) -> bool,
) -> Option<Position> {
    // CR alone ends a line, too, as in every Position.
    let text = text.replace("\r\n", "\n");
    (1..)
        .zip(text.split(['\n', '\r']))
        .filter(|&(number, _)| is_asked_for(number))
        .find_map(|(line, content)| {
            let before = content.get(..find(content)?)?;
            Some(Position {
                line,
                column: before.chars().count() + 1,
            })
        })
}

fn problem(kind: &ErrorKind) -> Problem {
    use ErrorKind as Kind;
    let own = str::to_owned;
    let (found, remedy) = match kind {
        tab if is_tab(tab) => (own("a tab"), "indent with spaces"),
        Kind::RecursionLimitExceeded => return Problem::TooDeep,
        Kind::DirectiveDisallowed => {
            return Problem::NotSupported {
                found: own("a YAML directive"),
                remedy: "leave the line out",
            };
        }
        Kind::UnclosedFlowCollection { open } => (
            format!("{open:?}, which is never closed"),
            match open {
                '[' => "close the list with ']'",
                _ => "close the mapping with '}'",
            },
        ),
        Kind::MisplacedFlowCollectionEnd => (
            own("a closing bracket that nothing has opened"),
            "remove it, or quote the text it belongs to",
        ),
        Kind::MismatchedFlowCollectionEnd { open, close } => (
            format!("{open:?}, which is closed by {close:?}"),
            "close '[' with ']' and '{' with '}'",
        ),
        Kind::UnclosedQuotedScalar | Kind::DocumentIndicatorInQuotedScalar => (
            own("a quote that is never closed"),
            "close it with the same sign",
        ),
        Kind::InvalidTrailingSingleQuotedScalar => (
            own("something behind the closing quote"),
            "quote the whole text, and write a quote inside it twice, as in 'it''s'",
        ),
        Kind::InvalidTrailingDoubleQuotedScalar => (
            own("something behind the closing quote"),
            r#"quote the whole text, and write a quote inside it as \"; behind a key comes ':'"#,
        ),
        Kind::UnknownQuotedScalarEscape
        | Kind::InvalidQuotedScalarHexEscape
        | Kind::InvalidLowSurrogateHexEscape
        | Kind::InvalidLowSurrogate
        | Kind::MissingLowSurrogate
        | Kind::UnpairedLowSurrogate
        | Kind::InvalidUnicodeEscape => (
            own("a backslash with something behind it that YAML does not know"),
            r"write a backslash as \\, or put the text in single quotes",
        ),
        Kind::UnexpectedCharacter { character } => (
            format!("{character:?} at the beginning of a value"),
            "quote the value",
        ),
        Kind::MissingAnchorOrAliasName => (own("'*' or '&' without a name behind it"), QUOTE),
        Kind::BlockSequenceEntryNotAllowed => (
            own("a list item beside its key"),
            "write each item on a line of its own, or the list in brackets, as in [a, b]",
        ),
        Kind::ExpectedBlockSequenceEntry => (
            own("something that is no item between the items of a list"),
            "begin each item with '- ', and indent all items alike",
        ),
        Kind::ExpectedBlockMappingKey => (
            own("something that is no key between the keys of a mapping"),
            "write key: value, and indent all keys of the mapping alike",
        ),
        Kind::MappingValueNotAllowed => (
            own("':' behind something that is no key"),
            "indent all keys of a mapping alike, put a space behind each ':', and quote texts with ': ' in them",
        ),
        Kind::ExpectedFlowMappingSeparator => (
            own("an entry of a mapping in braces that does not end"),
            "put ',' between two entries and '}' behind the last",
        ),
        Kind::ExpectedFlowSequenceSeparator => (
            own("an item of a list in brackets that does not end"),
            "put ',' between two items and ']' behind the last",
        ),
        Kind::UnexpectedEofImplicitFlowMapping | Kind::UnexpectedEofFlowSequence => (
            own("',' or ':' where a list in brackets has no item"),
            "put one ',' between two items",
        ),
        Kind::SimpleKeyExpected | Kind::InvalidSimpleKey => (
            own("text without a key"),
            "write key: value, with a space behind the ':'",
        ),
        other => (
            format!("no valid YAML ({other})"),
            "quote texts that have other signs than letters, digits and '-' in them",
        ),
    };
    Problem::Syntax { found, remedy }
}
