//! What is no request ends its connection or its stream, and troubles nobody else.

use csi_endpoint::{Limits, ServeOptions};
use httlib_hpack::Encoder;
use tokio::io::AsyncWriteExt as _;

use crate::raw::{BAD, GOOD, Heard, Raw, block, first_call, get_info};
use crate::served::{Served, ask};
use crate::steady::Steady;
use crate::wire::{self, Framing};

const WINDOW_UPDATE: u8 = 0x8;

const PROTOCOL_ERROR: u32 = 0x1;
const FLOW_CONTROL_ERROR: u32 = 0x3;
const FRAME_SIZE_ERROR: u32 = 0x6;
const ENHANCE_YOUR_CALM: u32 = 0xb;

/// Numbers that look like nothing, the same each time.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}

#[tokio::test]
async fn what_is_no_http2_is_closed() {
    let served = Served::start(ServeOptions::default());
    let steady = Steady::start(&served).await;
    let tls_hello = [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        &noise(506),
    ]
    .concat();
    for bytes in [
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n".to_vec(),
        tls_hello,
        noise(100_000),
        vec![0; 100_000],
    ] {
        let heard = Raw::connect(&served).await.talk(&bytes).await;
        assert!(heard.closed, "{:?}", &bytes[..8]);
        assert_eq!(heard.answered(), [0; 0]);
    }
    steady.was_served_throughout().await;
}

#[tokio::test]
async fn noise_after_the_preface_ends_the_connection() {
    let served = Served::start(ServeOptions::default());
    let steady = Steady::start(&served).await;
    for authority in [GOOD, BAD] {
        let mut raw = Raw::opened(&served).await;
        assert!(!raw.call(&first_call(authority), 1).await);
        let heard = raw.talk(&noise(100_000)).await;
        assert!(heard.closed);
        assert_eq!(heard.goaway(), Some(FRAME_SIZE_ERROR), "{authority}");
    }
    steady.was_served_throughout().await;
}

#[tokio::test]
async fn a_client_that_stops_inside_its_headers_holds_its_own_place_only() {
    let served = Served::with_limits(Limits {
        max_connections: 3,
        ..Limits::default()
    });
    let steady = Steady::start(&served).await;
    for authority in [GOOD, BAD] {
        let mut encoder = Encoder::with_dynamic_size(4096);
        let mut again = Raw::opened(&served).await;
        assert!(
            !again
                .call(&get_info(&mut encoder, authority, 1, &[]), 1)
                .await
        );
        let later = get_info(&mut encoder, authority, 3, &[]);
        let mut first = Raw::opened(&served).await;
        let at_first = first_call(authority);
        for (raw, call) in [(&mut again, later), (&mut first, at_first)] {
            // Inside the header block: after the frame's head and a few bytes.
            raw.send(&call[..12]).await;
        }
        let mut third = Raw::connect(&served).await;
        third.send(&[]).await;
        assert_eq!(third.ending().await, [], "all places are taken");

        for mut half in [again, first] {
            half.stream.shutdown().await.unwrap();
            let frames = half.ending().await;
            assert!(frames.iter().all(|frame| frame.kind != wire::RST_STREAM));
        }
    }
    ask(&mut served.client().await).await;
    steady.was_served_throughout().await;
}

/// What a server says to a first call and some frames after it.
async fn after_a_call(served: &Served, authority: &str, frames: &[u8]) -> Heard {
    let mut raw = Raw::opened(served).await;
    assert!(!raw.call(&first_call(authority), 1).await);
    raw.talk(frames).await
}

