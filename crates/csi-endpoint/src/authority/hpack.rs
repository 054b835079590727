//! Header blocks of HPACK (RFC 7541): decoded with a mirror of the peer's dynamic table, encoded again without one.

use http::uri::Authority;

use super::huffman;
use super::table::{FIELD_OVERHEAD, TABLE_SIZE, Table, static_index};

/// What stands in for an authority that HTTP/2 servers in Rust refuse.
///
/// The name that Kubernetes' own clients send on Unix sockets since 1.26.
const REPLACEMENT: &[u8] = b"localhost";
const AUTHORITY_NAME: &[u8] = b":authority";

/// How far beyond the limit a header list is passed on, so that the server sees it is too large.
const OVERSIZE_MARGIN: usize = 64;

/// Which authorities are replaced, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Those that the server would refuse, by `localhost`.
    RepairRefused,
    /// All, by this one.
    Impose(Box<[u8]>),
}

impl Rule {
    /// What stands in for `authority`, if it is to be replaced.
    fn replacement(&self, authority: &[u8]) -> Option<&[u8]> {
        match self {
            // The very check that h2 makes, so that what passes here passes there.
            Self::RepairRefused => Authority::try_from(authority)
                .is_err()
                .then_some(REPLACEMENT),
            Self::Impose(imposed) => Some(imposed),
        }
    }
}

/// Why a header block cannot be decoded; the server behind is left to refuse it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HpackError {
    #[error("header block ends inside a field")]
    Truncated,
    #[error("header block has a number over 32 bits")]
    NumberTooLarge,
    #[error("header block names table entry {0}, which does not exist")]
    NoSuchEntry(usize),
    #[error("header block has text that is no Huffman code")]
    NotHuffman,
    #[error("header block sets the table size to {0}, the limit is {TABLE_SIZE}")]
    TableTooLarge(usize),
    #[error("header block sets the table size after its first field")]
    LateTableSize,
}

/// What a header block said of `:authority`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuthorityFound {
    /// There is none, or one that stays.
    Kept,
    /// One that was replaced.
    Replaced,
}

