use crate::position::Position;
use crate::{Configuration, limits};

/// What can be wrong with a configuration file.
///
/// Each message says what was found and what would be right, on one line. Values are shown as far as they are short.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file is over the limit.
    #[error(
        "found a file of {bytes} bytes, the limit is {}; this is probably not the file that was meant",
        Configuration::MAX_BYTES
    )]
    FileTooLarge {
        /// Its size.
        bytes: usize,
    },
    /// A byte does not belong to UTF-8.
    #[error("found the byte 0x{byte:02x}, which is not UTF-8; save the file as UTF-8")]
    NotUtf8 {
        /// The byte.
        byte: u8,
    },
    /// The file begins as UTF-16 and UTF-32 do.
    #[error("found UTF-16 or UTF-32; save the file as UTF-8")]
    WideEncoding,
    /// A character that YAML does not allow, such as NUL.
    #[error("found the control character U+{:04X}; remove it", *found as u32)]
    ControlCharacter {
        /// The character.
        found: char,
    },
    /// A quoted text has an escaped NUL in it.
    #[error("found NUL in a text; remove it, since no name, path or argument can have one")]
    Nul,
    /// There is nothing in the file, or comments alone.
    #[error(
        "found {found}; write at least {{}}, or begin as in endpoint: unix:///run/csi/csi.sock"
    )]
    Empty {
        /// What there is.
        found: &'static str,
    },
    /// It is no YAML.
    #[error("found {found}; {remedy}")]
    Syntax {
        /// What there is.
        found: String,
        /// What would be right.
        remedy: &'static str,
    },
    /// Something that YAML has and a configuration does not need.
    #[error("found {found}; {remedy}")]
    NotSupported {
        /// What there is.
        found: String,
        /// What to write instead.
        remedy: &'static str,
    },
    /// An alias stands inside of what it stands for.
    #[error("found {alias} inside of what it stands for, which has no end; write the value out")]
    Cycle {
        /// The alias, with its `*`.
        alias: String,
    },
    /// An alias stands for nothing.
    #[error(
        "found {alias}, but nothing before it is marked &{}; mark it, or quote the text that is meant",
        alias.trim_start_matches('*')
    )]
    UnknownAlias {
        /// The alias, with its `*`.
        alias: String,
    },
    /// Lists and mappings are nested too deeply.
    #[error(
        "found lists and mappings more than {} deep; no key here needs that",
        limits::DEPTH
    )]
    TooDeep,
    /// There are too many values, aliases counted as often as they are used.
    #[error(
        "found more than {} values, with aliases written out; no configuration needs that many",
        limits::VALUES
    )]
    TooManyValues,
    /// There is too much text, aliases counted as often as they are used.
    #[error(
        "found more than {} bytes of text, with aliases written out; no configuration needs that much",
        limits::TEXT
    )]
    TooMuchText,
    /// A key is no text.
    #[error("found {found} as a key; {remedy}")]
    KeyNotText {
        /// What there is.
        found: String,
        /// What would be right.
        remedy: String,
    },
    /// A key stands twice in one mapping.
    #[error("found the key {key} again; it stands at {first} already, so keep one of them")]
    DuplicateKey {
        /// The key, quoted.
        key: String,
        /// Where it stands the first time.
        first: Position,
    },
    /// The same value stands twice where each may be there once.
    #[error("found the {what} {value} again; it stands at {first} already, so keep one of them")]
    Duplicate {
        /// What the value is.
        what: &'static str,
        /// The value.
        value: String,
        /// Where it stands the first time.
        first: Position,
    },
    /// The file is no mapping.
    #[error(
        "found {found} where keys are expected; write key: value, with a space behind the ':', as in {example}"
    )]
    NotKeys {
        /// What there is.
        found: String,
        /// A line that would be right.
        example: &'static str,
    },
    /// A key that the section does not have.
    #[error("found the unknown key {key} in {section}; {remedy}")]
    UnknownKey {
        /// The key, quoted.
        key: String,
        /// The section.
        section: &'static str,
        /// The key that was probably meant, or all there are.
        remedy: String,
    },
    /// A section lacks a key that it needs.
    #[error("found no {key} in {section}; add it, as in {key}: {example}")]
    MissingKey {
        /// The key.
        key: &'static str,
        /// The section.
        section: &'static str,
        /// A value for it.
        example: &'static str,
    },
    /// A section has none of the keys of which it needs one.
    #[error("found {section} without any of {keys}; write exactly one of them")]
    NoneOf {
        /// The section.
        section: &'static str,
        /// The keys.
        keys: String,
    },
    /// A section has several of the keys of which it may have one.
    #[error("found {keys} together in {section}; keep one of them")]
    SeveralOf {
        /// The section.
        section: &'static str,
        /// The keys that are there.
        keys: String,
    },
    /// Two keys that exclude each other.
    #[error("found {second} beside {first}, which stands at {first_at}; keep one of them")]
    Conflict {
        /// The key that comes first.
        first: &'static str,
        /// Where it stands.
        first_at: Position,
        /// The other.
        second: &'static str,
    },
    /// A key that would turn a fixed `ready: false` into an error.
    #[error(
        "found {key} beside probe: {{ready: false}}, which answers ready=false for ever and never an error; keep one of them"
    )]
    FixedProbe {
        /// The key, with its value where that matters.
        key: &'static str,
    },
    /// A value of another kind than the key wants.
    #[error("found {found} for {key}; {remedy}")]
    WrongKind {
        /// What there is.
        found: String,
        /// The key.
        key: &'static str,
        /// What would be right.
        remedy: String,
    },
    /// A value of the right kind that breaks a rule.
    #[error("found a bad {key}: {reason}")]
    BadValue {
        /// The key.
        key: &'static str,
        /// The rule, and what would be right.
        reason: String,
    },
}

impl Problem {
    /// The value for `key` broke the rules of its type.
    pub(crate) fn bad_value(key: &'static str, reason: &dyn std::fmt::Display) -> Self {
        /// A reason may repeat the whole value.
        const MOST: usize = 400;
        let mut reason = reason.to_string();
        if let Some((end, _)) = reason.char_indices().nth(MOST) {
            reason.truncate(end);
            reason.push_str("...");
        }
        Self::BadValue { key, reason }
    }
}
