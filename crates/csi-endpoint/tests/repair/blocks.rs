//! Header blocks as a client writes them with an independent encoder, and what has to arrive of them.

use crate::passage::{Passage, pass};
use crate::wire::{self, Arrived, Fields, Framing};
use httlib_hpack::Encoder;
use http::uri::Authority;

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Vec<u8>,
    pub(crate) value: Vec<u8>,
    /// How it is represented, as httlib-hpack has it.
    pub(crate) flags: u8,
}

/// A header block on a stream of its own.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// A new size for the dynamic table, at most 4096.
    pub(crate) resize: Option<u32>,
    pub(crate) fields: Vec<Field>,
    pub(crate) end_stream: bool,
    pub(crate) framing: Framing,
    /// Frames of other kinds that follow.
    pub(crate) after: Vec<Other>,
}

/// A frame that carries no header block.
#[derive(Clone, Debug)]
pub(crate) struct Other {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

/// Panics unless a server with the given limit for header lists gets what a client with these blocks sends, with
/// `localhost` for authorities that it would refuse; and the same, first of all, if the client sends `tail` too.
pub(crate) fn arrive_as_sent(blocks: &[Block], tail: &[u8], sizes: &[usize], limit: usize) {
    let (sent, expected) = written(blocks);
    let Passage {
        received, error, ..
    } = pass(&sent, sizes, 300, limit);
    assert!(error.is_none(), "{error:?}");
    let refused = blocks.first().is_some_and(Block::is_refused);
    if refused {
        let arrived = wire::arrived(&received);
        assert_eq!(arrived.len(), expected.len());
        for (arrived, expected) in arrived.iter().zip(&expected) {
            assert_arrived(arrived, expected, limit);
        }
    } else {
        assert_eq!(received, sent);
    }
    if !blocks.is_empty() && !tail.is_empty() {
        let passage = pass(&[&sent, tail].concat(), sizes, 300, limit);
        assert!(passage.received.starts_with(&received), "changed by a tail");
    }
}

/// A header list over the limit may arrive short, but not so short that the server takes it.
fn assert_arrived(arrived: &Arrived, expected: &Arrived, limit: usize) {
    if let (Arrived::Block { fields: got, .. }, Arrived::Block { fields: sent, .. }) =
        (arrived, expected)
        && list_size(sent) > limit
    {
        assert!(list_size(got) > limit, "shorter than the limit: {got:?}");
        assert!(sent.starts_with(got), "{got:?} is no part of {sent:?}");
        assert_eq!(without_fields(arrived), without_fields(expected));
    } else {
        assert_eq!(arrived, expected);
    }
}

/// As RFC 9113 counts it in section 6.5.2.
fn list_size(fields: &Fields) -> usize {
    let size = |(name, value): &(Vec<u8>, Vec<u8>)| name.len() + value.len() + 32;
    fields.iter().map(size).sum()
}

fn without_fields(arrived: &Arrived) -> Arrived {
    let mut arrived = arrived.clone();
    if let Arrived::Block { fields, .. } = &mut arrived {
        fields.clear();
    }
    arrived
}

/// What a client with these blocks writes, from the preface on, and what a server has to get where the repair works.
fn written(blocks: &[Block]) -> (Vec<u8>, Vec<Arrived>) {
    let mut encoder = Encoder::with_dynamic_size(4096);
    let mut sent = wire::opening();
    let mut expected = vec![Arrived::Frame {
        kind: wire::SETTINGS,
        flags: 0,
        stream: 0,
        payload: vec![],
    }];
    for (block, stream) in blocks.iter().zip((1..).step_by(2)) {
        sent.extend(wire::block_frames(
            &block.encoded(&mut encoder),
            stream,
            block.end_stream,
            &block.framing,
        ));
        expected.push(Arrived::Block {
            stream,
            end_stream: block.end_stream,
            priority: block.framing.priority,
            fields: block.expected(),
        });
        for Other {
            kind,
            flags,
            stream,
            payload,
        } in block.after.iter().cloned()
        {
            sent.extend(wire::frame(kind, flags, stream, &payload));
            expected.push(Arrived::Frame {
                kind,
                flags,
                stream,
                payload,
            });
        }
    }
    (sent, expected)
}

impl Block {
    /// Only the first authority is judged: a request with more is malformed whatever they are.
    fn is_refused(&self) -> bool {
        let mut authorities = self.fields.iter().filter(|field| field.is_authority());
        authorities.next().is_some_and(Field::is_refused)
    }

    fn expected(&self) -> Fields {
        let first = self.fields.iter().position(Field::is_authority);
        let fields = self.fields.iter().enumerate();
        fields
            .map(|(at, field)| match &field.value {
                _ if Some(at) == first && field.is_refused() => {
                    (field.name.clone(), b"localhost".to_vec())
                }
                value => (field.name.clone(), value.clone()),
            })
            .collect()
    }

    fn encoded(&self, encoder: &mut Encoder<'_>) -> Vec<u8> {
        let mut encoded = Vec::new();
        if let Some(size) = self.resize {
            encoder.update_max_dynamic_size(size, &mut encoded).unwrap();
        }
        for Field { name, value, flags } in self.fields.iter().cloned() {
            encoder.encode((name, value, flags), &mut encoded).unwrap();
        }
        encoded
    }
}

impl Field {
    fn is_authority(&self) -> bool {
        self.name == b":authority"
    }

    fn is_refused(&self) -> bool {
        self.is_authority() && Authority::try_from(self.value.as_slice()).is_err()
    }
}
