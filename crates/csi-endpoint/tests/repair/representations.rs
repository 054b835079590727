//! What arrives behind the authority repair, for every way to write a request that HPACK and HTTP/2 offer.

use httlib_hpack::Encoder;

use crate::chunks::through_repair;
use crate::requests::{
    INDEXED, PLAIN, RAW_PATH, blocks_behind, fields_of, request, request_fields,
};
use crate::wire::{self, Arrived, Framing, GRPC_FIELDS};

const HUFFMAN: u8 = Encoder::HUFFMAN_NAME | Encoder::HUFFMAN_VALUE;
const BEST: u8 = Encoder::BEST_FORMAT;

const ENCODED_PATH: &str = "%2Fvar%2Flib%2Fkubelet%2Fplugins_registry%2Fdisk.example.org-reg.sock";

#[test]
fn authorities_that_h2_refuses_become_localhost_in_every_representation() {
    for authority in [
        RAW_PATH,
        ENCODED_PATH,
        "",
        "a b",
        "/",
        "tmp%2Fdump.sock",
        "\u{e4}",
        "x/y",
        "[::1",
    ] {
        for flags in [
            PLAIN,
            HUFFMAN,
            INDEXED,
            INDEXED | HUFFMAN,
            BEST,
            Encoder::NEVER_INDEXED,
            INDEXED | HUFFMAN | BEST,
        ] {
            let block = request(&mut Encoder::with_dynamic_size(4096), authority, flags);
            assert_eq!(
                blocks_behind(&[block]),
                [request_fields("localhost")],
                "{authority:?} with flags {flags}"
            );
        }
    }
}

#[test]
fn acceptable_and_absent_authorities_arrive_byte_for_byte() {
    let mut absent = Vec::new();
    let mut host_only = Vec::new();
    let mut encoder = Encoder::with_dynamic_size(4096);
    for (name, value) in GRPC_FIELDS {
        wire::field(&mut encoder, name, value, INDEXED, &mut absent);
        wire::field(
            &mut Encoder::with_dynamic_size(4096),
            name,
            value,
            HUFFMAN,
            &mut host_only,
        );
    }
    wire::field(
        &mut Encoder::with_dynamic_size(4096),
        "host",
        RAW_PATH,
        PLAIN,
        &mut host_only,
    );
    let mut blocks = vec![absent, host_only];
    for authority in [
        "localhost",
        "tonic",
        "disk.example.org:443",
        "a",
        "[::1]:80",
        "user@host",
    ] {
        blocks.push(request(
            &mut Encoder::with_dynamic_size(4096),
            authority,
            INDEXED | HUFFMAN,
        ));
    }
    for block in blocks {
        let mut sent = wire::opening();
        sent.extend(wire::block_frames(
            &block,
            1,
            true,
            &Framing {
                padding: Some(3),
                priority: true,
                cuts: vec![4],
            },
        ));
        sent.extend(wire::frame(wire::PING, 0, 0, &[1, 2, 3, 4, 5, 6, 7, 8]));
        for size in [1, 7, 4096] {
            assert_eq!(through_repair(&sent, &[size]).unwrap(), sent);
        }
    }
}

#[test]
fn a_name_by_dynamic_index_is_followed() {
    // C-core writes the name `:authority` as text and lets it be indexed; later fields name that table entry.
    let mut first = Vec::new();
    let mut encoder = Encoder::with_dynamic_size(4096);
    encoder
        .encode(
            (b":authority".to_vec(), b"tmp%2Fdump.sock".to_vec(), INDEXED),
            &mut first,
        )
        .unwrap();
    for (name, value) in GRPC_FIELDS {
        wire::field(&mut encoder, name, value, PLAIN, &mut first);
    }
    let mut second = Vec::new();
    encoder
        .encode((62_u32, b"other%2Fpath".to_vec(), PLAIN), &mut second)
        .unwrap();
    let mut third = Vec::new();
    encoder.encode(62_u32, &mut third).unwrap();
    for block in [&mut second, &mut third] {
        for (name, value) in GRPC_FIELDS {
            wire::field(&mut encoder, name, value, PLAIN, block);
        }
    }
    assert_eq!(
        blocks_behind(&[first, second, third]),
        vec![request_fields("localhost"); 3]
    );
}

