//! Whatever a client's HPACK encoder and framing do, the server gets the requests that were sent.

use crate::chunks::through_repair;
use crate::wire::{self, Arrived, Fields, Framing};
use httlib_hpack::Encoder;
use http::uri::Authority;
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Field {
    name: String,
    value: Vec<u8>,
    flags: u8,
}

#[derive(Clone, Debug)]
struct Block {
    resize: Option<u32>,
    fields: Vec<Field>,
    end_stream: bool,
    framing: Framing,
    /// Payload of a DATA frame that follows.
    data: Option<Vec<u8>>,
}

fn flags() -> impl Strategy<Value = u8> {
    let bits = [
        Encoder::HUFFMAN_NAME,
        Encoder::HUFFMAN_VALUE,
        Encoder::WITH_INDEXING,
        Encoder::BEST_FORMAT,
    ];
    prop_oneof![
        4 => proptest::sample::subsequence(bits.to_vec(), 0..=4).prop_map(|set| set.iter().sum()),
        1 => Just(Encoder::NEVER_INDEXED),
    ]
}

fn authority() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => "/[a-z/.-]{0,60}".prop_map(String::into_bytes),
        2 => "(%2F[a-z.]{1,9}){1,6}".prop_map(String::into_bytes),
        2 => "[a-z]{1,12}(\\.[a-z]{1,5})?(:[0-9]{1,4})?".prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..9),
        1 => Just(Vec::new()),
    ]
}

fn field() -> impl Strategy<Value = Field> {
    let name = prop_oneof![
        3 => "x-[a-e]",
        2 => proptest::sample::select(vec![":method", ":path", "content-type", "user-agent", "te", "host"])
            .prop_map(str::to_owned),
        1 => "[a-z-]{1,40}",
    ];
    let value = prop_oneof![
        3 => "[a-d]{0,3}".prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..400),
    ];
    (name, value, flags()).prop_map(|(name, value, flags)| Field { name, value, flags })
}

fn block() -> impl Strategy<Value = Block> {
    let authority = (authority(), flags()).prop_map(|(value, flags)| Field {
        name: ":authority".to_owned(),
        value,
        flags,
    });
    let framing = (
        proptest::option::of(any::<u8>()),
        any::<bool>(),
        proptest::collection::vec(0_usize..200, 0..4),
    )
        .prop_map(|(padding, priority, cuts)| Framing {
            padding,
            priority,
            cuts,
        });
    (
        proptest::option::weighted(0.1, 0_u32..=4096),
        proptest::option::weighted(0.9, authority),
        proptest::collection::vec(field(), 0..8),
        any::<bool>(),
        framing,
        proptest::option::of(proptest::collection::vec(any::<u8>(), 0..100)),
    )
        .prop_map(
            |(resize, authority, fields, end_stream, framing, data)| Block {
                resize,
                fields: authority.into_iter().chain(fields).collect(),
                end_stream,
                framing,
                data,
            },
        )
}

fn is_refused(field: &Field) -> bool {
    field.name == ":authority" && Authority::try_from(field.value.as_slice()).is_err()
}

fn expected_fields(fields: &[Field]) -> Fields {
    let value = |field: &Field| {
        if is_refused(field) {
            b"localhost".to_vec()
        } else {
            field.value.clone()
        }
    };
    fields
        .iter()
        .map(|field| (field.name.clone().into_bytes(), value(field)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_server_gets_what_was_sent(
        blocks in proptest::collection::vec(block(), 1..12),
        sizes in proptest::collection::vec(1_usize..300, 1..6),
    ) {
        let mut encoder = Encoder::with_dynamic_size(4096);
        let mut sent = wire::opening();
        let mut expected = vec![Arrived::Frame { kind: wire::SETTINGS, flags: 0, stream: 0, payload: vec![] }];
        for (Block { resize, fields, end_stream, framing, data }, stream) in blocks.iter().zip((1..).step_by(2)) {
            let mut encoded = Vec::new();
            if let Some(size) = *resize {
                encoder.update_max_dynamic_size(size, &mut encoded).unwrap();
            }
            for Field { name, value, flags } in fields {
                encoder.encode((name.clone().into_bytes(), value.clone(), *flags), &mut encoded).unwrap();
            }
            sent.extend(wire::block_frames(&encoded, stream, *end_stream, framing));
            let (end_stream, priority) = (*end_stream, framing.priority);
            expected.push(Arrived::Block { stream, end_stream, priority, fields: expected_fields(fields) });
            if let Some(payload) = data {
                sent.extend(wire::frame(wire::DATA, 0, stream, payload));
                expected.push(Arrived::Frame { kind: wire::DATA, flags: 0, stream, payload: payload.clone() });
            }
        }

        let received = through_repair(&sent, &sizes).unwrap();

        if blocks[0].fields.iter().any(is_refused) {
            prop_assert_eq!(wire::arrived(&received), expected);
        } else {
            prop_assert_eq!(received, sent);
        }
    }

    #[test]
    fn any_bytes_are_read_to_their_end_or_refused(
        opened in any::<bool>(),
        bytes in proptest::collection::vec(any::<u8>(), 0..2000),
        sizes in proptest::collection::vec(1_usize..300, 1..6),
    ) {
        let sent = if opened { [wire::opening(), bytes].concat() } else { bytes };
        if let Err(error) = through_repair(&sent, &sizes) {
            prop_assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
        }
    }

    #[test]
    fn any_header_blocks_on_a_repaired_connection_are_read_to_their_end(
        blocks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 1..20),
    ) {
        let mut encoder = Encoder::with_dynamic_size(4096);
        let mut first = Vec::new();
        wire::field(&mut encoder, ":authority", "/", Encoder::WITH_INDEXING, &mut first);
        let mut sent = wire::opening();
        for (block, stream) in std::iter::once(&first).chain(&blocks).zip((1..).step_by(2)) {
            sent.extend(wire::block_frames(block, stream, true, &Framing::default()));
        }
        let received = through_repair(&sent, &[4096]).unwrap();
        prop_assert!(received.len() >= wire::opening().len() + 9);
    }
}