/// Decodes a peer's header blocks and writes each anew in a form that needs no dynamic table.
#[derive(Debug)]
pub(super) struct Recoder {
    rule: Rule,
    table: Table,
    max_list_size: usize,
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Recoder {
    /// A recoder for a new connection; `max_list_size` is the server's limit on a decoded header list.
    pub(super) fn new(rule: Rule, max_list_size: usize) -> Self {
        Self {
            rule,
            table: Table::new(),
            max_list_size,
            name: Vec::new(),
            value: Vec::new(),
        }
    }

    /// Decodes one whole header block and appends it to `out`, authorities replaced as the rule says.
    ///
    /// A list over the server's limit is cut a little beyond it: the whole block is decoded, so that the table stays
    /// right, but memory stays bounded and the server refuses the list as it would have refused the original.
    pub(super) fn recode(
        &mut self,
        block: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<AuthorityFound, HpackError> {
        let mut reader = Reader { rest: block };
        let mut writer = Writer {
            rule: &self.rule,
            out,
            list_size: 0,
            limit: self.max_list_size.saturating_add(OVERSIZE_MARGIN),
            authority_seen: false,
        };
        let mut found = AuthorityFound::Kept;
        let mut first = true;
        while let Some(&byte) = reader.rest.first() {
            let (name, indexed, never_indexed) = match byte {
                0x80.. => {
                    let index = reader.number(7)?;
                    let (name, value) = self.table.field(index)?;
                    found = found.and(writer.field(name, value, Some(index), false));
                    first = false;
                    continue;
                }
                0x40.. => (reader.number(6)?, true, false),
                0x20.. => {
                    if !first {
                        return Err(HpackError::LateTableSize);
                    }
                    self.table.resize(reader.number(5)?)?;
                    continue;
                }
                _ => (reader.number(4)?, false, byte & 0x10 != 0),
            };
            first = false;
            let index = name;
            if index == 0 {
                reader.text(&mut self.name)?;
            } else {
                let (name, _) = self.table.field(index)?;
                self.name.clear();
                self.name.extend_from_slice(name);
            }
            reader.text(&mut self.value)?;
            found = found.and(writer.literal(
                &self.name,
                &self.value,
                static_index(index),
                never_indexed,
            ));
            if indexed {
                self.table.insert(&self.name, &self.value);
            }
        }
        Ok(found)
    }
}

impl AuthorityFound {
    fn and(self, other: Self) -> Self {
        if self == Self::Kept { other } else { self }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A number whose first byte has `prefix` bits of it (RFC 7541, section 5.1).
    fn number(&mut self, prefix: u32) -> Result<usize, HpackError> {
        let mask = (1_u64 << prefix) - 1;
        let mut number = u64::from(self.byte()?) & mask;
        if number < mask {
            return Ok(number as usize);
        }
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number += u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(number)
                    .map(|n| n as usize)
                    .map_err(|_too_large| HpackError::NumberTooLarge);
            }
        }
        Err(HpackError::NumberTooLarge)
    }

    /// A text, put in place of what `into` held (RFC 7541, section 5.2).
    fn text(&mut self, into: &mut Vec<u8>) -> Result<(), HpackError> {
        let huffman = self.rest.first().is_some_and(|byte| byte & 0x80 != 0);
        let length = self.number(7)?;
        let (text, rest): (&'a [u8], _) = self
            .rest
            .split_at_checked(length)
            .ok_or(HpackError::Truncated)?;
        self.rest = rest;
        into.clear();
        if huffman {
            huffman::decode(text, into).map_err(|huffman::NotHuffman| HpackError::NotHuffman)
        } else {
            into.extend_from_slice(text);
            Ok(())
        }
    }

    fn byte(&mut self) -> Result<u8, HpackError> {
        let (&byte, rest) = self.rest.split_first().ok_or(HpackError::Truncated)?;
        self.rest = rest;
        Ok(byte)
    }
}

struct Writer<'a> {
    rule: &'a Rule,
    out: &'a mut Vec<u8>,
    list_size: usize,
    limit: usize,
    authority_seen: bool,
}

impl Writer<'_> {
    /// Writes a field that the peer named by `index`.
    fn field(
        &mut self,
        name: &[u8],
        value: &[u8],
        index: Option<usize>,
        never_indexed: bool,
    ) -> AuthorityFound {
        let index = index.map_or(0, static_index);
        if index == 0 || name == AUTHORITY_NAME {
            return self.literal(name, value, index, never_indexed);
        }
        if self.has_room(name, value) {
            self.number(0x80, 7, index);
        }
        AuthorityFound::Kept
    }

    /// Writes a literal field whose name is `static_index`, or `name` where that is 0.
    ///
    /// Only the first authority is looked at. A request with more is malformed whatever they are, and a client can name
    /// a long one thousands of times in a byte each.
    fn literal(
        &mut self,
        name: &[u8],
        value: &[u8],
        static_index: usize,
        never_indexed: bool,
    ) -> AuthorityFound {
        let rule = self.rule;
        let replacement = if name == AUTHORITY_NAME && !self.authority_seen {
            self.authority_seen = true;
            rule.replacement(value)
        } else {
            None
        };
        let value = replacement.unwrap_or(value);
        if self.has_room(name, value) {
            self.number(if never_indexed { 0x10 } else { 0x00 }, 4, static_index);
            if static_index == 0 {
                self.text(name);
            }
            self.text(value);
        }
        if replacement.is_some() {
            AuthorityFound::Replaced
        } else {
            AuthorityFound::Kept
        }
    }

    fn has_room(&mut self, name: &[u8], value: &[u8]) -> bool {
        let room = self.list_size <= self.limit;
        self.list_size += name.len() + value.len() + FIELD_OVERHEAD;
        room
    }

    fn number(&mut self, pattern: u8, prefix: u32, number: usize) {
        let mask = (1_usize << prefix) - 1;
        if number < mask {
            self.out.push(pattern | number as u8);
            return;
        }
        self.out.push(pattern | mask as u8);
        let mut rest = number - mask;
        while rest >= 0x80 {
            self.out.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.out.push(rest as u8);
    }

    fn text(&mut self, text: &[u8]) {
        self.number(0x00, 7, text.len());
        self.out.extend_from_slice(text);
    }
}
