//! What the authority repair cannot make sense of: it arrives as it is, for the server to refuse, or ends the connection.

use httlib_hpack::Encoder;

use crate::chunks::through_repair;
use crate::requests::{INDEXED, PLAIN, RAW_PATH, request};
use crate::wire::{self, Framing};

/// Sends a request that needs repair, then `bytes`: those must arrive as they are.
fn arrives_as_it_is(bytes: &[u8]) {
    let block = request(&mut Encoder::with_dynamic_size(4096), RAW_PATH, PLAIN);
    let mut good = wire::opening();
    good.extend(wire::block_frames(&block, 1, true, &Framing::default()));
    let expected = [through_repair(&good, &[4096]).unwrap(), bytes.to_vec()].concat();
    for size in [1, 4096] {
        assert_eq!(
            through_repair(&[&good, bytes].concat(), &[size]).unwrap(),
            expected
        );
    }
}

#[test]
fn malformed_blocks_are_left_to_the_server() {
    for block in [
        &[0x80][..],                                 // index 0
        &[0x80 | 62],                                // an entry that is not there
        &[0x41, 0x05, b'a'],                         // text that is cut
        &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], // a number without an end
        &[0x41, 0x81, 0xff],                         // no Huffman code
        &[0x3f, 0xe2, 0x1f],                         // table size 4097
        &[0x82, 0x20],                               // table size after a field
    ] {
        arrives_as_it_is(&wire::frame(wire::HEADERS, wire::END_HEADERS, 3, block));
    }
}

#[test]
fn an_entry_that_was_evicted_is_left_to_the_server() {
    let mut encoder = Encoder::with_dynamic_size(4096);
    let mut block = request(&mut encoder, RAW_PATH, PLAIN);
    // 4096 bytes of table hold three of these (RFC 7541, section 4.1: 32 bytes each beside name and value).
    for name in ["x-1", "x-2", "x-3", "x-4"] {
        wire::field(&mut encoder, name, &"v".repeat(1024), INDEXED, &mut block);
    }
    let mut good = wire::opening();
    good.extend(wire::block_frames(&block, 1, true, &Framing::default()));
    let call = |index: u8| wire::frame(wire::HEADERS, wire::END_HEADERS, 3, &[0x80 | index]);
    let before = through_repair(&good, &[4096]).unwrap();
    let after = |call: &[u8]| through_repair(&[&good, call].concat(), &[4096]).unwrap();
    assert!(after(&call(64)).len() > before.len() + 1024, "the oldest");
    assert_eq!(after(&call(65)), [before, call(65)].concat());
}

#[test]
fn malformed_frames_are_left_to_the_server() {
    let open = wire::frame(wire::HEADERS, 0, 3, &[0x82]);
    let after = wire::frame(wire::PING, 0, 0, &[0; 8]);
    for frames in [
        vec![wire::frame(
            wire::HEADERS,
            wire::PADDED | wire::END_HEADERS,
            3,
            &[9, 1],
        )],
        vec![wire::frame(
            wire::HEADERS,
            wire::PRIORITY | wire::END_HEADERS,
            3,
            &[0; 4],
        )],
        vec![wire::frame(
            wire::CONTINUATION,
            wire::END_HEADERS,
            3,
            &[0x82],
        )],
        vec![wire::frame(
            wire::HEADERS,
            wire::END_HEADERS,
            3,
            &[0; 16_385],
        )],
        vec![open.clone(), wire::frame(wire::DATA, 0, 3, b"x")],
        vec![
            open.clone(),
            wire::frame(wire::CONTINUATION, wire::END_HEADERS, 5, &[0x82]),
        ],
        vec![
            open.clone(),
            wire::frame(wire::HEADERS, wire::END_HEADERS, 3, &[0x82]),
        ],
        vec![
            open,
            wire::frame(wire::CONTINUATION, wire::END_HEADERS, 3, &[0; 16_385]),
        ],
    ] {
        arrives_as_it_is(&[frames.concat(), after.clone()].concat());
    }
}

#[test]
fn what_is_no_http2_is_left_to_the_server() {
    for bytes in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00",
        b"PRI * HTTP/2.0\r\n\r\nXX",
        b"P",
        b"",
    ] {
        for size in [1, 4096] {
            assert_eq!(through_repair(bytes, &[size]).unwrap(), bytes);
        }
    }
}

#[test]
fn a_client_that_stops_half_way_is_passed_on_as_far_as_it_came() {
    let mut sent = wire::opening();
    let block = request(&mut Encoder::with_dynamic_size(4096), RAW_PATH, PLAIN);
    let framing = Framing {
        cuts: vec![10],
        ..Framing::default()
    };
    sent.extend(wire::block_frames(&block, 1, true, &framing));
    for end in 0..sent.len() {
        assert_eq!(
            through_repair(&sent[..end], &[4096]).unwrap(),
            &sent[..end],
            "cut at {end}"
        );
    }
}

#[test]
fn a_continuation_flood_ends_the_connection() {
    let mut many = wire::opening();
    many.extend(wire::frame(wire::HEADERS, 0, 1, &[0x82]));
    let mut large = many.clone();
    for _ in 0..256 {
        many.extend(wire::frame(wire::CONTINUATION, 0, 1, &[]));
    }
    for _ in 0..4 {
        large.extend(wire::frame(wire::CONTINUATION, 0, 1, &[0x82; 16_384]));
    }
    let error = |bytes: &[u8]| through_repair(bytes, &[4096]).unwrap_err().to_string();
    assert_eq!(error(&many), "header block has over 256 frames");
    assert_eq!(error(&large), "header block has over 65536 bytes");
}