#[test]
fn a_static_name_with_a_value_in_the_table_is_followed() {
    let mut encoder = Encoder::with_dynamic_size(4096);
    let mut first = Vec::new();
    encoder
        .encode((1_u32, RAW_PATH.into(), INDEXED), &mut first)
        .unwrap();
    let mut second = Vec::new();
    encoder.encode(62_u32, &mut second).unwrap();
    // Static index 1 alone is an empty authority, which h2 refuses as well.
    let third = vec![0x81];
    let authority = |value: &str| vec![(b":authority".to_vec(), value.into())];
    assert_eq!(
        blocks_behind(&[first, second, third]),
        vec![authority("localhost"); 3]
    );
}

#[test]
fn on_a_repaired_connection_an_acceptable_authority_stays() {
    let mut encoder = Encoder::with_dynamic_size(4096);
    let blocks = [RAW_PATH, "disk.example.org", RAW_PATH]
        .map(|authority| request(&mut encoder, authority, BEST | INDEXED));
    let expected = ["localhost", "disk.example.org", "localhost"].map(request_fields);
    assert_eq!(blocks_behind(&blocks), expected);
}

#[test]
fn many_short_authorities_do_not_make_the_tables_drift() {
    // Shorter than the replacement: replaced in place, client and server would evict different entries.
    let mut encoder = Encoder::with_dynamic_size(4096);
    let blocks: Vec<_> = (0..300)
        .map(|nth| {
            let mut block = request(
                &mut encoder,
                &format!("/{}", nth % 97),
                INDEXED | BEST | HUFFMAN,
            );
            wire::field(
                &mut encoder,
                &format!("x-{}", nth % 13),
                &"v".repeat(nth),
                INDEXED | BEST,
                &mut block,
            );
            block
        })
        .collect();
    let expected: Vec<_> = (0..300)
        .map(|nth| {
            let mut fields = request_fields("localhost");
            fields.push((format!("x-{}", nth % 13).into(), "v".repeat(nth).into()));
            fields
        })
        .collect();
    assert_eq!(blocks_behind(&blocks), expected);
}

#[test]
fn table_size_updates_are_followed() {
    let mut encoder = Encoder::with_dynamic_size(4096);
    let mut blocks = vec![request(&mut encoder, RAW_PATH, INDEXED | BEST)];
    for size in [0, 100, 4096] {
        let mut block = Vec::new();
        encoder.update_max_dynamic_size(size, &mut block).unwrap();
        block.extend(request(&mut encoder, RAW_PATH, INDEXED | BEST));
        blocks.push(block);
    }
    assert_eq!(blocks_behind(&blocks), vec![request_fields("localhost"); 4]);
}

#[test]
fn trailers_get_no_authority() {
    let mut encoder = Encoder::with_dynamic_size(4096);
    let first = request(&mut encoder, RAW_PATH, INDEXED);
    let mut trailers = Vec::new();
    wire::field(&mut encoder, "grpc-status", "0", INDEXED, &mut trailers);
    assert_eq!(
        blocks_behind(&[first, trailers]),
        [
            request_fields("localhost"),
            vec![(b"grpc-status".to_vec(), b"0".to_vec())]
        ]
    );
}