#[tokio::test]
async fn frames_that_are_not_allowed_end_the_connection_with_the_reason() {
    let served = Served::start(ServeOptions::default());
    let steady = Steady::start(&served).await;
    let most = 0x7fff_ffff_u32.to_be_bytes();
    for (what, frame, reason) in [
        (
            "a window beyond 2^31",
            wire::frame(WINDOW_UPDATE, 0, 0, &most),
            FLOW_CONTROL_ERROR,
        ),
        (
            "a window update by nothing",
            wire::frame(WINDOW_UPDATE, 0, 0, &[0; 4]),
            PROTOCOL_ERROR,
        ),
        (
            "a frame over 16 KiB",
            wire::frame(wire::DATA, 0, 1, &[0; 16_385]),
            FRAME_SIZE_ERROR,
        ),
        (
            "a CONTINUATION of nothing",
            wire::frame(wire::CONTINUATION, wire::END_HEADERS, 3, &[0x82]),
            PROTOCOL_ERROR,
        ),
    ] {
        for authority in [GOOD, BAD] {
            let heard = after_a_call(&served, authority, &frame).await;
            assert!(heard.closed, "{what}, {authority}");
            assert_eq!(heard.goaway(), Some(reason), "{what}, {authority}");
        }
    }
    steady.was_served_throughout().await;
}

#[tokio::test]
async fn a_huge_window_is_granted_and_changes_nothing() {
    let served = Served::start(ServeOptions::default());
    // The connection begins with 2^16 - 1.
    let most = (0x7fff_ffff_u32 - 0xffff).to_be_bytes();
    let mut raw = Raw::opened(&served).await;
    raw.send(&wire::frame(WINDOW_UPDATE, 0, 0, &most)).await;
    assert!(!raw.call(&first_call(BAD), 1).await);
    assert_eq!(raw.heard(false).answered(), [1]);
}

/// A call whose header list is over the limit of 16 KiB by some kilobytes, and one that is not.
fn large_and_small(authority: &str, kilobytes: usize) -> Vec<u8> {
    let mut encoder = Encoder::with_dynamic_size(4096);
    let mut large = block(&mut encoder, "/any", authority, &[]);
    // The same kilobyte again and again, a byte each after the first.
    let indexed = Encoder::WITH_INDEXING;
    let kilobyte = "v".repeat(1024);
    wire::field(&mut encoder, "x-large", &kilobyte, indexed, &mut large);
    large.extend(vec![0x80 | 62; kilobytes + 16 - 1]);
    let mut frames = wire::block_frames(&large, 1, true, &Framing::default());
    frames.extend(get_info(&mut encoder, authority, 3, &[]));
    frames
}

fn status(heard: &Heard, stream: u32) -> Option<Vec<u8>> {
    let headers = heard.headers();
    let (_, fields) = headers.into_iter().find(|&(of, _)| of == stream)?;
    let mut fields = fields.into_iter();
    fields.find_map(|(name, value)| (name == b":status").then_some(value))
}

#[tokio::test]
async fn a_header_list_over_the_limit_is_answered_with_431_and_the_next_request_with_ok() {
    let served = Served::start(ServeOptions::default());
    let steady = Steady::start(&served).await;
    for (authority, kilobytes) in [(GOOD, 1), (BAD, 1), (GOOD, 30), (BAD, 30), (BAD, 1000)] {
        let mut raw = Raw::opened(&served).await;
        let frames = large_and_small(authority, kilobytes);
        assert!(!raw.call(&frames, 2).await, "{authority}");
        let heard = raw.heard(false);
        let what = format!("{authority}, {kilobytes} KiB");
        assert_eq!(status(&heard, 1).unwrap(), b"431", "{what}");
        assert_eq!(heard.answered(), [3], "{what}");
    }
    steady.was_served_throughout().await;
}

#[tokio::test]
async fn a_header_list_over_four_times_the_limit_ends_a_connection_that_is_passed_through() {
    let served = Served::start(ServeOptions::default());
    let raw = Raw::opened(&served).await;
    let heard = raw.talk(&large_and_small(GOOD, 60)).await;
    assert!(heard.closed);
    assert_eq!(heard.goaway(), Some(ENHANCE_YOUR_CALM));
}
