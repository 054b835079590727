//! Protobuf's wire format, read without trust: what is there, and not only what a decoder would take.
//!
//! A decoder drops what it does not know and skips a field of the wrong type; a judge has to see both.

mod decode;
mod flaw;
mod outline;
mod schema;

pub use decode::{NodeInfo, PluginInfo, Segments};
pub use flaw::{Flaw, flaws};
pub use schema::{Kind, Known, Message};

pub(crate) use decode::{capabilities, node_info, plugin_info, ready, rpcs};
pub(crate) use outline::{hex, outline};

/// One field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its number.
    pub number: u32,
    /// What it holds.
    pub value: Value<'a>,
}

/// What a field holds, by its wire type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Wire type 0: numbers, booleans and enums.
    Varint(u64),
    /// Wire type 1.
    Fixed64(u64),
    /// Wire type 2: texts, bytes, messages and map entries.
    Bytes(&'a [u8]),
    /// Wire type 5.
    Fixed32(u32),
}

/// Why bytes are no protobuf message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The bytes end within a field.
    #[error("it ends within the field that begins at byte {at}")]
    Truncated {
        /// Where the field begins.
        at: usize,
    },
    /// A number takes more than ten bytes.
    #[error("it has a number of more than 64 bits in the field that begins at byte {at}")]
    TooLarge {
        /// Where the field begins.
        at: usize,
    },
    /// A field has the number 0 or one beyond 2^29.
    #[error("it has the field number {number} at byte {at}, which protobuf does not have")]
    Number {
        /// The number.
        number: u64,
        /// Where the field begins.
        at: usize,
    },
    /// A wire type that proto3 does not have.
    #[error("it has the wire type {kind} at byte {at}, which proto3 does not have")]
    WireType {
        /// The wire type.
        kind: u8,
        /// Where the field begins.
        at: usize,
    },
}

impl Value<'_> {
    /// The wire type, in words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Varint(_) => "a varint (wire type 0)",
            Self::Fixed64(_) => "eight bytes (wire type 1)",
            Self::Bytes(_) => "length-delimited (wire type 2)",
            Self::Fixed32(_) => "four bytes (wire type 5)",
        }
    }
}

/// The fields of a message, in their order.
///
/// ```
/// use csi_conformance::wire::{Field, Malformed, Value, fields};
///
/// let ready = [0x0a, 0x02, 0x08, 0x01];
/// assert_eq!(fields(&ready)?, [Field { number: 1, value: Value::Bytes(&[0x08, 0x01]) }]);
/// assert_eq!(fields(&ready[..3]), Err(Malformed::Truncated { at: 0 }));
/// # Ok::<(), Malformed>(())
/// ```
///
/// # Errors
///
/// See [`Malformed`].
pub fn fields(bytes: &[u8]) -> Result<Vec<Field<'_>>, Malformed> {
    let mut rest = bytes;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let at = bytes.len() - rest.len();
        let tag = varint(&mut rest, at)?;
        let Ok(number @ 1..=0x1fff_ffff) = u32::try_from(tag >> 3) else {
            let number = tag >> 3;
            return Err(Malformed::Number { number, at });
        };
        let value = match tag & 7 {
            0 => Value::Varint(varint(&mut rest, at)?),
            1 => Value::Fixed64(u64::from_le_bytes(array(&mut rest, at)?)),
            2 => {
                let len = varint(&mut rest, at)?;
                let len = usize::try_from(len).unwrap_or(usize::MAX);
                Value::Bytes(take(&mut rest, len, at)?)
            }
            5 => Value::Fixed32(u32::from_le_bytes(array(&mut rest, at)?)),
            kind => {
                // Three bits.
                let kind = kind as u8;
                return Err(Malformed::WireType { kind, at });
            }
        };
        found.push(Field { number, value });
    }
    Ok(found)
}

fn varint(rest: &mut &[u8], at: usize) -> Result<u64, Malformed> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let [byte] = array(rest, at)?;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return Err(Malformed::TooLarge { at });
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(Malformed::TooLarge { at })
}

fn array<const N: usize>(rest: &mut &[u8], at: usize) -> Result<[u8; N], Malformed> {
    let (head, tail) = rest
        .split_first_chunk()
        .ok_or(Malformed::Truncated { at })?;
    *rest = tail;
    Ok(*head)
}

fn take<'a>(rest: &mut &'a [u8], len: usize, at: usize) -> Result<&'a [u8], Malformed> {
    let (head, tail) = rest
        .split_at_checked(len)
        .ok_or(Malformed::Truncated { at })?;
    *rest = tail;
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::{Field, Malformed, Value, fields};

    #[test]
    fn all_wire_types_of_proto3_are_read() {
        let bytes = [
            0x08, 0x96, 0x01, 0x11, 1, 0, 0, 0, 0, 0, 0, 0, 0x1a, 0x02, b'h', b'i', 0x25, 2, 0, 0,
            0,
        ];
        let field = |number, value| Field { number, value };
        let expected = [
            field(1, Value::Varint(150)),
            field(2, Value::Fixed64(1)),
            field(3, Value::Bytes(b"hi")),
            field(4, Value::Fixed32(2)),
        ];
        assert_eq!(fields(&bytes).unwrap(), expected);
        assert_eq!(fields(&[]).unwrap(), []);
        let largest = [0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        assert_eq!(
            fields(&largest).unwrap(),
            [field(1, Value::Varint(u64::MAX))]
        );
    }

    #[test]
    fn what_is_no_message_says_why_and_where() {
        for (bytes, message) in [
            (
                &[0x08, 0x01, 0x0a, 0x02, b'a'][..],
                "it ends within the field that begins at byte 2",
            ),
            (&[0x80], "it ends within the field that begins at byte 0"),
            (
                &[0x11, 0, 0],
                "it ends within the field that begins at byte 0",
            ),
            (
                &[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2],
                "it has a number of more than 64 bits in the field that begins at byte 0",
            ),
            (
                &[0x00],
                "it has the field number 0 at byte 0, which protobuf does not have",
            ),
            (
                &[0x0b],
                "it has the wire type 3 at byte 0, which proto3 does not have",
            ),
            (
                &[
                    0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,
                ],
                "it ends within the field that begins at byte 0",
            ),
        ] {
            assert_eq!(fields(bytes).unwrap_err().to_string(), message, "{bytes:?}");
        }
        assert_eq!(fields(&[0x07]), Err(Malformed::Number { number: 0, at: 0 }));
    }
}