#[test]
fn frames_split_at_every_byte_boundary_arrive_the_same() {
    let mut encoder = Encoder::with_dynamic_size(4096);
    let mut sent = wire::opening();
    for stream in [1, 3] {
        let block = request(&mut encoder, RAW_PATH, INDEXED | BEST | HUFFMAN);
        let framing = Framing {
            padding: Some(9),
            priority: true,
            cuts: vec![0, 1, 20],
        };
        sent.extend(wire::block_frames(&block, stream, false, &framing));
        sent.extend(wire::frame(wire::DATA, wire::END_STREAM, stream, &[0; 5]));
    }
    let whole = through_repair(&sent, &[sent.len()]).unwrap();
    assert_eq!(fields_of(&whole), vec![request_fields("localhost"); 2]);
    for at in 1..sent.len() {
        assert_eq!(
            through_repair(&sent, &[at, sent.len()]).unwrap(),
            whole,
            "split at {at}"
        );
    }
    assert_eq!(through_repair(&sent, &[1]).unwrap(), whole);
}

#[test]
fn what_must_never_be_indexed_is_still_marked_so() {
    // Who passes a field on has to keep the mark (RFC 7541, section 6.2.3).
    for (flags, mark) in [(Encoder::NEVER_INDEXED, 0x10), (PLAIN, 0x00)] {
        let mut encoder = Encoder::with_dynamic_size(4096);
        let mut block = request(&mut encoder, RAW_PATH, PLAIN);
        wire::field(&mut encoder, "x-secret", "sesame", flags, &mut block);
        let mut sent = wire::opening();
        sent.extend(wire::block_frames(&block, 1, true, &Framing::default()));
        let received = through_repair(&sent, &[4096]).unwrap();
        assert!(received.ends_with(&[&[mark, 8][..], b"x-secret", &[6], b"sesame"].concat()));
    }
}

#[test]
fn padding_goes_and_priority_stays() {
    let block = request(&mut Encoder::with_dynamic_size(4096), RAW_PATH, INDEXED);
    let mut sent = wire::opening();
    sent.extend(wire::block_frames(
        &block,
        1,
        true,
        &Framing {
            padding: Some(200),
            priority: true,
            cuts: vec![],
        },
    ));
    let received = through_repair(&sent, &[4096]).unwrap();
    assert_eq!(
        wire::arrived(&received)[1],
        Arrived::Block {
            stream: 1,
            end_stream: true,
            priority: true,
            fields: request_fields("localhost")
        }
    );
    assert!(received.len() < sent.len() - 200, "the padding is gone");
}

#[test]
fn a_second_authority_in_one_request_is_left_to_the_server() {
    // To judge each of many would cost the server far more than it costs to send them.
    let mut encoder = Encoder::with_dynamic_size(4096);
    let mut block = request(&mut encoder, RAW_PATH, INDEXED);
    wire::field(&mut encoder, ":authority", "/x", INDEXED, &mut block);
    wire::field(&mut encoder, ":authority", "/x", BEST, &mut block);
    let mut expected = request_fields("localhost");
    expected.extend(vec![(b":authority".to_vec(), b"/x".to_vec()); 2]);
    let next = request(&mut encoder, RAW_PATH, BEST | INDEXED);
    assert_eq!(
        blocks_behind(&[block, next]),
        [expected, request_fields("localhost")]
    );
}

#[test]
fn a_header_list_over_the_limit_stays_too_large_and_the_next_request_is_right() {
    // 100 times a table entry of 1 KiB, in one byte each: about 100 KiB, where the server takes 16 KiB.
    let mut encoder = Encoder::with_dynamic_size(4096);
    let mut first = request(&mut encoder, RAW_PATH, INDEXED);
    wire::field(
        &mut encoder,
        "x-large",
        &"v".repeat(1024),
        INDEXED,
        &mut first,
    );
    first.extend([0x80 | 62; 100]);
    let second = request(&mut encoder, RAW_PATH, BEST | INDEXED);
    let received = blocks_behind(&[first, second]);
    let size: usize = received[0]
        .iter()
        .map(|(name, value)| name.len() + value.len() + 32)
        .sum();
    assert!(
        (16 * 1024..18 * 1024).contains(&size),
        "list of {size} bytes"
    );
    assert_eq!(received[1], request_fields("localhost"));
}
