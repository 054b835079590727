//! Requests drawn from a fuzzer's bytes, as a client with an independent encoder would write them.

use crate::blocks::{self, Block, Field, Other};
use crate::wire::{self, Framing};
use arbitrary::{Arbitrary as _, Result, Unstructured};

/// Panics unless the requests drawn from these bytes arrive.
pub(crate) fn arrive(bytes: &[u8]) {
    // Bytes of which nothing can be drawn are no connection.
    if let Ok(drawn) = Drawn::from_bytes(bytes) {
        blocks::arrive_as_sent(&drawn.blocks, &drawn.tail, &drawn.sizes, drawn.limit);
    }
}

struct Drawn {
    blocks: Vec<Block>,
    /// Anything, sent after the blocks.
    tail: Vec<u8>,
    sizes: Vec<usize>,
    limit: usize,
}

const AUTHORITIES: [&[u8]; 8] = [
    b"/run/csi/csi.sock",
    b"%2Frun%2Fcsi%2Fcsi.sock",
    b"/",
    b"",
    b"localhost",
    b"disk.example.org:443",
    b"[::1",
    b"\xe4",
];

const NAMES: [&[u8]; 8] = [
    b":authority",
    b":method",
    b":path",
    b"content-type",
    b"host",
    b"te",
    b"x-a",
    b"x-b",
];

const VALUES: [&[u8]; 4] = [b"", b"a", b"POST", b"trailers"];

impl Drawn {
    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut from = Unstructured::new(bytes);
        let limit = *from.choose(&[16 * 1024, 1024, 64])?;
        let mut sizes = vec![usize::from(u8::arbitrary(&mut from)?) + 1];
        for _ in 0..from.int_in_range(0..=2)? {
            sizes.push(u8::arbitrary(&mut from)?.into());
        }
        let tail = bytes_up_to(&mut from, 40)?;
        let mut blocks = Vec::new();
        while !from.is_empty() && blocks.len() < 16 {
            blocks.push(block(&mut from)?);
        }
        Ok(Self {
            blocks,
            tail,
            sizes,
            limit,
        })
    }
}

fn block(from: &mut Unstructured<'_>) -> Result<Block> {
    let resize = if from.ratio(1, 8)? {
        Some(from.int_in_range(0..=4096)?)
    } else {
        None
    };
    let mut fields = Vec::new();
    for _ in 0..from.int_in_range(0..=6)? {
        fields.push(field(from)?);
    }
    let mut cuts = Vec::new();
    for _ in 0..from.int_in_range(0..=3)? {
        cuts.push(u8::arbitrary(from)?.into());
    }
    let framing = Framing {
        padding: Option::arbitrary(from)?,
        priority: bool::arbitrary(from)?,
        cuts,
    };
    let mut after = Vec::new();
    for _ in 0..from.int_in_range(0..=2)? {
        after.push(other(from)?);
    }
    Ok(Block {
        resize,
        fields,
        end_stream: bool::arbitrary(from)?,
        framing,
        after,
    })
}

fn field(from: &mut Unstructured<'_>) -> Result<Field> {
    let name = match from.int_in_range(0..=8)? {
        0 => bytes_up_to(from, 40)?,
        nth => NAMES[nth - 1].to_vec(),
    };
    let value = match from.int_in_range(0..=3)? {
        0 => bytes_up_to(from, 60)?,
        // Long ones, so that the table has to drop others.
        1 => vec![u8::arbitrary(from)?; from.int_in_range(0..=500)?],
        2 => from.choose(&VALUES)?.to_vec(),
        _ => from.choose(&AUTHORITIES)?.to_vec(),
    };
    Ok(Field {
        name,
        value,
        flags: from.int_in_range(0..=31)?,
    })
}

fn other(from: &mut Unstructured<'_>) -> Result<Other> {
    let kind = match u8::arbitrary(from)? {
        wire::HEADERS | wire::CONTINUATION => wire::DATA,
        kind => kind,
    };
    Ok(Other {
        kind,
        flags: from.arbitrary()?,
        stream: from.arbitrary()?,
        payload: bytes_up_to(from, 40)?,
    })
}

fn bytes_up_to(from: &mut Unstructured<'_>, most: usize) -> Result<Vec<u8>> {
    let length = from.int_in_range(0..=most)?.min(from.len());
    Ok(from.bytes(length)?.to_vec())
}
