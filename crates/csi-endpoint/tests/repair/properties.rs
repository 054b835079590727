//! Whatever a client's HPACK encoder and framing do, the server gets the requests that were sent.

use crate::any_bytes;
use crate::blocks::{self, Block, Field, Other};
use crate::wire::{self, Framing};
use httlib_hpack::Encoder;
use proptest::prelude::*;

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
    (name, value, flags()).prop_map(|(name, value, flags)| Field {
        name: name.into_bytes(),
        value,
        flags,
    })
}

fn block() -> impl Strategy<Value = Block> {
    let authority = (authority(), flags()).prop_map(|(value, flags)| Field {
        name: b":authority".to_vec(),
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
            |(resize, authority, fields, end_stream, framing, payload)| Block {
                resize,
                fields: authority.into_iter().chain(fields).collect(),
                end_stream,
                framing,
                after: payload.into_iter().map(data).collect(),
            },
        )
}

fn data(payload: Vec<u8>) -> Other {
    Other {
        kind: wire::DATA,
        flags: 0,
        stream: 1,
        payload,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_server_gets_what_was_sent(
        blocks in proptest::collection::vec(block(), 1..12),
        sizes in proptest::collection::vec(1_usize..300, 1..6),
    ) {
        blocks::arrive_as_sent(&blocks, &[], &sizes, 16 * 1024);
    }
}

proptest! {
    // Each of them is read eight times.
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_dealt_with_well(
        opened in any::<bool>(),
        bytes in proptest::collection::vec(any::<u8>(), 0..2000),
    ) {
        let sent = if opened { [wire::opening(), bytes].concat() } else { bytes };
        any_bytes::deal_well_with(&sent);
    }

    #[test]
    fn any_header_blocks_on_a_repaired_connection_are_dealt_with_well(
        blocks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 1..20),
    ) {
        let mut encoder = Encoder::with_dynamic_size(4096);
        let mut first = Vec::new();
        wire::field(&mut encoder, ":authority", "/", Encoder::WITH_INDEXING, &mut first);
        let mut sent = wire::opening();
        for (block, stream) in std::iter::once(&first).chain(&blocks).zip((1..).step_by(2)) {
            sent.extend(wire::block_frames(block, stream, true, &Framing::default()));
        }
        any_bytes::deal_well_with(&sent);
    }
}
